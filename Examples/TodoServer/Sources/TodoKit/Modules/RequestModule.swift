import Injectle

/// The services of requests. They are registered in the server's locator, but each is created for the locator
/// that resolves it: with the user of that request.
struct RequestModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        // Each request has one, however many tasks resolve it: the store adds changes, and `RequestMiddleware` commits them.
        // Without a locator of a request, resolving it is an error. A route that opens that locator itself has to commit what
        // it changes; the export only reads.
        locator.register(.initializer(UnitOfWork.init, .perLocator(named: requestScope)))

        // These have no state of their own. Each resolve creates one, which costs less than keeping it. (An initializer with
        // keys has its lifetime as a modifier.)
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
