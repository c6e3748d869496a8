import Injectle
import Logging

/// The database.
struct StoreModule: Locator.Module {
    func register(in locator: Locator) {
        // Async: `Locator.run` awaits it at launch, so that no request does.
        locator.register(
            .lazy { locator -> TodoDatabase in
                let settings: Settings = try await locator.resolveAsync()
                return try await TodoDatabase.open(path: settings.databasePath, logger: try await locator.resolveAsync())
            }
            .depending(on: Settings.self, Logger.self)
            .onDispose { try $0.close() }
        )
    }
}
