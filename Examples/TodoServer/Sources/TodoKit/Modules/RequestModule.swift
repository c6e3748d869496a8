import Injectle

/// The services of a request. They are registered in the server's locator, but each is created for the locator that resolves
/// it: with the user of that request.
struct RequestModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        // Each request has one, however many tasks resolve it: the store adds changes, and the middleware commits them.
        // Resolving it elsewhere is an error, since nobody would commit it.
        locator.register(.initializer(UnitOfWork.init, .perLocator(named: requestScope)))

        // These have no state of their own. Each resolve creates one, which costs less than keeping it.
        locator.register(.initializer(SQLiteTodoStore.init, .volatile), for: (any TodoStore).self)
        locator.register(.initializer(RequestLog.init, .volatile))
        locator.register(.initializer(TodoController.init, keys: nil, .dates, nil).lifetime(.volatile))

        // For requests without a locator of their own: each resolve creates one for the user that it passes as an argument.
        // `check` cannot see what a closure resolves, so that is declared.
        locator.register(
            .volatile { (locator, user: User) in TodoCount(user: user, database: try locator.resolve()) }
                .depending(on: TodoDatabase.self)
        )
    }
}
