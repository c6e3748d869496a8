// The server with registrations that are replaced while it works, for `soak`.

import ArgumentParser
import Hummingbird
import Injectle
import Logging
import TodoKit

@main
struct SoakServer: AsyncParsableCommand {
    @Option var host = "127.0.0.1"
    @Option var port = 8080
    @Option(help: "The file of the database, which is created if it does not exist.")
    var database = "todos.sqlite"
    @Option(help: "The milliseconds between two replacements.")
    var interval = 50

    func run() async throws {
        let logger = Logger(label: "soak-server")
        let locator = Locator.default
        locator.addMetrics()
        try locator.apply(AppModule(settings: Settings(databasePath: database), logger: logger))
        let replacing = Task { await replaceServices(in: locator, logger) }
        try await TodoService(locator, at: .hostname(host, port: port)).runUntilSignal()
        replacing.cancel()
        let durations = await replacing.value.sorted()
        guard let longest = durations.last else { return }
        print("replacements: \(durations.count), median \(durations[durations.count / 2]), longest \(longest)")
    }

    /// Replaces a service that all requests share, and one that each request has of its own, until it is cancelled.
    /// Returns the duration of each replacement.
    private func replaceServices(in locator: Locator, _ logger: Logger) async -> [Duration] {
        var durations: [Duration] = []
        while (try? await Task.sleep(for: .milliseconds(interval))) != nil {
            let begin = ContinuousClock.now
            locator.register(.eager(logger))
            locator.register(.initializer(SQLiteTodoStore.init).lifetime(.perLocator), for: (any TodoStore).self)
            durations.append(ContinuousClock.now - begin)
        }
        return durations
    }
}
