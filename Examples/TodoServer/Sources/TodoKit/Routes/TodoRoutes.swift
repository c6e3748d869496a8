import Foundation
import Hummingbird
import Injectle

/// Adds the routes for todos to a group with a ``RequestMiddleware``.
func addTodoRoutes(to todos: RouterGroup<some RequestContext>) {
    // `Locator.shared` is the request's locator. `resolve` throws if a service is missing: the response has status 500.
    todos.get { request, _ in
        try await Locator.shared.resolve(TodoController.self).list(request)
    }
    todos.get(":id") { _, context in
        try await Locator.shared.resolve(TodoController.self).get(context.id())
    }
    todos.post { request, context in
        let new = try await request.decode(as: NewTodo.self, context: context)
        // It only adds to the unit of work; the middleware writes it.
        let todo = try Locator.shared.resolve(TodoController.self).create(new)
        return EditedResponse(status: .created, headers: [.location: "/todos/\(todo.id)"], response: todo)
    }
    todos.patch(":id") { request, context in
        let change = try await request.decode(as: TodoChange.self, context: context)
        return try await Locator.shared.resolve(TodoController.self).update(context.id(), change)
    }
    todos.delete(":id") { _, context in
        try await Locator.shared.resolve(TodoController.self).delete(context.id())
        return HTTPResponse.Status.noContent
    }
    todos.get("summary") { _, _ in
        // Its properties resolve from the request's locator.
        try await Summary().text()
    }
}

extension RequestContext {
    /// Reads the id of a todo from the path.
    package func id() throws -> UUID { try parameters.require("id", as: UUID.self) }
}
