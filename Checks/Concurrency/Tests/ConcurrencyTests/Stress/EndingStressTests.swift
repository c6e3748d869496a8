import Injectle
import InjectleTestSupport
import Testing

private final class Session: Sendable {
    @TaskLocal static var scope: Locator.Scope?
}

private struct SessionLifetime: Locator.CustomLifetime {
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { Session.scope }
}

private final class Wrapped: Sendable {
    let number: Int
    let inner: Wrapped?
    private let tracked: Tracked

    init(_ number: Int, of inner: Wrapped? = nil, _ log: Tracked.Log) {
        (self.number, self.inner, tracked) = (number, inner, Tracked(log))
    }
}

/// Endings race with registrations, requests and other endings.
@Suite struct EndingStressTests {
    private let rounds = Stress.rounds(500)

    @Test func `A resolve returns no instance that another locator has disposed of`() async {
        final class Service: Sendable { let isDisposed = Guarded(false) }
        let locator = Locator()
        locator.register(
            .lazy(.anywhere) { Service() }.lifetime(.composite(.perLocator, .weak))
                .onDispose(isolation: nil) { service in service.isDisposed.withLock { $0 = true } }
        )
        let (one, other) = (locator.child(), locator.child())
        let disposed = Counter()
        let rounds = 20 * rounds
        await onThreadsAsync(2) { thread in
            for _ in 0..<rounds {
                let child = thread == 0 ? one : other
                // Only this thread resets the child, which owns the service until then.
                if (try? child.resolve(Service.self).isDisposed.value) != false { disposed.increment() }
                child.reset()
            }
        }
        #expect(disposed.value == 0)
    }

    @Test func `A handle removes no later registration`() async {
        let locator = Locator()
        let lost = Counter()
        for round in 0..<rounds {
            let handle = locator.register(.eager(-1))
            await onThreadsAsync(2) { thread in
                if thread == 0 { handle.remove() } else { locator.register(.eager(round)) }
            }
            if (try? locator.resolve(Int.self)) != round { lost.increment() }
        }
        #expect(lost.value == 0)
    }

    @Test func `A reset ends no instance of a later registration`() async {
        let (wrong, alive) = (Counter(), Tracked.Log())
        for _ in 0..<rounds {
            let locator = Locator()
            let disposed = Counter()
            // The reset has something to look through.
            for key in 0..<8 { locator.register(.eager(key), key: key) }
            await onThreadsAsync(2) { thread in
                if thread == 0 { return locator.reset() }
                locator.register(.eager(Tracked(alive)).onDispose { _ in disposed.increment() })
            }
            if locator.isRegistered(Tracked.self) != (disposed.value == 0) { wrong.increment() }
        }
        #expect(wrong.value == 0)
        #expect(await alive.becomesEmpty())
    }

    @Test func `Concurrent endings give up a shared instance once`() async {
        let early = Counter()
        for _ in 0..<rounds {
            let (first, second) = (Locator(), Locator())
            let disposed = Counter()
            let registration = Locator.Registration.eager("shared").onDispose { _ in disposed.increment() }
            first.register(registration)
            second.register(registration)
            await onThreadsAsync(3) { thread in
                if thread == 0 { first.unregister(String.self) } else { first.reset() }
            }
            if disposed.value > 0 { early.increment() }
            second.reset()
            #expect(disposed.value == 1)
        }
        #expect(early.value == 0)
    }

    @Test func `A removal ends the instances of scopes that are reset meanwhile`() async {
        let log = Tracked.Log()
        let missed = Counter()
        for _ in 0..<rounds {
            let (locator, scope) = (Locator(), Locator.Scope())
            locator.register(.lazy(.anywhere) { Tracked(log) }.lifetime(.custom(SessionLifetime())))
            Session.$scope.withValue(scope) { _ = try? locator.resolve(Tracked.self) }
            await onThreadsAsync(3) { thread in
                if thread == 0 { return scope.reset() }
                Session.$scope.withValue(scope) { for _ in 0..<4 { _ = try? locator.resolve(Tracked.self) } }
            }
            locator.unregister(Tracked.self)
            if log.alive > 0 { missed.increment() }
            scope.reset()
        }
        #expect(missed.value == 0)
        #expect(await log.becomesEmpty())
    }

    @Test func `Decorated services are replaced, decorated and resolved`() async {
        let log = Tracked.Log()
        do {
            let locator = Locator()
            @Sendable func register(_ number: Int) {
                locator.register(.lazy(.anywhere) { Wrapped(number, log) })
            }
            register(0)
            let rounds = rounds
            await onThreadsAsync(4) { thread in
                for round in 0..<rounds {
                    switch thread {
                    case 0: register(round)
                    case 1:
                        // However far this thread is ahead, an instance is wrapped fewer times than dependencies may be
                        // deep.
                        if round % 100 == 0 { register(round) }
                        locator.decorate(Wrapped.self, isolation: nil) { Wrapped($0.number, of: $0, log) }
                    default: #expect(throws: Never.self) { try locator.resolve(Wrapped.self) }
                    }
                }
            }
            register(-1)
            #expect(throws: Never.self) { try locator.resolve(Wrapped.self).number == -1 }
            #expect(locator.registrations.count == 1)
            #expect(log.alive == 1)
        }
        #expect(await log.becomesEmpty())
    }

    @Test(.timeLimit(.minutes(5)))
    func `Cancelled waiters and replacements leave nothing behind`() async {
        let log = Tracked.Log()
        do {
            let locator = Locator()
            @Sendable func register() {
                locator.register(
                    .lazy(.anywhere) { () async throws in
                        await Task.yield()
                        try Task.checkCancellation()
                        return Tracked(log)
                    }.onDispose { _ async in }
                )
            }
            register()
            for _ in 0..<max(1, rounds / 4) {
                await withTaskGroup { group in
                    for number in 0..<6 {
                        group.addTask {
                            let task = Task { try await locator.resolveAsync(Tracked.self) }
                            if number % 2 == 0 { task.cancel() }
                            let result = await task.result
                            if number % 2 == 1 { #expect(throws: Never.self) { try result.get() } }
                        }
                    }
                    group.addTask { register() }
                }
            }
            await locator.close()
        }
        #expect(await log.becomesEmpty())
    }
}
