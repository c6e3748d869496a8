import Injectle

/// The services of a request. Each request has its own instances, created on first use.
struct RequestModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        locator.register(.initializer(UnitOfWork.init, .perLocator))
        locator.register(.initializer(SQLiteTodoStore.init, .perLocator), for: (any TodoStore).self)
        locator.register(.initializer(RequestLog.init, .perLocator))
        locator.register(.initializer(TodoController.init, keys: nil, .dates, nil).lifetime(.perLocator))

        // Of no request: its caller passes the user as an argument.
        locator.register(
            .volatile { (locator, user: User) in TodoCount(user: user, database: try locator.resolve()) }
                .depending(on: TodoDatabase.self)
        )
    }
}
