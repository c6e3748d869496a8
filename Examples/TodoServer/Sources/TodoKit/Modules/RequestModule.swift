import Injectle

/// The services of a request. Each request has its own instances, created on first use.
struct RequestModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        locator.register(.initializer(UnitOfWork.init, .perLocator))
        locator.register(.initializer(SQLiteTodoStore.init, .perLocator), for: (any TodoStore).self)
        locator.register(.initializer(RequestLog.init, .perLocator))
        locator.register(
            .volatile { locator in
                TodoController(
                    todos: try locator.resolve(),
                    dates: try locator.resolve(.dates),
                    log: try locator.resolve()
                )
            }
            .depending(on: (any TodoStore).self, RequestLog.self)
        )

        // Not of a request: the caller passes the user.
        locator.register(
            .volatile { (locator, user: User) in TodoCount(user: user, database: try locator.resolve()) }
                .depending(on: TodoDatabase.self)
        )
    }
}
