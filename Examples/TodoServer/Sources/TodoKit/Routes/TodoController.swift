import Foundation
import Hummingbird

/// Answers the requests for todos, with the services of one request.
package struct TodoController: Sendable {
    let todos: any TodoStore
    let dates: any DateSource
    let log: RequestLog

    package init(todos: any TodoStore, dates: any DateSource, log: RequestLog) {
        (self.todos, self.dates, self.log) = (todos, dates, log)
    }

    package func list(_ request: Request) async throws -> [Todo] {
        let limit = request.uri.queryParameters.get("limit", as: Int.self) ?? 100
        let offset = request.uri.queryParameters.get("offset", as: Int.self) ?? 0
        guard (1...1000).contains(limit), offset >= 0 else { throw HTTPError(.badRequest) }
        return try await todos.todos(limit: limit, offset: offset)
    }

    package func get(_ id: UUID) async throws -> Todo {
        guard let todo = try await todos.todo(id) else { throw HTTPError(.notFound, message: "No todo has this id.") }
        return todo
    }

    package func create(_ new: NewTodo) throws -> Todo {
        let todo = Todo(id: UUID(), title: try title(new.title), createdAt: dates.now)
        try todos.insert(todo)
        log.info("created a todo")
        return todo
    }

    // Of several updates at the same time, the last one wins. If another request deletes the todo meanwhile, the commit
    // throws, and the client gets status 500.
    package func update(_ id: UUID, _ change: TodoChange) async throws -> Todo {
        var todo = try await get(id)
        if let new = change.title { todo.title = try title(new) }
        if let isCompleted = change.isCompleted { todo.completedAt = isCompleted ? todo.completedAt ?? dates.now : nil }
        try todos.update(todo)
        return todo
    }

    package func delete(_ id: UUID) async throws {
        _ = try await get(id)
        try todos.delete(id)
    }

    private func title(_ text: String) throws -> String {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw HTTPError(.unprocessableContent, message: "The title is empty.")
        }
        return text
    }
}
