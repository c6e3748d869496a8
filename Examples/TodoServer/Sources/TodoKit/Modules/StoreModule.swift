import Injectle

/// The database.
struct StoreModule: Locator.Module {
    func register(in locator: Locator) {
        // One instance for the server and all its requests: a singleton, as is every registration without another
        // lifetime. `open` is async: the locator awaits it at launch, so that no request does. If it throws, the server
        // does not start.
        locator.register(.initializer(TodoDatabase.open).onDispose { try $0.close() })
    }
}
