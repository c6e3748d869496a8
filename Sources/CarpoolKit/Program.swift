internal import Injectle

/// The program, as a function of its arguments.
public enum Program {
    /// What is to be written, and what the process is to exit with.
    public struct Outcome: Sendable {
        public var output = ""
        public var errors = ""
        public var status: Int32 = 0
    }

    public static func run(_ arguments: [String]) -> Outcome {
        do throws(UsageError) {
            let arguments = try Arguments(arguments)
            return arguments.wantsHelp ? Outcome(output: Arguments.usage) : run(arguments)
        } catch {
            return Outcome(errors: "Carpool: \(error.text)\n\(Arguments.usage)", status: 64)
        }
    }

    private static func run(_ arguments: Arguments) -> Outcome {
        let bookings = arguments.path.map { BookingFile($0) } ?? .sample
        guard arguments.isTest else {
            registerServices(in: Injectle[.default], bookings: bookings)
            return Dispatcher().run()
        }
        registerTestServices(in: Injectle[.test], bookings: bookings)
        Injectle.testUp()
        defer { Injectle.testDown() }
        return Dispatcher().run()
    }
}
