import Foundation
import Injectle

/// The current time.
public nonisolated struct Now: Sendable {
    private let read: @Sendable () -> Date
    public init(_ read: @escaping @Sendable () -> Date) { self.read = read }
    public func callAsFunction() -> Date { read() }
}

nonisolated extension ServiceKey<Now> {
    /// The clock of the system, unless a test registers another one.
    public static let now = Self("now", default: .eager(Now { Date() }))
}

/// Registers the services of a launch: mocks in a preview, and with the argument `-mocks`.
///
/// The unit tests of an app run inside of it. There, it registers nothing, since each test registers its own services.
public func registerLaunchServices(
    in locator: Locator,
    file: URL,
    arguments: [String] = ProcessInfo.processInfo.arguments,
    environment: [String: String] = ProcessInfo.processInfo.environment
) {
    if environment["XCTestConfigurationFilePath"] != nil { return }
    if environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1" || arguments.contains("-mocks") {
        registerMocks(in: locator)
    } else {
        registerServices(in: locator, file: file)
    }
}

/// Registers the services of the app.
///
/// The module has the main actor as default isolation, so these closures run on the main actor, as views and view
/// models do.
public func registerServices(in locator: Locator, file: URL) {
    locator.register(.lazy { try await FileTodoStore(file: file) }.as((any TodoStore).self))
    registerSessionServices(in: locator)
}

/// Registers a store in memory instead of the file, for previews and tests.
public func registerMocks(in locator: Locator) {
    locator.register(.lazy { MemoryTodoStore() }.as((any TodoStore).self))
    registerSessionServices(in: locator)
}

/// Registers a session with two entries, for previews of its views.
public func registerMockSession(in session: Locator) {
    registerMocks(in: session)
    let user = User(name: "Ada")
    let todos = ["Buy tea", "Boil water"].map { Todo(id: UUID(), title: $0, created: Date(timeIntervalSince1970: 0)) }
    session.register(.eager(user))
    session.register(.eager(MemoryTodoStore([user: todos])), for: (any TodoStore).self)
}

/// Registers a session whose list does not load, for previews of its views.
public func registerFailingSession(in session: Locator) {
    registerMockSession(in: session)
    session.register(.eager(FullTodoStore()), for: (any TodoStore).self)
}

/// Registers one list for each login. The end of the session saves the list.
private func registerSessionServices(in locator: Locator) {
    locator.register(
        .lazy { TodoListModel() }
            .lifetime(.perLocator(named: Session.locatorName))
            // A check sees the properties of the model, but not their keys.
            .depending(on: (any TodoStore).self, User.self)
            .depending(on: Now.self, key: ServiceKey<Now>.now)
            .onDispose { model in try await model.save() }
    )
}
