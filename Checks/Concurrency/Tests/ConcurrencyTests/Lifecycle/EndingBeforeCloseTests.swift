import Injectle
import InjectleTestSupport
import Testing

private struct FixedScope: Locator.CustomLifetime {
    let value: Locator.Scope
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { value }
}

private final class Flushing: Sendable {
    private let onEnd: @Sendable () -> Void
    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
    deinit { onEnd() }
}

/// A close waits for each ending of instances that has begun before, whatever has begun it.
@Suite struct EndingBeforeCloseTests {
    private let locator = Locator("server")
    private let callLog = CallLog()
    private let begun = Signal()
    private let goOn = Signal()
    private let log = ["+pool", "-service", "-pool"]

    /// A service whose async hook goes on at a signal, and uses a pool, which the close ends after it.
    private func register(_ lifetime: Locator.Lifetime) {
        locator.register(.lazy(.anywhere) { [callLog] in LoggedService("pool", callLog) }.onDispose { $0.close() })
        locator.register(
            .lazy(.anywhere) { [callLog] locator in
                _ = try locator.resolve(LoggedService.self)
                return Guarded(callLog)
            }
            .lifetime(lifetime)
            .onDispose { [begun, goOn] (service: Guarded<CallLog>) async in
                begun.set()
                await goOn.reached()
                service.value.record("-service")
            }
        )
    }

    /// Ends the service, and closes the locator meanwhile.
    private func closeAfter(_ end: () throws -> Void) async throws -> [String] {
        _ = try locator.resolve(Guarded<CallLog>.self)
        try end()
        await begun.reached()
        let closing = Task { [locator] in await locator.close() }
        for _ in 0..<100 { await Task.yield() }
        goOn.set()
        #expect(await closing.value == [])
        return callLog.entries
    }

    @Test func `A close waits for the hook of an instance that was reset`() async throws {
        register(.lazy)
        #expect(try await closeAfter { try locator.resetInstance(of: Guarded<CallLog>.self) } == log)
    }

    @Test func `A close waits for the hook of an instance of a scope that was reset`() async throws {
        let scope = Locator.Scope()
        register(.custom(FixedScope(value: scope)))
        #expect(try await closeAfter { scope.reset() } == log)
    }

    @Test func `A close waits for the hook of a graph instance`() async throws {
        register(.graph)
        locator.register(.volatile(.anywhere) { locator in try locator.resolve(Guarded<CallLog>.self) }, key: "user")
        #expect(try await closeAfter { _ = try locator.resolve(Guarded<CallLog>.self, key: "user") } == log)
    }

    @Test func `A close waits for the hook of a value that a deinit registers`() async throws {
        locator.register(
            .lazy(.anywhere) { [weak locator, callLog, begun, goOn] in
                Flushing { [weak locator] in
                    let value = Locator.Registration<Int>.eager(1).onDispose { _ async in
                        begun.set()
                        await goOn.reached()
                        callLog.record("-value")
                    }
                    locator?.register(value)
                }
            }
        )
        _ = try locator.resolve(Flushing.self)
        let closing = Task { [locator] in await locator.close() }
        await begun.reached()
        for _ in 0..<100 { await Task.yield() }
        goOn.set()
        #expect(await closing.value == [])
        #expect(callLog.entries == ["-value"])
    }

    // MARK: Hooks that block a thread

    /// Registers a service whose hook blocks its thread until a signal.
    private func registerBlocking(_ lifetime: Locator.Lifetime) {
        locator.register(
            .lazy(.anywhere) { [callLog] in Guarded(callLog) }.lifetime(lifetime)
                .onDispose(isolation: nil) { [begun, goOn] service in
                    begun.set()
                    goOn.wait()
                    service.value.record("-service")
                }
        )
    }

    /// Ends the service on another thread. Returns what its hook has recorded when a close meanwhile returns.
    private func closeDuring(_ end: @escaping @Sendable () throws -> Void) async throws -> [String] {
        async let error = onAnotherThread { thrown(by: end) }
        await begun.reached()
        let closing = Task { [locator, callLog] in
            await locator.close()
            return callLog.entries
        }
        for _ in 0..<100 { await Task.yield() }
        goOn.set()
        #expect(await error == nil)
        return await closing.value
    }

    @Test func `A close waits for a thread that resets an instance`() async throws {
        registerBlocking(.lazy)
        _ = try locator.resolve(Guarded<CallLog>.self)
        let entries = try await closeDuring { [locator] in try locator.resetInstance(of: Guarded<CallLog>.self) }
        #expect(entries == ["-service"])
    }

    @Test func `A close waits for a thread that resets a scope`() async throws {
        let scope = Locator.Scope()
        registerBlocking(.custom(FixedScope(value: scope)))
        _ = try locator.resolve(Guarded<CallLog>.self)
        #expect(try await closeDuring { scope.reset() } == ["-service"])
    }

    @Test func `A close waits for a thread that ends a graph`() async throws {
        registerBlocking(.graph)
        locator.register(.volatile(.anywhere) { locator in try locator.resolve(Guarded<CallLog>.self) }, key: "user")
        let entries = try await closeDuring { [locator] in _ = try locator.resolve(Guarded<CallLog>.self, key: "user") }
        #expect(entries == ["-service"])
    }

    // MARK: Creations in progress

    /// Ends a service while an async closure creates it with a pool, and closes the locator before the closure returns.
    private func closeDuringCreation(
        _ lifetime: Locator.Lifetime = .lazy,
        _ end: @Sendable () throws -> Void
    ) async throws -> [String] {
        locator.register(.lazy(.anywhere) { [callLog] in LoggedService("pool", callLog) }.onDispose { $0.close() })
        locator.register(
            .lazy(.anywhere) { [callLog, begun, goOn] locator in
                _ = try locator.resolve(LoggedService.self)
                begun.set()
                await goOn.reached()
                callLog.record("+service")
                return Guarded(callLog)
            }
            .lifetime(lifetime)
            .onDispose { $0.value.record("-service") }
        )
        let creation = Task { [locator] in try await locator.resolveAsync(Guarded<CallLog>.self) }
        await begun.reached()
        try end()
        let closing = Task { [locator, callLog] in
            let errors = await locator.close()
            callLog.record("closed")
            return errors
        }
        for _ in 0..<100 { await Task.yield() }
        goOn.set()
        #expect(await closing.value == [])
        _ = await creation.result
        return callLog.entries
    }

    private let logOfCreation = ["+pool", "+service", "-service", "-pool", "closed"]

    @Test func `A close waits for the creation of an instance that was reset`() async throws {
        let log = try await closeDuringCreation { try locator.resetInstance(of: Guarded<CallLog>.self) }
        #expect(log == logOfCreation)
    }

    @Test func `A close waits for the creation of a service that was unregistered`() async throws {
        let log = try await closeDuringCreation { locator.unregisterService(Guarded<CallLog>.self) }
        #expect(log == logOfCreation)
    }

    @Test func `A close waits for the creation of a service that was replaced`() async throws {
        let log = try await closeDuringCreation { locator.register(.eager(Guarded(CallLog()))) }
        #expect(log == logOfCreation)
    }

    @Test func `A close waits for the creation of an instance of a scope that was reset`() async throws {
        let scope = Locator.Scope()
        let log = try await closeDuringCreation(.custom(FixedScope(value: scope))) { scope.reset() }
        #expect(log == logOfCreation)
    }
}
