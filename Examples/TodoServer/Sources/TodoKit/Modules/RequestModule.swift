import Injectle

/// The services of a request. Registered in the server's locator, each is created in the locator that resolves it, on first
/// use: each request has its own instances.
struct RequestModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        locator.register(.initializer(UnitOfWork.init, .perLocator))
        locator.register(.initializer(SQLiteTodoStore.init, .perLocator), for: (any TodoStore).self)
        locator.register(.initializer(RequestLog.init, .perLocator))
        locator.register(.initializer(TodoController.init, keys: nil, .dates, nil).lifetime(.perLocator))

        // For requests without a locator of their own: each call creates one, for the user that it passes as an argument.
        locator.register(
            .volatile { (locator, user: User) in TodoCount(user: user, database: try locator.resolve()) }
                .depending(on: TodoDatabase.self)
        )
    }
}
