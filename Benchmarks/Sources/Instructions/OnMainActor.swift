internal import Injectle

/// Registrations on the main actor, as an app has them.
enum OnMainActor: Form {
    static let suffix = ", main actor"

    static func registerStore(in locator: Locator) {
        locator.register(.lazy { LiveStore() }, for: (any Store).self)
    }

    static func registerTransient(in locator: Locator) {
        locator.register(.volatile { LiveReport() }, for: (any Report).self)
    }

    static func registerTwoTransient(in locator: Locator) {
        locator.register(.volatile { Theme() })
        locator.register(.volatile { Page(theme: try $0.resolve()) })
    }

    static func registerStringKey(in locator: Locator) {
        locator.register(.lazy { LiveStore() }, for: (any Store).self, key: "replica")
    }

    static func registerServiceKey(in locator: Locator) {
        locator.register(.lazy { LiveStore() }, for: .archive)
    }

    static func registerPerArgument(in locator: Locator) {
        locator.register(.lazy { (_, _: Int) in LiveStore() }.lifetime(.perArgument), for: (any Store).self)
    }

    static func registerPerLocator(in locator: Locator) {
        locator.register(.lazy { LiveSession(store: try $0.resolve()) }.lifetime(.perLocator), for: (any Session).self)
        locator.register(
            .lazy { LivePlanner(session: try $0.resolve(), clock: try $0.resolve()) }.lifetime(.perLocator),
            for: (any Planner).self
        )
        locator.register(
            .lazy { LiveHandler(planner: try $0.resolve(), session: try $0.resolve()) }.lifetime(.perLocator),
            for: (any Handler).self
        )
    }

    static func registerTodoServer(in locator: Locator) {
        locator.register(.eager(Logger(label: "server")))
        locator.register(.initializer(Database.init))
        locator.register(.initializer(UnitOfWork.init).lifetime(.perLocator(named: requestScope)))
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
        )
    }

    static func makeEmptyChildren(of locator: Locator, _ count: Int) async throws {
        for _ in 0..<count { await locator.withChild(requestScope) { _ in } }
    }

    static func makeChildrenWithTwoValues(of locator: Locator, _ count: Int) async throws {
        for _ in 0..<count { await locator.withChild(requestScope, registerRequest) { _ in } }
    }

    static func handleTodoRequests(in locator: Locator, _ count: Int) async throws {
        for _ in 0..<count {
            try await locator.withChild(requestScope, registerRequest) { child in
                _ = try Locator.shared.resolve(TodoController.self)
                _ = try child.resolve(UnitOfWork.self)
            }
        }
    }

    private static func registerRequest(in locator: Locator) {
        locator.register(.eager(User(name: "ada")))
        locator.register(.eager(RequestID(text: "1")))
    }
}
