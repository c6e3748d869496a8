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

    // Not in a main.swift: a closure that top-level code registers is isolated to the main actor, and another thread
    // that creates its service waits until the main actor has run it.
    func run() async throws {
        var logger = Logger(label: "todo-server")
        logger.logLevel = logLevel
        // The locator of the process. `Locator.shared` is this one, except where another is bound, as in
        // `RequestMiddleware`.
        let locator = Locator.default
        // Reports to swift-metrics: creations in this locator, and failed disposals also in its children. Nothing has
        // called `MetricsSystem.bootstrap` before, so this program drops the reports.
        locator.addMetrics()
        let settings = Settings(databasePath: database, servesGraph: debugGraph)
        // Registers the services of the module and of those that it requires. Throws if modules require each other.
        try locator.apply(AppModule(settings: settings, logger: logger))
        try await TodoService(locator, at: .hostname(host, port: port)).runUntilSignal()
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
