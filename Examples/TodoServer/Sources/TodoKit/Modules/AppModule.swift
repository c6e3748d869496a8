import Injectle
import Logging

/// All services of the server.
package struct AppModule: Locator.Module {
    let settings: Settings
    let logger: Logger

    package init(settings: Settings, logger: Logger) {
        (self.settings, self.logger) = (settings, logger)
    }

    /// Each type of module is applied once, however many require it, and before those that do: a registration here
    /// would replace one of theirs. Services are created after all are registered, so one may need another that is
    /// registered later.
    package var requires: [any Locator.Module] { [StoreModule(), RequestModule(), BackgroundModule()] }

    package func register(in locator: Locator) {
        locator.register(.eager(settings))
        locator.register(.eager(logger))
    }
}
