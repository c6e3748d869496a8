import Injectle
import Logging

/// The services that work without a request.
struct BackgroundModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        locator.register(.eager(ContinuousClock()), for: (any Clock<Duration>).self)
        // A group of services runs it. `.dates` has a default in DateSource.swift. `check` cannot see what a closure
        // resolves, so that is declared.
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
            .depending(on: (any DateSource).self, key: ServiceKey<any DateSource>.dates)
            .atStart()
        )
    }
}
