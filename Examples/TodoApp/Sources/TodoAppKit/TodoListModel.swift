import Foundation
import Injectle
import Observation

/// The view model of a user's list.
@Observable public final class TodoListModel {
    @ObservationIgnored @Injected(resolve: .eager) private var store: any TodoStore
    @ObservationIgnored @Injected(resolve: .eager) private var user: User
    @ObservationIgnored @Inject(.now) private var now
    public private(set) var todos: [Todo] = []
    public private(set) var errorText: String?
    /// The text field of the view.
    public var newTitle = ""

    public init() {}

    public var title: String { "\(user.name)’s list" }

    public func load() async {
        do { todos = try await store.todos(of: user) } catch { errorText = "\(error)" }
    }

    public func add(_ title: String) {
        todos.append(Todo(id: UUID(), title: title, created: now()))
    }

    public func addNewTitle() {
        add(newTitle)
        newTitle = ""
    }

    public func toggle(_ todo: Todo) {
        guard let index = todos.firstIndex(where: { $0.id == todo.id }) else { return }
        todos[index].isDone.toggle()
    }

    public func save() async throws {
        try await store.save(todos, of: user)
    }
}
