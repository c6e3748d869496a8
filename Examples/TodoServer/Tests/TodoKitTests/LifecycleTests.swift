import Foundation
import Hummingbird
import HummingbirdTesting
import Injectle
import InjectleTesting
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

@testable import TodoKit

/// The server from launch to shutdown, each with a root locator of its own.
@Suite struct LifecycleTests {
    struct Failure: Error {}

    /// Calls a closure with a server's locator and its log.
    private func withLocator(
        _ register: (Locator) -> Void = { _ in },
        _ body: (Locator, RecordedLog) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let (locator, log) = (Locator("server"), RecordedLog())
        try locator.apply(AppModule(settings: Settings(databasePath: folder.database), logger: log.logger))
        register(locator)
        try await body(locator, log)
        try folder.remove()
    }

    // MARK: The background service

    @Test func `The purge ends before the database is closed`() async throws {
        let clock = ManualClock()
        try await withLocator {
            $0.register(.eager(clock), for: (any Clock<Duration>).self)
        } _: { locator, log in
            try await runServer(locator) { await clock.sleeping() }
            let events = log.lines.map { line in line.prefix { $0 != "=" } }
            #expect(events == ["database opened path", "purge ended", "database closed"])
        }
    }

    final class ManualDates: DateSource {
        private let date = Mutex(Date(timeIntervalSince1970: 1_000_000))
        var now: Date { date.withLock { $0 } }
        func advance(days: Int) { date.withLock { $0 += Double(days) * 24 * 60 * 60 } }
    }

    @Test func `The purge deletes todos that were completed long ago`() async throws {
        let clock = ManualClock()
        let dates = ManualDates()
        try await withLocator {
            $0.register(.eager(clock), for: (any Clock<Duration>).self)
            $0.register(.eager(dates), for: .dates)
        } _: { locator, log in
            try await runServer(locator) {
                try await Locator.$shared.withValue(locator) {
                    try await withServer { client in
                        _ = try await client.create("open")
                        let completed = try await client.create("completed")
                        _ = try await client.send(.patch, "/todos/\(completed.id)", TodoChange(isCompleted: true))
                        for (days, titles) in [(29, ["completed", "open"]), (2, ["open"])] {
                            await clock.sleeping()
                            dates.advance(days: days)
                            clock.advance(by: .seconds(60))
                            // The next sleep follows the purge.
                            await clock.sleeping()
                            let todos = try await client.todos()
                            #expect(todos.map(\.title).sorted() == titles)
                        }
                    }
                }
            }
            #expect(log.lines.contains("purged count=1"))
        }
    }

    struct BrokenClock: Clock {
        typealias Instant = ContinuousClock.Instant
        let minimumResolution = Duration.zero
        var now: Instant { .now }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws { throw Failure() }
    }

    @Test func `A purge that fails ends the server`() async throws {
        try await withLocator {
            $0.register(.eager(BrokenClock()), for: (any Clock<Duration>).self)
        } _: { locator, log in
            await #expect(throws: Failure.self) {
                try await runServer(locator) { try await ContinuousClock().sleep(for: .seconds(100)) }
            }
            #expect(log.lines.last == "database closed")
        }
    }

    // MARK: Shutdown

    /// Runs the server beside another service of a group, which ends by itself or when `body` ends it.
    private func serve(
        _ locator: Locator,
        _ log: RecordedLog,
        beside service: any Service,
        addRoutes: (Router<BasicRequestContext>) -> Void = { _ in },
        _ body: @escaping @Sendable (_ port: Int, ServiceGroup) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let router = try buildRouter(server: locator)
        addRoutes(router)
        let app = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress!.port!) },
            logger: log.logger
        )
        let group = ServiceGroup(services: [app, service], logger: log.logger)
        async let load: Void = { for await port in ports.prefix(1) { try await body(port, group) } }()
        let result: Result<Void, any Error>
        do { result = .success(try await group.run()) } catch { result = .failure(error) }
        try await load
        try result.get()
    }

    /// A service that does nothing until the group ends it.
    struct Idle: Service {
        func run() async throws { try await gracefulShutdown() }
    }

    @Test func `A request in progress is answered before the database is closed`() async throws {
        let (arrived, release) = (Barrier(2), Barrier(2))
        try await withLocator { locator, log in
            try await runServer(locator) {
                try await serve(locator, log, beside: Idle()) { router in
                    router.group("slow").add(middleware: RequestMiddleware(server: locator)).post { _, _ in
                        let todos = try Locator.shared.resolve((any TodoStore).self)
                        await arrived.arrive()
                        await release.arrive()
                        todos.insert(Todo(id: UUID(), title: "late", createdAt: Date()))
                        return HTTPResponse.Status.ok
                    }
                } _: { port, group in
                    let client = LiveClient(port: port)
                    async let response = client.post("/slow")
                    await arrived.arrive()
                    await group.triggerGracefulShutdown()
                    await release.arrive()
                    let status = try await response
                    #expect(status == .ok)
                    try await client.close()
                }
                let count = try await locator.resolve(TodoCount.self, arguments: User(name: "ada")).count()
                #expect(count == 1)
            }
            #expect(log.lines.last == "database closed")
        }
    }

    private func isOfClosedLocator(_ line: String) -> Bool {
        line.hasPrefix("a request failed") && line.contains("is closed")
    }

    @Test func `A request that meets a closed locator is in the log`() async throws {
        try await withLocator { locator, log in
            let router = try buildRouter(server: locator)
            try await runServer(locator) {}
            try await Application(router: router, logger: log.logger).test(.router) { client in
                let response = try await client.send(.get, "/todos")
                #expect(response.status == .internalServerError)
            }
            #expect(log.lines.contains(where: isOfClosedLocator), "\(log.lines)")
        }
    }

    /// A service that throws when a test says so.
    struct Failing: Service {
        let signal: Barrier

        func run() async throws {
            await signal.arrive()
            throw Failure()
        }
    }

    /// Counts responses.
    final class Counter: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .sequentiallyConsistent) }
        func increment() -> Int { value.add(1, ordering: .sequentiallyConsistent).newValue }
    }

    /// Sends requests on one connection until the server closes it.
    private static func load(port: Int, onResponse: (HTTPResponse.Status) async -> Void) async {
        let client = LiveClient(port: port)
        while let status = try? await client.post("/todos", NewTodo(title: "todo")) { await onResponse(status) }
        try? await client.close()
    }

    /// The group cancels the server at once. Requests fail then, but none of them meets a closed locator, since the locator
    /// is closed after the group has ended.
    @Test(arguments: 1...20)
    func `No request meets a closed locator when another service fails`(run: Int) async throws {
        let (signal, answered) = (Barrier(2), Counter())
        try await withLocator { locator, log in
            let error = await #expect(throws: (any Error).self) {
                try await runServer(locator) {
                    try await serve(locator, log, beside: Failing(signal: signal)) { port, _ in
                        await withTaskGroup { group in
                            for _ in 1...8 {
                                group.addTask {
                                    await Self.load(port: port) { status in
                                        #expect([.created, .internalServerError].contains(status))
                                        if answered.increment() == 20 + run { await signal.arrive() }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            #expect(error is Failure)
            #expect(answered.count >= 20 + run)
            #expect(!log.lines.contains(where: isOfClosedLocator), "\(log.lines)")
            #expect(log.lines.last == "database closed")
        }
    }
}
