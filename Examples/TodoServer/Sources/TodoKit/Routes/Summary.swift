import Injectle

/// A text about the user's todos.
///
/// The handler creates it as any other value, and no initializer passes services on: `@Inject` finds, at the first
/// read, the services of the request in which the value was created. A property cannot throw, so a missing service ends
/// the process: create it behind a ``RequestMiddleware`` only, which gives the user. Launch has checked the store, on
/// which ``TodoController`` depends.
struct Summary {
    @Inject private var todos: any TodoStore
    @Inject private var user: User

    func text() async throws -> String {
        let todos = try await todos.todos(limit: 1000, offset: 0)
        let open = todos.count { $0.completedAt == nil }
        return "\(user.name): \(open) open, \(todos.count - open) completed\n"
    }
}
