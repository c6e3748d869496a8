import Injectle

/// The services of requests. They are registered in the server's locator, but each is created for the locator
/// that resolves it: with the user of that request.
struct RequestModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        // Each request has one, however many tasks resolve it: the store adds changes, and `RequestMiddleware` commits
        // them. Without a locator of a request, resolving it is an error. A route that opens that locator itself has to
        // commit what it changes; the export only reads.
        locator.register(.initializer(UnitOfWork.init).lifetime(.perLocator(named: requestScope)))

        // These have no state of their own. Each resolve creates one, which costs less than keeping it.
        locator.register(.initializer(SQLiteTodoStore.init).lifetime(.volatile), for: (any TodoStore).self)
        locator.register(.initializer(RequestLog.init).lifetime(.volatile))
        locator.register(
            .volatile { locator in
                TodoController(
                    todos: try locator.resolve(),
                    dates: try locator.resolve(.dates),
                    log: try locator.resolve()
                )
            }
            .depending(on: (any TodoStore).self, RequestLog.self)
            .depending(on: (any DateSource).self, key: ServiceKey<any DateSource>.dates)
        )

        // For requests without a locator of their own: each resolve creates one for the user that it passes as an
        // argument. `check` cannot see what a closure resolves, so that is declared.
        locator.register(
            .volatile { (locator, user: User) in TodoCount(user: user, database: try locator.resolve()) }
                .depending(on: TodoDatabase.self)
        )
    }
}
