import ArgumentParser
import Hummingbird
import Injectle
import Logging
import TodoKit

@main
struct TodoServer: AsyncParsableCommand {
    @Option var host = "127.0.0.1"
    @Option var port = 8080
    @Option(help: "The file of the database, which is created if it does not exist.")
    var database = "todos.sqlite"
    @Option(help: "The lowest level of the messages in the log.")
    var logLevel = Logger.Level.info
    @Flag(help: "Answer GET /debug/graph, which shows how the program is built.")
    var debugGraph = false

    // A method instead of a main.swift, whose top-level code is on the main actor, and so would be the closures of services
    // that are registered there: a thread that creates such a service blocks until the main actor has run its closure.
    func run() async throws {
        var logger = Logger(label: "todo-server")
        logger.logLevel = logLevel
        // The locator of the process. `Locator.shared` is this one wherever no other is bound, as the middleware does.
        let locator = Locator.default
        // Counts creations and failed disposals, in the metrics system that the program has bootstrapped before; without
        // one, it does nothing.
        locator.addMetrics()
        let settings = Settings(databasePath: database, servesGraph: debugGraph)
        // Registers the services of the module and of those that it requires. Throws if modules require each other.
        try locator.apply(AppModule(settings: settings, logger: logger))
        try await serve(locator, at: .hostname(host, port: port))
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
