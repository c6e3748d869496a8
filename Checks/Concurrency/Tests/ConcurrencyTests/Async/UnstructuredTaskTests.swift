import Injectle
import InjectleTestSupport
import Testing

private final class Server: Sendable {}
private final class Router: Sendable {}

/// Resolves the number when a caller reads it.
private final class Reader: Sendable {
    let number = Inject<Int>()
}

/// A key that counts its copies in memory.
private final class Ticket: Sendable {
    private let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

/// A task that a closure starts, and that nothing in the creation awaits, is no part of that creation.
@Suite struct UnstructuredTaskTests {
    private let locator = Locator("tasks")
    private let goOn = Signal()
    private let routerBegun = Signal()

    /// Registers a router that requests the server after a signal.
    private func registerRouter(after joined: Signal) {
        locator.register(
            .lazy(.anywhere) { [routerBegun] locator in
                routerBegun.set()
                await joined.reached()
                _ = try await locator.resolveAsync(Server.self)
                return Router()
            }
        )
    }

    @Test(arguments: [false, true])
    func `A request that joins what the task creates succeeds`(isStartedByChild: Bool) async throws {
        let (locator, joined) = (locator, Signal())
        locator.register(
            .lazy(.anywhere) { [goOn] locator in
                let start: @Sendable () -> Void = { Task { try await locator.resolveAsync(Router.self) } }
                if isStartedByChild {
                    await withTaskGroup { $0.addTask { start() } }
                } else {
                    start()
                }
                await goOn.reached()
                return Server()
            }
        )
        registerRouter(after: joined)
        let server = await ProbeActor.startTask { _ in try await locator.resolveAsync(Server.self) }
        await routerBegun.reached()
        let router = await ProbeActor.startTask { _ in try await locator.resolveAsync(Router.self) }
        joined.set()
        // The router requests the server before the server exists.
        for _ in 0..<100 { await Task.yield() }
        goOn.set()
        try await expectValues(of: server, router)
    }

    @Test func `A creation that the task joins succeeds`() async throws {
        let (locator, joined) = (locator, Signal())
        locator.register(
            .lazy(.anywhere) { [goOn, routerBegun] locator in
                await routerBegun.reached()
                _ = await ProbeActor.startTask { _ in try await locator.resolveAsync(Router.self) }
                joined.set()
                await goOn.reached()
                return Server()
            }
        )
        registerRouter(after: joined)
        let server = await ProbeActor.startTask { _ in try await locator.resolveAsync(Server.self) }
        let router = await ProbeActor.startTask { _ in try await locator.resolveAsync(Router.self) }
        await joined.reached()
        goOn.set()
        try await expectValues(of: server, router)
    }

    private func expectValues(of server: Task<Server, any Error>, _ router: Task<Router, any Error>) async throws {
        let results = await inTime { (server: await server.result, router: await router.result) }
        let values = try #require(results, "A request did not return.")
        #expect(throws: Never.self) { try values.server.get() }
        #expect(throws: Never.self) { try values.router.get() }
    }

    @Test func `A close that the task begins waits for the creation, and disposes of its instance`() async throws {
        let (locator, callLog) = (locator, CallLog())
        let closing = Guarded<Task<Void, any Error>?>(nil)
        locator.register(
            .lazy(.anywhere) { () async in
                let task = await ProbeActor.startTask { _ in
                    await locator.close()
                    callLog.record("closed")
                }
                closing.withLock { $0 = task }
                // A close that does not wait ends meanwhile.
                for _ in 0..<100 { await Task.yield() }
                return LoggedService("server", callLog)
            }
            .onDispose { $0.close() }
        )
        #expect(await inTime { _ = await thrown { try await locator.resolveAsync(LoggedService.self) } } != nil)
        let task = try #require(closing.value)
        #expect(await inTime { try? await task.value } != nil)
        #expect(callLog.entries == ["+server", "-server", "closed"])
    }

    @Test func `A close that a disposer's task begins waits for the close in progress`() async throws {
        let (locator, callLog) = (locator, CallLog())
        let inner = Guarded<Task<Void, any Error>?>(nil)
        locator.register(
            .eager(1).onDispose { _ async in
                let task = await ProbeActor.startTask { _ in
                    await locator.close()
                    callLog.record("second close")
                }
                inner.withLock { $0 = task }
                callLog.record("disposed")
            }
        )
        #expect(await inTime { await locator.close() } == [])
        let task = try #require(inner.value)
        #expect(await inTime { try? await task.value } != nil)
        #expect(callLog.entries == ["disposed", "second close"])
    }

    @Test func `Objects that the task creates resolve from one locator during the creation and after it`() async throws
    {
        let (locator, goOn) = (locator, goOn)
        let other = Locator("other") { $0.register(.eager(2)) }
        locator.register(.eager(1))
        let (created, ended, read) = (Signal(), Signal(), Guarded<[Int]>([]))
        locator.register(
            .lazy(.anywhere) { () async in
                Task {
                    let during = Reader()
                    created.set()
                    await ended.reached()
                    read.withLock { $0 = [during.number(), Reader().number()] }
                    goOn.set()
                }
                await created.reached()
                return Server()
            }
        )
        try await Locator.$shared.withValue(other) { _ = try await locator.resolveAsync(Server.self) }
        ended.set()
        await goOn.reached()
        #expect(read.value.count == 2)
        #expect(read.value.first == read.value.last)
    }

    @Test func `The task does not retain the arguments of the creation`() async throws {
        let (locator, goOn, log) = (locator, goOn, Tracked.Log())
        let started = Guarded<Task<Void, Never>?>(nil)
        locator.register(
            .volatile(.anywhere) { (_, _: Ticket) async in
                let task = Task { await goOn.reached() }
                started.withLock { $0 = task }
                return Server()
            }
        )
        _ = try await locator.resolveAsync(Server.self, arguments: Ticket(log))
        #expect(log.created == 1)
        #expect(await inTime { await log.becomesEmpty() } == true)
        goOn.set()
        await started.value?.value
    }
}
