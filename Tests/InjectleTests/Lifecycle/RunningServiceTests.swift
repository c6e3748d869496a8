import Injectle
import InjectleTestSupport
import Testing

private struct Broken: Error, Equatable {}

/// A service that runs until its task is cancelled.
private final class Runner: Sendable {
    let name: String
    let callLog: CallLog
    let hasBegun = Signal()
    /// Set by a test that lets it end by itself.
    let mayEnd = Signal()

    init(_ name: String, _ callLog: CallLog) { (self.name, self.callLog) = (name, callLog) }

    func run() async {
        callLog.record("\(name) runs")
        await withTaskCancellationHandler {
            hasBegun.set()
            await mayEnd.reached()
        } onCancel: {
            mayEnd.set()
        }
        callLog.record(Task.isCancelled ? "\(name) cancelled" : "\(name) returned")
    }
}

private final class Client: Sendable {
    let runner: Runner
    init(_ runner: Runner) { self.runner = runner }
}

/// Closures that run from the creation of an instance until its disposal.
@Suite struct RunningServiceTests {
    private let locator = Locator("running")
    private let callLog = CallLog()

    @Test func `the task begins with the creation, and the close cancels and awaits it`() async throws {
        locator.register(.lazy { [callLog] in Runner("a", callLog) }.running { await $0.run() })
        #expect(callLog.drain().isEmpty)
        let runner: Runner = try locator.resolve()
        await runner.hasBegun.reached()
        #expect(callLog.drain() == ["a runs"])
        #expect(await locator.close().isEmpty)
        #expect(callLog.drain() == ["a cancelled"])
    }

    @Test func `the start creates a running service`() async throws {
        locator.register(.lazy { [callLog] in Runner("a", callLog) }.running { await $0.run() })
        try await locator.start()
        try await locator.resolve(Runner.self).hasBegun.reached()
        await locator.close()
        #expect(callLog.drain() == ["a runs", "a cancelled"])
    }

    @Test func `an eager service runs from its registration`() async throws {
        let runner = Runner("a", callLog)
        locator.register(.eager(runner).running { await $0.run() })
        await runner.hasBegun.reached()
        await locator.close()
        #expect(callLog.drain() == ["a runs", "a cancelled"])
    }

    @Test func `the start creates an eager service with a hook`() async throws {
        let runner = Runner("a", callLog)
        locator.register(.eager(runner).afterInit { _, _ in }.running { await $0.run() })
        #expect(callLog.drain().isEmpty)
        try await locator.start()
        await runner.hasBegun.reached()
        await locator.close()
        #expect(callLog.drain() == ["a runs", "a cancelled"])
    }

    @Test func `an async service runs, too`() async throws {
        locator.register(
            .lazy { [callLog] () async -> Runner in
                await Task.yield()
                return Runner("a", callLog)
            }.running { await $0.run() }
        )
        try await locator.start()
        try await locator.resolve(Runner.self).hasBegun.reached()
        await locator.close()
        #expect(callLog.drain() == ["a runs", "a cancelled"])
    }

    @Test func `a service stops running before the services that it depends on`() async throws {
        locator.register(.lazy { [callLog] in Runner("pool", callLog) }.running { await $0.run() })
        locator.register(
            .lazy { [callLog] locator in
                let pool: Runner = try locator.resolve()
                callLog.record("client created")
                return Client(pool)
            }
            .running { [callLog] client in
                await client.runner.hasBegun.reached()
                let task = Runner("client", callLog)
                await task.run()
            }
            .onDispose { [callLog] _ in callLog.record("client disposed") }
        )
        try await locator.start()
        let pool: Runner = try locator.resolve()
        await pool.hasBegun.reached()
        await locator.close()
        let lines = callLog.drain()
        #expect(lines.suffix(3).filter { $0 != "client runs" }.suffix(2) == ["client disposed", "pool cancelled"])
        let cancelled = try #require(lines.firstIndex(of: "client cancelled"))
        #expect(try cancelled < #require(lines.firstIndex(of: "client disposed")))
    }

    @Test func `hooks before and after the modifier run in the order of the modifiers`() async throws {
        locator.register(
            .lazy { [callLog] in Runner("a", callLog) }
                .onDispose { [callLog] _ in callLog.record("first") }
                .running { await $0.run() }
                .onDispose { [callLog] _ in callLog.record("last") }
        )
        try await locator.resolve(Runner.self).hasBegun.reached()
        await locator.close()
        #expect(callLog.drain() == ["a runs", "first", "a cancelled", "last"])
    }

    @Test func `a synchronous release cancels the task and does not wait`() async throws {
        let ended = Signal()
        locator.register(
            .lazy { [callLog] in Runner("a", callLog) }.running {
                await $0.run()
                ended.set()
            }
        )
        try await locator.resolve(Runner.self).hasBegun.reached()
        locator.reset()
        await ended.reached()
        #expect(callLog.drain() == ["a runs", "a cancelled"])
    }

    @Test func `a replacement ends the task of the replaced service`() async throws {
        let first = Runner("first", callLog)
        let ended = Signal()
        locator.register(
            .eager(first).running {
                await $0.run()
                ended.set()
            }
        )
        await first.hasBegun.reached()
        let second = Runner("second", callLog)
        locator.register(.eager(second).running { await $0.run() })
        await ended.reached()
        await second.hasBegun.reached()
        await locator.close()
        #expect(
            callLog.drain().filter { $0 != "second runs" } == ["first runs", "first cancelled", "second cancelled"]
        )
    }

    @Test func `each child runs its own service per locator, and ends it`() async throws {
        locator.register(
            .lazy { [callLog] locator in Runner(try locator.resolve(String.self), callLog) }
                .lifetime(.perLocator)
                .running { await $0.run() }
        )
        for name in ["Ada", "Grace"] {
            try await locator.withChild("request", { $0.register(.eager(name)) }) { child in
                try await child.resolve(Runner.self).hasBegun.reached()
            }
        }
        #expect(callLog.drain() == ["Ada runs", "Ada cancelled", "Grace runs", "Grace cancelled"])
    }

    @Test func `a service that no cache has does not run`() async throws {
        locator.register(
            .volatile { [callLog] in Runner("a", callLog) }.running { [callLog] _ in callLog.record("ran") }
        )
        try await locator.start()
        _ = try locator.resolve(Runner.self)
        await locator.close()
        #expect(callLog.drain().isEmpty)
    }

    @Test func `close returns the error that a closure throws after its cancellation`() async throws {
        locator.register(
            .lazy { [callLog] in Runner("a", callLog) }.running {
                await $0.run()
                throw Broken()
            }
        )
        try await locator.resolve(Runner.self).hasBegun.reached()
        let errors = await locator.close()
        #expect(errors == [.disposalFailed])
        #expect(errors.first?.underlying as? Broken == Broken())
    }

    @Test func `close does not return the cancellation of a closure`() async throws {
        locator.register(
            .lazy { [callLog] in Runner("a", callLog) }.running {
                await $0.run()
                try Task.checkCancellation()
            }
        )
        try await locator.resolve(Runner.self).hasBegun.reached()
        #expect(await locator.close().isEmpty)
    }

    @Test func `a closure that closes its locator does not wait for itself`() async throws {
        let closed = Signal()
        locator.register(
            .lazy { [callLog] in Runner("a", callLog) }.running { [locator] _ in
                await locator.close()
                closed.set()
            }
        )
        _ = try locator.resolve(Runner.self)
        await closed.reached()
        #expect(await locator.close().isEmpty)
        #expect(thrown { try locator.resolve(Runner.self) } == .locatorClosed)
    }

    @Test func `a closure that closes its locator when it is cancelled does not wait for itself`() async throws {
        locator.register(
            .lazy { [callLog] in Runner("a", callLog) }.running { [locator] in
                await $0.run()
                await locator.close()
            }
        )
        try await locator.resolve(Runner.self).hasBegun.reached()
        await locator.close()
        #expect(callLog.drain() == ["a runs", "a cancelled"])
    }

    @Test func `a closure that removes its registration does not wait for itself`() async throws {
        let removed = Signal()
        locator.register(
            .lazy { [callLog] in Runner("a", callLog) }.running { [locator] _ in
                await locator.unregisterAsync(Runner.self)
                removed.set()
            }
        )
        _ = try locator.resolve(Runner.self)
        await removed.reached()
        #expect(!locator.isRegistered(Runner.self))
    }

    @Test func `a closure does not run in the override of the code that creates the instance`() async throws {
        let isOverridden = Guarded<Bool?>(nil)
        let ended = Signal()
        let mocks = Locator("mocks", parent: locator) { $0.register(.eager("mock")) }
        locator.register(
            .lazy { [callLog] in Runner("a", callLog) }.running { _ in
                isOverridden.withLock { $0 = Locator.shared.isRegistered(String.self) }
                ended.set()
            }
        )
        _ = try Locator.$shared.withValue(mocks) { try locator.resolve(Runner.self) }
        await ended.reached()
        #expect(isOverridden.withLock { $0 } == false)
    }

    @Test func `a released locator cancels its running services`() async throws {
        let ended = Signal()
        do {
            let locator = Locator("short")
            locator.register(
                .lazy { [callLog] in Runner("a", callLog) }.running {
                    await $0.run()
                    ended.set()
                }
            )
            try await locator.resolve(Runner.self).hasBegun.reached()
        }
        await ended.reached()
        #expect(callLog.drain() == ["a runs", "a cancelled"])
    }
}
