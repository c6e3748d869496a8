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
    @Option(help: "The least level of the messages in the log.")
    var logLevel = Logger.Level.info
    @Flag(help: "Answer GET /debug/graph, which shows how the program is built.")
    var debugGraph = false

    // Not in a main.swift: its top-level code is on the main actor, and so are closures written there. A thread that
    // creates a service by such a closure would block until the main actor has run it.
    func run() async throws {
        var logger = Logger(label: "todo-server")
        logger.logLevel = logLevel
        let locator = Locator.default
        // Counts creations, in the metrics system of the program; without one, it does nothing.
        locator.addMetrics()
        let settings = Settings(databasePath: database, servesGraph: debugGraph)
        try locator.apply(AppModule(settings: settings, logger: logger))
        try await serve(locator, at: .hostname(host, port: port))
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
