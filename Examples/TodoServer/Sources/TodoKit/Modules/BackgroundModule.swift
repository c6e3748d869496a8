import Injectle
import Logging

/// The services that work without a request.
struct BackgroundModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        locator.register(.eager(ContinuousClock()), for: (any Clock<Duration>).self)
        locator.register(
            .lazy { locator in
                Purge(
                    settings: try locator.resolve(),
                    database: try locator.resolve(),
                    clock: try locator.resolve(),
                    dates: try locator.resolve(.dates),
                    logger: try locator.resolve()
                )
            }
            .depending(on: Settings.self, TodoDatabase.self, (any Clock<Duration>).self, Logger.self)
            .atStart()
            // A task of the locator runs it. The close cancels the task and awaits its end before it closes the database,
            // which was created earlier. If it throws, the server ends with its error.
            .running { try await $0.run() }
        )
    }
}
