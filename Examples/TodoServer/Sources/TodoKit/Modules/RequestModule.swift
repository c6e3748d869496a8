import Injectle

/// The services of a request. Registered in the server's locator, each is created in the locator that resolves it, with the
/// user of that request.
struct RequestModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        // The store adds to it and the middleware commits it, so all code of a request has the same one.
        locator.register(.initializer(UnitOfWork.init, .perLocator))

        // These have no state of their own. Each resolve creates one, which costs less than to keep it.
        locator.register(.initializer(SQLiteTodoStore.init, .volatile), for: (any TodoStore).self)
        locator.register(.initializer(RequestLog.init, .volatile))
        locator.register(.initializer(TodoController.init, keys: nil, .dates, nil).lifetime(.volatile))

        // For requests without a locator of their own: each call creates one, for the user that it passes as an argument.
        locator.register(
            .volatile { (locator, user: User) in TodoCount(user: user, database: try locator.resolve()) }
                .depending(on: TodoDatabase.self)
        )
    }
}
