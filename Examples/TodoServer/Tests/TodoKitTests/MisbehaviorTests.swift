import Hummingbird
import HummingbirdTesting
import Injectle
import InjectleTesting
import Synchronization
import Testing

@testable import TodoKit

/// What clients, the log and the caller of the server learn of code that misbehaves.
@Suite struct MisbehaviorTests {
    struct Failure: Error {}
    struct Mailer: Sendable {}

    /// Runs a server whose `POST /test` has the handler. Returns the status of the response, and the log.
    private func response(
        _ register: (Locator) -> Void = { _ in },
        _ handler: @escaping @Sendable () async throws -> Void
    ) async throws -> (status: HTTPResponse.Status, log: RecordedLog) {
        let status = Mutex(HTTPResponse.Status.accepted)
        var record: RecordedLog?
        try await withLocator(register) { locator, log in
            record = log
            try await runServer(locator, log) { router in
                router.group("test").add(middleware: RequestMiddleware(server: locator)).post { _, _ in
                    try await handler()
                    return HTTPResponse.Status.ok
                }
            } _: { port, _ in
                let client = LiveClient(port: port)
                let response = try await client.post("/test")
                status.withLock { $0 = response }
                try await client.close()
            }
        }
        return (status.withLock { $0 }, try #require(record))
    }

    // MARK: Requests

    @Test func `A missing service is in the log, with its text`() async throws {
        let (status, log) = try await response { _ = try Locator.shared.resolve(Mailer.self) }
        #expect(status == .internalServerError)
        let line = log.lines.first { $0.hasPrefix("a request failed") } ?? ""
        #expect(line.contains("No service is registered as TodoKitTests.MisbehaviorTests.Mailer."))
        #expect(line.contains("requested by") && line.contains("TodoKitTests/MisbehaviorTests.swift:"))
    }

    @Test func `An HTTP error of an initializer keeps its status`() async throws {
        let (status, log) = try await response {
            $0.register(.volatile(.anywhere) { () throws -> Mailer in throw HTTPError(.forbidden) })
        } _: {
            _ = try Locator.shared.resolve(Mailer.self)
        }
        #expect(status == .forbidden)
        #expect(!log.lines.contains { $0.hasPrefix("a request failed") })
    }

    @Test func `Another error of an initializer is in the log, with the text of the library`() async throws {
        let (status, log) = try await response {
            $0.register(.volatile(.anywhere) { () throws -> Mailer in throw Failure() })
        } _: {
            _ = try Locator.shared.resolve(Mailer.self)
        }
        #expect(status == .internalServerError)
        let failed = log.lines.filter { $0.hasPrefix("a request failed") }
        #expect(
            failed.count == 1 && failed[0].contains("Failed to create TodoKitTests.MisbehaviorTests.Mailer: Failure()")
        )
    }

    @Test func `A detached task finds no service of its request`() async throws {
        let (status, _) = try await response {
            let error = await Task.detached {
                #expect(throws: InjectleError.self) { try Locator.shared.resolve(User.self) }
            }.value
            #expect(error == .missing)
        }
        #expect(status == .ok)
    }

    @Test func `A change after the end of its request is refused`() async throws {
        let store = Mutex<(any TodoStore)?>(nil)
        let (status, _) = try await response {
            let todos = try Locator.shared.resolve((any TodoStore).self)
            store.withLock { $0 = todos }
        }
        #expect(status == .ok)
        let late = try #require(store.withLock { $0 })
        #expect(throws: UnitOfWork.Ended.self) { try late.insert(Todo(id: .init(), title: "late", createdAt: .init())) }
    }

    // MARK: Reads after the end of a request

    /// An object of a request that outlives it.
    final class Leaked: Sendable {
        let user = Inject<User>()
        let optionalUser = Optject<User>()
        let kept = Injected<User>(resolve: .eager)
        let database = Inject<TodoDatabase>()
    }

    @Test func `A property that outlives its request throws, is nil, keeps its service, or reads the server's`()
        async throws
    {
        let leaked = Mutex<Leaked?>(nil)
        try await withLocator { locator, log in
            try await runServer(locator, log) { router in
                router.group("test").add(middleware: RequestMiddleware(server: locator)).post { _, _ in
                    let object = Leaked()
                    let user = try Locator.shared.resolve(User.self)
                    #expect(object.user() == user)
                    leaked.withLock { $0 = object }
                    return HTTPResponse.Status.ok
                }
            } _: { port, _ in
                let client = LiveClient(port: port)
                var status = try await client.post("/test")
                #expect(status == .ok)
                let last = leaked.withLock { $0 }
                let object = try #require(last)
                #expect(throws: InjectleError.locatorClosed) { try object.user.resolve() }
                #expect(object.optionalUser() == nil)
                #expect(object.kept() == User(name: "ada"))
                let database = try locator.resolve(TodoDatabase.self)
                #expect(object.database() === database)
                // The server goes on.
                status = try await client.post("/test")
                #expect(status == .ok)
                try await client.close()
            }
        }
    }

    @Test func `A read that cannot return ends the process with the text of the error`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let values = RequestValues(user: User(name: "Ada"), id: RequestID("1"))
            let leaked = await Locator("server").withChild(requestScope, values.register) { _ in Leaked() }
            _ = leaked.user()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("TodoKit.User was requested from the locator \"request\", which is closed."))
    }

    @Test(.server) func `A test whose server misses a service has an issue with the text`() async throws {
        let server = Locator.shared
        try await withKnownIssue {
            _ = try await withServer { router in
                router.group("test").add(middleware: RequestMiddleware(server: server)).get { _, _ in
                    _ = try Locator.shared.resolve(Mailer.self)
                    return HTTPResponse.Status.ok
                }
            } _: { client in
                try await client.send(.get, "/test")
            }
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.contains("No service is registered as TodoKitTests.MisbehaviorTests.Mailer.")
            }
        }
    }

    // MARK: Start and end

    @Test func `A start that throws disposes of what exists, and ends the server`() async throws {
        try await withLocator(database: "/none/todos.sqlite") { locator, log in
            locator.register(.eager(Mailer()).onDispose { _ in log.logger.info("mailer closed") })
            let error = await #expect(throws: InjectleError.self) {
                try await runServer(locator, log) { _, _ in Issue.record("The server listens.") }
            }
            #expect(error == .factoryFailed && error?.identity == Locator.Identity(TodoDatabase.self))
            #expect(log.lines == ["mailer closed"])
        }
    }

    @Test func `A hook that throws fails the server, after the other hooks`() async throws {
        try await withLocator {
            $0.register(.lazy(.anywhere) { Mailer() }.atStart().onDispose { _ in throw Failure() })
        } _: { locator, log in
            let error = await #expect(throws: InjectleError.self) { try await runServer(locator, log) { _, _ in } }
            #expect(error == .disposalFailed && error?.underlying is Failure)
            #expect(log.lines.last == "database closed")
        }
    }

    @Test func `A hook that hangs fails the server at the end of the grace period, and is named`() async throws {
        let (hangs, release) = (Barrier(2), Barrier(2))
        try await withLocator(gracePeriod: .milliseconds(1)) {
            $0.register(
                .lazy(.anywhere) { Mailer() }.atStart().onDispose { _ async in
                    await hangs.arrive()
                    await release.arrive()
                }
            )
        } _: { locator, log in
            let error = await #expect(throws: InjectleError.self) {
                try await runServer(locator, log) { _, _ in
                    // The hook hangs when the grace period begins, which is too short for this machine otherwise.
                    Task { await locator.close() }
                    await hangs.arrive()
                }
            }
            #expect(error == .disposalFailed && error?.identity == Locator.Identity(Mailer.self))
            #expect(error?.description.contains("still runs after 0.001 seconds") == true)
            await release.arrive()
            await locator.close()
            #expect(log.lines.contains("database closed"))
        }
    }
}
