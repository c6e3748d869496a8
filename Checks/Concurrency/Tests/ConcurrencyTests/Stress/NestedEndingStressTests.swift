import Injectle
import InjectleTestSupport
import Testing

private struct FixedScope: Locator.CustomLifetime {
    let value: Locator.Scope
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { value }
}

/// A service that has to be disposed of before the services that it uses.
private final class Part: Sendable {
    let isDisposed = Guarded(false)
    let used: Part?
    private let tracked: Tracked

    init(_ log: Tracked.Log, using used: Part? = nil) {
        (self.used, tracked) = (used, Tracked(log))
    }

    /// Returns whether the service that it uses is alive.
    func dispose() -> Bool {
        isDisposed.withLock { $0 = true }
        return used?.isDisposed.value != true
    }
}

private struct Pool: Sendable { let part: Part }
private struct Sessions: Sendable { let part: Part }
private struct Requests: Sendable { let part: Part }
private struct Steps: Sendable { let part: Part }

/// Resets, scopes, graphs, holds and closes end instances at once.
@Suite struct NestedEndingStressTests {
    private let rounds = Stress.rounds(300)

    @Test(.timeLimit(.minutes(5)))
    func `Each service is disposed of before its close returns, and before the services that it uses`() async {
        let log = Tracked.Log()
        let (early, late) = (Counter(), Counter())
        for round in 0..<rounds {
            let server = Locator("server")
            let scope = Locator.Scope()
            let isClosed = Guarded(false)
            @Sendable func end(_ part: Part) async {
                if round % 3 == 0 { await Task.yield() }
                if !part.dispose() { early.increment() }
                if isClosed.value { late.increment() }
            }
            server.register(.lazy(.anywhere) { Pool(part: Part(log)) }.onDispose { await end($0.part) })
            server.register(
                .lazy(.anywhere) { locator in Sessions(part: Part(log, using: try locator.resolve(Pool.self).part)) }
                    .lifetime(.custom(FixedScope(value: scope))).onDispose { await end($0.part) }
            )
            server.register(
                .lazy(.anywhere) { locator in Requests(part: Part(log, using: try locator.resolve(Pool.self).part)) }
                    .lifetime(.perLocator).onDispose { await end($0.part) }
            )
            server.register(
                .lazy(.anywhere) { locator in Steps(part: Part(log, using: try locator.resolve(Pool.self).part)) }
                    .lifetime(.graph).onDispose { await end($0.part) }
            )
            server.register(
                .volatile(.anywhere) { locator in
                    _ = try locator.resolve(Steps.self); return round
                }
            )
            _ = try? server.resolve(Pool.self)
            await withTaskGroup { group in
                group.addTask {
                    for _ in 0..<4 {
                        _ = try? server.resolve(Sessions.self)
                        scope.reset()
                        await Task.yield()
                    }
                }
                group.addTask {
                    for _ in 0..<4 {
                        let child = server.child("request")
                        let hold = child.hold()
                        _ = try? child.resolve(Requests.self)
                        _ = try? child.resolve(Int.self)
                        async let closed = child.close()
                        try? child.resetInstance(of: Requests.self)
                        hold.release()
                        _ = await closed
                    }
                }
                group.addTask {
                    for _ in 0..<4 {
                        await server.withChild("request") { child in
                            _ = try? child.resolve(Requests.self)
                            let hold = child.hold()
                            Task { await hold.run { child in _ = try? child.resolve(Int.self) } }
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<round % 4 { await Task.yield() }
                    if round % 2 == 0 { server.unregister(Requests.self) }
                    await server.close()
                    isClosed.withLock { $0 = true }
                }
            }
        }
        #expect(early.value == 0)
        #expect(late.value == 0)
        #expect(await log.becomesEmpty())
    }

    @Test(.timeLimit(.minutes(5)))
    func `Hooks that reset, close and hold each other's locators end`() async {
        for round in 0..<rounds {
            let locators = [Locator("first"), Locator("second")]
            let scopes = [Locator.Scope(), Locator.Scope()]
            for index in 0..<2 {
                locators[index].register(
                    .lazy(.anywhere) { round }.lifetime(.custom(FixedScope(value: scopes[index])))
                        .onDispose { _ async in
                            scopes[1 - index].reset()
                            await locators[(index + round) % 2].close()
                        }
                )
                locators[index].register(
                    .lazy(.anywhere) { () -> String in "\(round)" }.onDispose { _ async in
                        _ = await locators[1 - index].hold().run { await $0.close() }
                    }
                )
                _ = try? (locators[index].resolve(Int.self), locators[index].resolve(String.self))
            }
            await withTaskGroup { group in
                for index in 0..<2 {
                    group.addTask { scopes[index].reset() }
                    group.addTask { try? locators[index].resetInstance(of: String.self) }
                    group.addTask { await locators[index].close() }
                }
            }
        }
    }

    @Test func `Nested scopes end on a thread with 512 KB`() async {
        let log = Tracked.Log()
        let isDone = await onAnotherThreadInTime(stackSize: 512 << 10) {
            final class Level: Sendable {
                let scope = Locator.Scope()
                let inner: Level?
                let tracked: Tracked
                init(_ inner: Level?, _ log: Tracked.Log) { (self.inner, tracked) = (inner, Tracked(log)) }
            }
            let locator = Locator()
            let scope = Guarded(Locator.Scope())
            let outer = scope.value
            struct Current: Locator.CustomLifetime {
                let scope: Guarded<Locator.Scope>
                func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope.value }
            }
            locator.register(
                .lazy(.anywhere) { Level(nil, log) }.lifetime(.custom(Current(scope: scope)))
                    .onDispose(isolation: nil) { level in level.scope.reset() }
            )
            for _ in 0..<5_000 {
                guard let level = try? locator.resolve(Level.self) else { return false }
                scope.withLock { $0 = level.scope }
            }
            outer.reset()
            return true
        }
        #expect(isDone == true)
        #expect(await log.becomesEmpty())
    }

    @Test func `Scopes within scopes are released on a thread with 512 KB`() async {
        let log = Tracked.Log()
        let isDone = await onAnotherThreadInTime(stackSize: 512 << 10) {
            final class Level: Sendable {
                let scope = Locator.Scope()
                let tracked: Tracked
                init(_ log: Tracked.Log) { tracked = Tracked(log) }
            }
            let locator = Locator()
            var outer: Locator.Scope? = Locator.Scope()
            let scope = Guarded(outer)
            struct Current: Locator.CustomLifetime {
                let scope: Guarded<Locator.Scope?>
                func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope.value }
            }
            locator.register(.lazy(.anywhere) { Level(log) }.lifetime(.custom(Current(scope: scope))))
            for _ in 0..<5_000 {
                guard let level = try? locator.resolve(Level.self) else { return false }
                scope.withLock { $0 = level.scope }
            }
            scope.withLock { $0 = nil }
            outer = nil
            return outer == nil
        }
        #expect(isDone == true)
        #expect(await log.becomesEmpty())
    }
}
