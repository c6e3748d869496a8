internal import Foundation
internal import Injectle
internal import InjectleDiagnostics

/// The program, as a function of its arguments.
public enum Program {
    /// The output, the errors and the exit code of the process.
    public struct Outcome: Sendable {
        public var output = ""
        public var errors = ""
        public var status: Int32 = 0
    }

    /// Runs the program, once in a process, since it closes the locator at its end.
    ///
    /// - Parameter show: Prints a line at once.
    public static func run(_ arguments: [String], show: @escaping @Sendable (String) -> Void) async -> Outcome {
        do throws(UsageError) {
            let arguments = try Arguments(arguments)
            return arguments.wantsHelp ? Outcome(output: Arguments.usage) : await run(arguments, show)
        } catch {
            return Outcome(errors: "Carpool: \(error.text)\n\(Arguments.usage)", status: 64)
        }
    }

    private static func run(_ arguments: Arguments, _ show: @escaping @Sendable (String) -> Void) async -> Outcome {
        if arguments.isTest { Injectle.testUp() }
        defer { if arguments.isTest { Injectle.testDown() } }
        let locator = arguments.isTest ? Injectle[.test] : Injectle[.default]
        if arguments.graph != nil { locator.add(Locator.DependencyRecorder()) }
        do {
            // With the modules that it requires: all of them, or none.
            try locator.apply(CarpoolModule(options: arguments))
        } catch {
            return Outcome(errors: "\(error)\n", status: 1)
        }
        if arguments.isTest { registerTestServices(in: locator) }
        return await run(in: locator, graph: arguments.graph, show: arguments.isSlow ? show : nil)
    }

    /// Starts the services, does the work, and closes the locator.
    ///
    /// - Parameters:
    ///   - locator: The current locator, with all services.
    ///   - graph: The file for the graph of the services, with what the work has resolved.
    ///   - show: Prints a line for each step of the start, on any thread.
    static func run(in locator: Locator, graph: String? = nil, show: (@Sendable (String) -> Void)? = nil) async
        -> Outcome
    {
        var outcome = Outcome()
        do {
            let log = show.map { locator.add(Locator.Log([.willCreate, .didCreate], $0)) }
            try await locator.start()
            log?.remove()
            outcome = Dispatcher().run()
            if let graph {
                do {
                    try Data(locator.graph.html.utf8).write(to: URL(fileURLWithPath: graph), options: .atomic)
                } catch {
                    outcome.errors += "\(graph): the graph cannot be written\n"
                }
            }
        } catch {
            // The error of a closure suffices, if it is about a file that the user has named.
            let cause = error.underlying as? FileError
            outcome.errors = "\(cause?.description ?? error.description)\n"
        }
        for error in await locator.close() { outcome.errors += "\(error)\n" }
        outcome.status = outcome.errors.isEmpty ? 0 : 1
        return outcome
    }
}
