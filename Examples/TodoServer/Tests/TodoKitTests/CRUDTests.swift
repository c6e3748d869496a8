import Foundation
import HummingbirdTesting
import Injectle
import InjectleTesting
import Testing

@testable import TodoKit

@Suite(.server) struct CRUDTests {
    @Test func `A created todo is in the list`() async throws {
        try await withServer { client in
            let response = try await client.send(.post, "/todos", NewTodo(title: "Buy milk"))
            #expect(response.status == .created)
            let todo = try response.decode(Todo.self)
            #expect(response.headers[.location] == "/todos/\(todo.id)")
            #expect(todo.title == "Buy milk" && todo.completedAt == nil)
            #expect(try await client.todos() == [todo])
            #expect(try await client.send(.get, "/todos/\(todo.id)").decode(Todo.self) == todo)
        }
    }

    @Test func `A change keeps what it does not name`() async throws {
        try await withServer { client in
            let todo = try await client.create("Buy milk")
            let completed = try await client.send(.patch, "/todos/\(todo.id)", TodoChange(isCompleted: true))
            #expect(completed.status == .ok)
            #expect(try completed.decode(Todo.self).completedAt != nil)
            let renamed = try await client.send(.patch, "/todos/\(todo.id)", TodoChange(title: "Buy tea"))
            #expect(try renamed.decode(Todo.self).title == "Buy tea")
            let stored = try await client.todos()[0]
            #expect(stored.title == "Buy tea" && stored.completedAt != nil)
            let reopened = try await client.send(.patch, "/todos/\(todo.id)", TodoChange(isCompleted: false))
            #expect(try reopened.decode(Todo.self).completedAt == nil)
        }
    }

    @Test func `A deleted todo is gone`() async throws {
        try await withServer { client in
            let todo = try await client.create("Buy milk")
            #expect(try await client.send(.delete, "/todos/\(todo.id)").status == .noContent)
            #expect(try await client.send(.get, "/todos/\(todo.id)").status == .notFound)
            #expect(try await client.send(.delete, "/todos/\(todo.id)").status == .notFound)
            #expect(try await client.send(.patch, "/todos/\(todo.id)", TodoChange(title: "x")).status == .notFound)
        }
    }

    @Test func `A list has the requested page`() async throws {
        try await withServer { client in
            for number in 1...5 { _ = try await client.create("\(number)") }
            let page = try await client.send(.get, "/todos?limit=2&offset=2").decode([Todo].self)
            #expect(try await client.todos()[2..<4].map(\.id) == page.map(\.id))
            #expect(try await client.send(.get, "/todos?limit=0").status == .badRequest)
        }
    }

    @Test func `A wrong request has a status that says what is wrong`() async throws {
        try await withServer { client in
            let todo = try await client.create("Buy milk")
            #expect(try await client.send(.get, "/todos", user: nil).status == .unauthorized)
            #expect(try await client.send(.get, "/todos", user: nil).headers[.wwwAuthenticate] == "Bearer")
            #expect(try await client.send(.get, "/todos", user: "").status == .unauthorized)
            #expect(try await client.send(.get, "/todos/1").status == .badRequest)
            #expect(try await client.send(.get, "/todos/\(UUID())").status == .notFound)
            #expect(try await client.send(.post, "/todos", NewTodo(title: " ")).status == .unprocessableContent)
            #expect(try await client.send(.post, "/todos", ["name": "x"]).status == .badRequest)
            #expect(try await client.send(.get, "/nothing").status == .notFound)
            #expect(try await client.todos() == [todo])
        }
    }

    @Test func `A user does not see the todos of another`() async throws {
        try await withServer { client in
            let todo = try await client.create("Buy milk", user: "ada")
            #expect(try await client.todos(user: "grace").isEmpty)
            #expect(try await client.send(.get, "/todos/\(todo.id)", user: "grace").status == .notFound)
            #expect(try await client.send(.delete, "/todos/\(todo.id)", user: "grace").status == .notFound)
            let change = TodoChange(title: "Buy tea")
            #expect(try await client.send(.patch, "/todos/\(todo.id)", user: "grace", change).status == .notFound)
            #expect(try await client.todos(user: "ada") == [todo])
            #expect(try await client.send(.get, "/count", user: "ada").text == "1\n")
            #expect(try await client.send(.get, "/count", user: "grace").text == "0\n")
        }
    }

    @Test func `A summary uses the services of its request`() async throws {
        try await withServer { client in
            let todo = try await client.create("Buy milk")
            _ = try await client.create("Buy tea")
            _ = try await client.send(.patch, "/todos/\(todo.id)", TodoChange(isCompleted: true))
            #expect(try await client.send(.get, "/todos/summary").text == "ada: 1 open, 1 completed\n")
            #expect(try await client.send(.get, "/todos/summary", user: "grace").text == "grace: 0 open, 0 completed\n")
        }
    }

    @Test func `A live server answers as the router does`() async throws {
        try await withServer(.live) { client in
            let todo = try await client.create("Buy milk")
            #expect(try await client.todos() == [todo])
            #expect(try await client.todos(user: "grace").isEmpty)
            #expect(try await client.send(.delete, "/todos/\(todo.id)").status == .noContent)
            #expect(try await client.todos().isEmpty)
        }
    }
}
