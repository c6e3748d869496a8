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

/// Registers the services of the app.
///
/// The module has the main actor as default isolation, so these closures run on the main actor, as views and view models do.
public func registerServices(in locator: Locator, file: URL) {
    locator.register(.lazy { try await FileTodoStore(file: file) }, for: (any TodoStore).self)
    registerSessionServices(in: locator)
}

/// Registers a store in memory instead of the file, for previews and tests.
public func registerMocks(in locator: Locator) {
    locator.register(.lazy { MemoryTodoStore() }, for: (any TodoStore).self)
    registerSessionServices(in: locator)
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
