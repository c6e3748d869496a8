import Foundation
import Hummingbird
import HummingbirdTesting
import Injectle
import InjectleTesting
import Logging
import Synchronization
import Testing

@testable import TodoKit

@Suite(.server) struct RequestTests {
    struct Failure: Error {}

    /// Adds `POST /test/NAME`, which has a locator as the routes for todos do.
    private func withRoute<Value>(
        _ name: RouterPath,
        logger: Logger = .failing,
        _ handler: @escaping @Sendable (Request, BasicRequestContext) async throws -> HTTPResponse.Status,
        _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        let server = Locator.shared
        return try await withServer(logger: logger) { router in
            router.group("test").add(middleware: RequestMiddleware(server: server)).post(name, use: handler)
        } _: { client in
            try await body(client)
        }
    }

    private static func todo(_ title: String, id: UUID = UUID()) -> Todo {
        Todo(id: id, title: title, createdAt: Date())
    }

    @Test func `A handler that throws changes nothing`() async throws {
        try await withRoute("throw", logger: .test) { _, _ in
            let todos = try Locator.shared.resolve((any TodoStore).self)
            try todos.insert(Self.todo("Buy milk"))
            throw Failure()
        } _: { client in
            let response = try await client.send(.post, "/test/throw")
            #expect(response.status == .internalServerError)
            #expect(try await client.todos().isEmpty)
        }
    }

    @Test func `A change that fails rolls back those before it`() async throws {
        try await withRoute("twice", logger: .test) { _, _ in
            let todos = try Locator.shared.resolve((any TodoStore).self)
            let id = UUID()
            try todos.insert(Self.todo("Buy milk", id: id))
            try todos.insert(Self.todo("Buy tea", id: id))
            return .ok
        } _: { client in
            let response = try await client.send(.post, "/test/twice")
            #expect(response.status == .internalServerError)
            #expect(try await client.todos().isEmpty)
        }
    }

    @Test func `A request has one unit of work, and the next one another`() async throws {
        let units = Mutex<[UnitOfWork]>([])
        try await withRoute("unit") { _, _ in
            for _ in 1...2 {
                let unit = try Locator.shared.resolve(UnitOfWork.self)
                units.withLock { $0.append(unit) }
            }
            return .ok
        } _: { client in
            for _ in 1...2 {
                let response = try await client.send(.post, "/test/unit")
                #expect(response.status == .ok)
            }
        }
        let all = units.withLock { $0 }
        #expect(all.count == 4)
        #expect(all[0] === all[1] && all[2] === all[3] && all[0] !== all[2])
    }

    @Test func `Concurrent requests do not share services`() async throws {
        let count = 16
        let barrier = Barrier(count)
        let units = Mutex<[UnitOfWork]>([])
        try await withRoute("concurrent") { _, _ in
            let before = try Locator.shared.resolve(User.self)
            await barrier.arrive()
            // All requests are in progress.
            let (user, unit) = (try Locator.shared.resolve(User.self), try Locator.shared.resolve(UnitOfWork.self))
            guard user == before else { return .conflict }
            units.withLock { $0.append(unit) }
            try Locator.shared.resolve((any TodoStore).self).insert(Self.todo("for \(user.name)"))
            return .ok
        } _: { client in
            try await withThrowingTaskGroup { group in
                for number in 0..<count {
                    group.addTask { try await client.send(.post, "/test/concurrent", user: "user \(number)").status }
                }
                for try await status in group { #expect(status == .ok) }
            }
            for number in 0..<count {
                #expect(try await client.todos(user: "user \(number)").map(\.title) == ["for user \(number)"])
            }
        }
        #expect(Set(units.withLock { $0.map(ObjectIdentifier.init) }).count == count)
    }

    @Test func `The server itself has no user and no store`() async throws {
        try await withServer { _ in
            let error = #expect(throws: InjectleError.self) { try Locator.shared.resolve((any TodoStore).self) }
            #expect(error == .missing && error?.identity == Locator.Identity(User.self))
        }
    }

    // MARK: Overrides

    struct MockStore: TodoStore {
        func todos(limit: Int, offset: Int) async throws -> [Todo] { [RequestTests.todo("from the mock")] }
        func todo(_ id: UUID) async throws -> Todo? { throw Failure() }
        func insert(_ todo: Todo) {}
        func update(_ todo: Todo) {}
        func delete(_ id: UUID) {}
    }

    @Test(.override((any TodoStore).self) { MockStore() })
    func `A test replaces the store`() async throws {
        try await withServer(logger: .test) { client in
            let todos = try await client.todos()
            #expect(todos.map(\.title) == ["from the mock"])
            // An error that is no response has status 500, and the server continues.
            #expect(try await client.send(.get, "/todos/\(UUID())").status == .internalServerError)
            #expect(try await client.todos().count == 1)
        }
    }

    struct FixedDate: DateSource {
        let now = Date(timeIntervalSince1970: 1_000_000)
    }

    @Test(.override((any DateSource).self, key: ServiceKey<any DateSource>.dates) { FixedDate() })
    func `A test determines the date`() async throws {
        try await withServer { client in
            let todo = try await client.create("Buy milk")
            #expect(todo.createdAt == FixedDate().now)
        }
    }

    // MARK: Streamed bodies

    @Test func `A stream has all todos of the user`() async throws {
        try await withServer { client in
            for number in 1...150 { _ = try await client.create("\(number)") }
            _ = try await client.create("of another user", user: "grace")
            let lines = try await client.send(.get, "/export").text.split(separator: "\n")
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let titles = try lines.map { try decoder.decode(Todo.self, from: Data($0.utf8)).title }
            #expect(titles.count == 150 && Set(titles) == Set((1...150).map { "\($0)" }))
        }
    }

    @Test func `The locator of a handler is closed when its body is streamed`() async throws {
        let server = Locator.shared
        try await withServer { router in
            router.group("test").add(middleware: RequestMiddleware(server: server)).get("late") { _, _ in
                let child = Locator.shared
                return Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        let error = #expect(throws: InjectleError.self) { try child.resolve((any TodoStore).self) }
                        #expect(error == .locatorClosed)
                        try await writer.finish(nil)
                    }
                )
            }
        } _: { client in
            let response = try await client.send(.get, "/test/late")
            #expect(response.status == .ok)
        }
    }
}
