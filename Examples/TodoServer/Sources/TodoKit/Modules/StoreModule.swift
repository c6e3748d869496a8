import Injectle

/// The database.
struct StoreModule: Locator.Module {
    func register(in locator: Locator) {
        // The function is async: the locator awaits it at launch, so that no request does.
        locator.register(.initializer(TodoDatabase.open).onDispose { try $0.close() })
    }
}
