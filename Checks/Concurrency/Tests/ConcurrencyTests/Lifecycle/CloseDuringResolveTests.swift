import Injectle
import InjectleTestSupport
import Testing

/// Closing a locator while a resolve has graph instances.
@Suite struct CloseDuringResolveTests {
    private let locator = Locator("server")
    private let callLog = CallLog()
    private let hasBegun = Signal()
    private let mayGoOn = Signal()

    init() {
        locator.register(
            .lazy(.anywhere) { [callLog] in LoggedService("pool", callLog) }.onDispose { $0.close() },
            key: "pool"
        )
    }

    /// A graph service that uses the pool.
    private func registerGraph(_ body: @escaping @Sendable () -> Void = {}) {
        locator.register(
            .lazy(.anywhere) { [callLog] locator in
                _ = try locator.resolve(LoggedService.self, key: "pool")
                body()
                return LoggedService("graph", callLog)
            }
            .lifetime(.graph).onDispose { $0.close() },
            key: "graph"
        )
    }

    @Test func `A close ends the graph instances of a resolve in progress, before what they use`() async {
        registerGraph()
        locator.register(
            .volatile(.anywhere) { [hasBegun, mayGoOn] locator in
                let graph = try locator.resolve(LoggedService.self, key: "graph")
                hasBegun.set()
                mayGoOn.wait()
                return graph.name
            }
        )
        async let name = onAnotherThread { [locator] in try? locator.resolve(String.self) }
        await hasBegun.reached()
        #expect(await locator.close() == [])
        #expect(callLog.drain() == ["+pool", "+graph", "-graph", "-pool"])
        mayGoOn.set()
        #expect(await name == "graph")
        #expect(callLog.drain() == [])
    }

    @Test func `A close waits for a graph instance in creation`() async throws {
        registerGraph { [hasBegun, mayGoOn] in
            hasBegun.set()
            mayGoOn.wait()
        }
        locator.register(
            .volatile(.anywhere) { locator in try locator.resolve(LoggedService.self, key: "graph").name }
        )
        async let name = onAnotherThread { [locator] in try? locator.resolve(String.self) }
        await hasBegun.reached()
        let closing = await ProbeActor.startTask { [locator, callLog] _ in
            await locator.close()
            callLog.record("closed")
        }
        // A close that does not wait ends the pool meanwhile.
        for _ in 0..<100 { await Task.yield() }
        #expect(callLog.entries == ["+pool"])
        mayGoOn.set()
        try await closing.value
        #expect(await name == "graph")
        #expect(callLog.drain() == ["+pool", "+graph", "-graph", "-pool", "closed"])
    }

    @Test func `Once a close has begun, a resolve gets no graph instance that has to be disposed of`() async throws {
        locator.register(
            .lazy(.anywhere) { [callLog] in LoggedService("graph", callLog) }
                .lifetime(.graph).onDispose { $0.close() },
            key: "graph"
        )
        let isClosing = Signal()
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { [isClosing, mayGoOn] _ async in
                isClosing.set()
                await mayGoOn.reached()
            }
        )
        locator.register(.lazy(.anywhere) { UInt(2) }.lifetime(.graph))
        locator.register(
            .volatile(.anywhere) { [hasBegun] locator in
                hasBegun.set()
                isClosing.wait()
                let plain = try locator.resolve(UInt.self)
                return (plain, thrown { try locator.resolve(LoggedService.self, key: "graph") })
            },
            for: (UInt, InjectleError?).self
        )
        _ = try locator.resolve(Int.self)
        async let result = onAnotherThread { [locator] in try? locator.resolve((UInt, InjectleError?).self) }
        await hasBegun.reached()
        async let closing = locator.close()
        let (plain, error) = try #require(await result)
        mayGoOn.set()
        #expect(await closing == [])
        #expect(plain == 2)
        #expect(error == .locatorClosed)
        #expect(callLog.drain() == [])
    }

    @Test func `A closure that closes its locator does not wait for its own graph instances`() async throws {
        registerGraph()
        locator.register(
            .volatile(.anywhere) { [locator, callLog] resolver in
                let graph = try await resolver.resolveAsync(LoggedService.self, key: "graph")
                await locator.close()
                callLog.record("closed")
                return graph.name
            }
        )
        #expect(try await locator.resolveAsync(String.self) == "graph")
        #expect(callLog.drain() == ["+pool", "+graph", "-graph", "-pool", "closed"])
    }

    @Test func `A graph closure that closes its locator does not wait for its own instance`() async throws {
        locator.register(
            .lazy(.anywhere) { [locator, callLog] resolver in
                _ = try resolver.resolve(LoggedService.self, key: "pool")
                await locator.close()
                callLog.record("closed")
                return LoggedService("graph", callLog)
            }
            .lifetime(.graph).onDispose { $0.close() },
            key: "graph"
        )
        locator.register(
            .volatile(.anywhere) { locator in try await locator.resolveAsync(LoggedService.self, key: "graph").name }
        )
        let error = await thrown { [locator] in try await locator.resolveAsync(String.self) }
        #expect(error == .locatorClosed)
        #expect(callLog.drain() == ["+pool", "-pool", "closed", "+graph", "-graph"])
    }
}
