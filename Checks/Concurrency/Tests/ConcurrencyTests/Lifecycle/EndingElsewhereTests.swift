import Injectle
import InjectleTestSupport
import Testing

private struct FixedScope: Locator.CustomLifetime {
    let value: Locator.Scope
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { value }
}

private final class Pool: Sendable {}

/// Endings of instances that another locator than the closed one has registered, or that a scope has.
@Suite struct EndingElsewhereTests {
    private let server = Locator("server")
    private let callLog = CallLog()
    private let begun = Signal()
    private let goOn = Signal()

    /// A service whose hook goes on at a signal.
    private func service(_ lifetime: Locator.Lifetime) -> Locator.Registration<Guarded<CallLog>> {
        .lazy(.anywhere) { [callLog] in Guarded(callLog) }.lifetime(lifetime)
            .onDispose { [begun, goOn] (service: Guarded<CallLog>) async in
                begun.set()
                await goOn.reached()
                service.value.record("-service")
            }
    }

    /// A service whose hook blocks its thread until a signal.
    private func blockingService(_ lifetime: Locator.Lifetime) -> Locator.Registration<Guarded<CallLog>> {
        .lazy(.anywhere) { [callLog] in Guarded(callLog) }.lifetime(lifetime)
            .onDispose(isolation: nil) { [begun, goOn] service in
                begun.set()
                goOn.wait()
                service.value.record("-service")
            }
    }

    /// Closes a locator while the hook runs. Returns what the hook has recorded when the close returns.
    private func close(_ locator: Locator) async -> [String]? {
        await begun.reached()
        let closing = Task { [callLog] in
            await locator.close()
            return callLog.entries
        }
        for _ in 0..<100 { await Task.yield() }
        goOn.set()
        return await inTime { await closing.value }
    }

    /// The errors of a close. Nil if it does not end.
    private func errors(closing locator: Locator) async -> [InjectleError]? { await inTime { await locator.close() } }

    // MARK: Closes that wait

    @Test func `A close waits for a reset of its locator that ends an instance of a scope`() async throws {
        let scope = Locator.Scope()
        server.register(blockingService(.custom(FixedScope(value: scope))))
        _ = try server.resolve(Guarded<CallLog>.self)
        async let reset: Void = onAnotherThread { [server] in server.reset() }
        #expect(await close(server) == ["-service"])
        await reset
    }

    @Test func `A close waits for a reset of its locator that ends an instance of an ancestor`() async throws {
        let child = server.child("request")
        child.register(blockingService(.perLocator(named: "server")))
        _ = try child.resolve(Guarded<CallLog>.self)
        async let reset: Void = onAnotherThread { child.reset() }
        #expect(await close(child) == ["-service"])
        await reset
    }

    @Test func `A close waits for a reset of an ancestor that has an instance of its locator`() async throws {
        let child = server.child("request")
        child.register(blockingService(.perLocator(named: "server")))
        _ = try child.resolve(Guarded<CallLog>.self)
        async let reset: Void = onAnotherThread { [server] in server.reset() }
        #expect(await close(child) == ["-service"])
        await reset
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func `A close waits for a creation of a child's service that a reset of its ancestor has ended`(ofChild: Bool)
        async throws
    {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        let child = server.child("request")
        child.register(
            .lazy(.anywhere) { [callLog] in
                hasBegun.set()
                mayGoOn.wait()
                return LoggedService("late", callLog)
            }
            .lifetime(.perLocator(named: "server")).onDispose { $0.close() }
        )
        async let service = onAnotherThread { try? child.resolve(LoggedService.self).name }
        await hasBegun.reached()
        server.reset()
        let closing = await ProbeActor.startTask { [server, callLog] _ in
            await (ofChild ? child : server).close()
            callLog.record("closed")
        }
        mayGoOn.set()
        try await closing.value
        #expect(await service == nil)
        #expect(callLog.drain() == ["+late", "-late", "closed"])
    }

    @Test func `The close of a child waits for a removal in its parent that ends its instance`() async throws {
        server.register(service(.perLocator))
        let child = server.child("request")
        _ = try child.resolve(Guarded<CallLog>.self)
        server.unregister(Guarded<CallLog>.self)
        #expect(await close(child) == ["-service"])
    }

    @Test func `The close of a child waits for a reset of its parent that ends its instance`() async throws {
        server.register(blockingService(.perLocator))
        let child = server.child("request")
        _ = try child.resolve(Guarded<CallLog>.self)
        async let reset: Void = onAnotherThread { [server] in server.reset() }
        #expect(await close(child) == ["-service"])
        await reset
    }

    @Test func `The close of a child waits for the hook of its graph instance`() async throws {
        server.register(service(.graph))
        server.register(.volatile(.anywhere) { locator in try locator.resolve(Guarded<CallLog>.self) }, key: "user")
        let child = server.child("request")
        _ = try child.resolve(Guarded<CallLog>.self, key: "user")
        #expect(await close(child) == ["-service"])
    }

    @Test func `The close of a child waits for the hook of an instance that its cell does not keep`() async throws {
        let resetting = Guarded<Locator?>(nil)
        server.register(
            .lazy(.anywhere) { [callLog] in
                // The instance under creation is disposed of, and created again.
                guard let child = resetting.withLock({ $0.take() }) else { return Guarded(CallLog()) }
                try child.resetInstance(of: Guarded<CallLog>.self)
                return Guarded(callLog)
            }
            .lifetime(.perLocator)
            .onDispose { [begun, goOn, callLog] (service: Guarded<CallLog>) async in
                if service.value !== callLog { return }
                begun.set()
                await goOn.reached()
                callLog.record("-service")
            }
        )
        let child = server.child("request")
        resetting.withLock { $0 = child }
        _ = try child.resolve(Guarded<CallLog>.self)
        #expect(await close(child) == ["-service"])
    }

    // MARK: Order

    @Test func `A close leaves the services alone that an ending uses that begins meanwhile`() async throws {
        let (first, isFirst) = (Signal(), Signal())
        server.register(.lazy(.anywhere) { Pool() }.onDispose { [callLog] _ in callLog.record("-pool") })
        server.register(
            .lazy(.anywhere) { 1 }.onDispose { _ async in
                isFirst.set()
                await first.reached()
            }
        )
        server.register(service(.lazy).depending(on: Pool.self))
        _ = try (server.resolve(Int.self), server.resolve(Pool.self), server.resolve(Guarded<CallLog>.self))
        server.unregister(Int.self)
        await isFirst.reached()
        let closing = Task { [server] in await server.close() }
        for _ in 0..<100 { await Task.yield() }
        try server.resetInstance(of: Guarded<CallLog>.self)
        await begun.reached()
        first.set()
        for _ in 0..<100 { await Task.yield() }
        goOn.set()
        _ = await closing.value
        #expect(callLog.entries == ["-service", "-pool"])
    }

    // MARK: Hooks that close

    @Test func `A hook that closes the locator of its instance does not wait, and reads services afterwards`()
        async throws
    {
        let closed = Guarded<Locator?>(nil)
        server.register(
            .lazy(.anywhere) { 1 }.lifetime(.perLocator)
                .onDispose { [callLog] _ async in
                    guard let child = closed.withLock({ $0.take() }) else { return }
                    await child.close()
                    callLog.record((try? child.resolve(String.self)) ?? "closed")
                }
        )
        let child = server.child("request")
        child.register(.eager("read"))
        closed.withLock { $0 = child }
        _ = try child.resolve(Int.self)
        server.unregister(Int.self)
        #expect(await errors(closing: child) == [])
        #expect(callLog.entries == ["read"])
    }

    @Test func `A hook of a scope closes each locator that the scope has instances of`() async throws {
        let (other, scope) = (Locator("other"), Locator.Scope())
        let lifetime = Locator.Lifetime.custom(FixedScope(value: scope))
        for locator in [server, other] {
            locator.register(.eager("read"))
            locator.register(
                .lazy(.anywhere) { 1 }.lifetime(lifetime).onDispose { [callLog] _ async in
                    await locator.close()
                    callLog.record((try? locator.resolve(String.self)) ?? "closed")
                }
            )
            _ = try locator.resolve(Int.self)
        }
        scope.reset()
        #expect(await errors(closing: server) == [])
        #expect(await errors(closing: other) == [])
        #expect(callLog.entries == ["read", "read"])
    }

    @Test func `Two resets whose hooks close each other's locators end`() async throws {
        let other = Locator("other")
        let barrier = Barrier(2)
        for (locator, closed) in [(server, other), (other, server)] {
            locator.register(
                .lazy(.anywhere) { 1 }.onDispose { [callLog] _ async in
                    await barrier.arrive()
                    await closed.close()
                    callLog.record("-")
                }
            )
            _ = try locator.resolve(Int.self)
            try locator.resetInstance(of: Int.self)
        }
        #expect(await errors(closing: server) == [])
        #expect(await errors(closing: other) == [])
        while callLog.entries.count < 2 { await Task.yield() }
    }

    @Test func `Two scopes of two locators reset each other`() async throws {
        let other = Locator("other")
        let scopes = [Locator.Scope(), Locator.Scope()]
        for (index, locator) in [server, other].enumerated() {
            locator.register(
                .lazy(.anywhere) { 1 }.lifetime(.custom(FixedScope(value: scopes[index])))
                    .onDispose(isolation: nil) { [callLog] _ in
                        scopes[1 - index].reset()
                        callLog.record("-\(index)")
                    }
            )
            _ = try locator.resolve(Int.self)
        }
        scopes[0].reset()
        #expect(callLog.entries == ["-1", "-0"])
        #expect(await errors(closing: server) == [])
    }

    @Test func `A hook of a graph instance closes its locator`() async throws {
        server.register(
            .lazy(.anywhere) { 1 }.lifetime(.graph).onDispose { [server, callLog] _ async in
                await server.close()
                callLog.record("-")
            }
        )
        server.register(.volatile(.anywhere) { locator in "\(try locator.resolve(Int.self))" })
        _ = try server.resolve(String.self)
        #expect(await errors(closing: server) == [])
        #expect(callLog.entries == ["-"])
    }

    @Test func `A hook that waits for holds goes on when the close of an ancestor begins`() async throws {
        let child = server.child("request")
        child.register(
            .eager(1).onDispose { [begun] _ async in
                begun.set()
                await child.close()
            }
        )
        let hold = child.hold()
        child.unregister(Int.self)
        await begun.reached()
        for _ in 0..<100 { await Task.yield() }
        #expect(await errors(closing: server) == [])
        hold.release()
    }
}
