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

    // MARK: The background service

    @Test func `The purge ends before the database is closed`() async throws {
        let clock = ManualClock()
        try await withLocator {
            $0.register(.eager(clock), for: (any Clock<Duration>).self)
        } _: { locator, log in
            try await runServer(locator, log) { _, _ in await clock.sleeping() }
            let events = log.lines.map { line in String(line.prefix { $0 != "=" }) }
            #expect(
                events.filter { $0.contains("database") || $0.contains("purge") } == [
                    "database opened path", "purge ended", "database closed",
                ]
            )
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
            try await runServer(locator, log) { _, _ in
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

    /// A clock whose sleeps throw when a test says so.
    struct BrokenClock: Clock {
        typealias Instant = ContinuousClock.Instant
        let signal: Barrier
        let minimumResolution = Duration.zero
        var now: Instant { .now }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            await signal.arrive()
            throw Failure()
        }
    }

    /// Returns when the server has failed.
    private static func untilCancelled() async { try? await Task.sleep(for: .seconds(100)) }

    @Test func `A purge that fails ends the server`() async throws {
        try await withLocator {
            $0.register(.eager(BrokenClock(signal: Barrier(1))), for: (any Clock<Duration>).self)
        } _: { locator, log in
            await #expect(throws: Failure.self) {
                try await runServer(locator, log) { _, _ in await Self.untilCancelled() }
            }
            #expect(log.lines.contains("database closed"))
        }
    }

    // MARK: Shutdown

    @Test func `A request in progress is answered before the database is closed`() async throws {
        let (arrived, release) = (Barrier(2), Barrier(2))
        try await withLocator { locator, log in
            let settings = try locator.resolve(Settings.self)
            try await runServer(locator, log) { router in
                router.group("slow").add(middleware: RequestMiddleware(server: locator)).post { _, _ in
                    let todos = try Locator.shared.resolve((any TodoStore).self)
                    await arrived.arrive()
                    await release.arrive()
                    try todos.insert(Todo(id: UUID(), title: "late", createdAt: Date()))
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
            #expect(log.lines.last == "database closed")
            let database = try await TodoDatabase.open(settings: settings, logger: log.logger)
            #expect(try await TodoCount(user: User(name: "ada"), database: database).count() == 1)
            try database.close()
        }
    }

    private func isOfClosedLocator(_ line: String) -> Bool {
        line.hasPrefix("a request failed") && line.contains("is closed")
    }

    @Test func `A request that meets a closed locator is in the log`() async throws {
        try await withLocator { locator, log in
            let router = try buildRouter(server: locator)
            await locator.close()
            try await Application(router: router, logger: log.logger).test(.router) { client in
                let response = try await client.send(.get, "/todos")
                #expect(response.status == .internalServerError)
            }
            #expect(log.lines.contains(where: isOfClosedLocator), "\(log.lines)")
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

    /// The group cancels the server at once. Requests fail then, but none of them meets a closed locator, since the
    /// locator is closed after the group has ended.
    @Test(arguments: 1...20)
    func `No request meets a closed locator when another service fails`(run: Int) async throws {
        let (signal, answered) = (Barrier(2), Counter())
        try await withLocator {
            $0.register(.eager(BrokenClock(signal: signal)), for: (any Clock<Duration>).self)
        } _: { locator, log in
            let error = await #expect(throws: (any Error).self) {
                try await runServer(locator, log) { port, _ in
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
                    await Self.untilCancelled()
                }
            }
            #expect(error is Failure)
            #expect(answered.count >= 20 + run)
            #expect(!log.lines.contains(where: isOfClosedLocator), "\(log.lines)")
            #expect(log.lines.contains("database closed"))
        }
    }
}
