import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// One of several services of different types.
private final class Part<Name>: Sendable {
    private let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

private enum One {}
private enum Two {}
private enum Three {}
private enum Four {}
private enum Five {}
private enum Six {}
private enum Seven {}

private struct CurrentScopeLifetime: Locator.CustomLifetime {
    let current: @Sendable () -> Locator.Scope?
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { current() }
}

/// Retains the core of its locator.
private final class Holder: Sendable {
    let locator: Locator.Resolver
    init(_ locator: Locator.Resolver) { self.locator = locator }
}

private func closeAndWait(_ locator: Locator) {
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
        _ = await locator.close()
        ended.signal()
    }
    ended.wait()
}

/// Threads and tasks with lifetimes of several instances. Scaled and run as `StressTests`.
@Suite(.serialized) struct LifetimeStressTests {
    @Test func `8 threads and 64 tasks share one instance in every lifetime`() async {
        let rounds = Stress.rounds(500)
        let parent = Locator()
        let current = Guarded(Locator.Scope())
        let created = Tracked.Log()
        parent.register(.lazy(.anywhere) { Part<One>(created) }.lifetime(.perLocator))
        parent.register(
            .lazy(.anywhere) { Part<Two>(created) }.lifetime(.perLocator(named: "request"))
        )
        parent.register(
            .lazy(.anywhere) { (_, _: Int, _: String) in Part<Three>(created) }.lifetime(
                .perArgument
            )
        )
        parent.register(.lazy(.anywhere) { Part<Four>(created) }.lifetime(.weak))
        parent.register(
            .lazy(.anywhere) { Part<Five>(created) }.lifetime(
                CurrentScopeLifetime { current.value }
            )
        )
        parent.register(
            .lazy(.anywhere) {
                Part<Six>(created)
            }.lifetime(.composite(.custom(CurrentScopeLifetime { current.value }), .weak))
        )

        struct Round: Sendable {
            let number: Int
            let locator: Locator
            let seen = Guarded<[ObjectIdentifier: any Sendable]>([:])

            func resolve() {
                for instance in (try? instances()) ?? [] {
                    seen.withLock { $0[ObjectIdentifier(instance as AnyObject)] = instance }
                }
            }

            private func instances() throws -> [any Sendable] {
                [
                    try locator.resolve(Part<One>.self),
                    try locator.child().resolve(Part<Two>.self),
                    try locator.resolve(Part<Three>.self, arguments: number, "round"),
                    try locator.resolve(Part<Four>.self),
                    try locator.resolve(Part<Five>.self),
                    try locator.resolve(Part<Six>.self),
                    try locator.resolve(Part<Seven>.self),
                ]
            }
        }

        let round = Guarded<Round?>(nil)
        let (begin, end) = (Barrier(9), Barrier(9))
        let runner = Task {
            await onThreadsAsync(8) { _ in
                for _ in 0..<rounds {
                    begin.wait()
                    round.value?.resolve()
                    end.wait()
                }
            }
        }
        var failures = 0
        for number in 0..<rounds {
            let before = created.created
            let new = Round(number: number, locator: parent.child("request"))
            new.locator.register(.lazy(.anywhere) { Part<Seven>(created) })
            round.withLock { $0 = new }
            await begin.arrive()
            await withTaskGroup { group in
                for _ in 0..<64 { group.addTask { new.resolve() } }
            }
            await end.arrive()
            if new.seen.value.count != 7 || created.created - before != 7 { failures += 1 }
            new.seen.withLock { $0 = [:] }
            round.withLock { $0 = nil }
            current.withLock { $0 = Locator.Scope() }
            // A weak reference would find an instance whose release a reader delays.
        }
        await runner.value
        #expect(failures == 0)
    }

    @Test func `Registrations, instances and locators change while threads resolve`() async {
        let log = Tracked.Log()
        let parent = Locator("request")
        let scope = Guarded(Locator.Scope())
        let child = Guarded(parent.child())
        let wrong = Counter()
        let rounds = Stress.rounds(5_000)
        @Sendable func register(_ round: Int) {
            let currentScope = CurrentScopeLifetime { scope.value }
            let lifetimes: [Locator.Lifetime] = [
                .perLocator, .graph, .weak, .perLocator(named: "request"), .custom(currentScope), .volatile, .lazy,
                .composite(.perLocator, .weak),
            ]
            parent.register(.lazy(.anywhere) { Tracked(log) }.lifetime(lifetimes[round % lifetimes.count]))
            parent.register(.lazy(.anywhere) { (_, _: Int) in Tracked(log) }.lifetime(.perArgument))
        }
        register(0)
        await onThreadsAsync(6) { index in
            let holder = Locator.$shared.withValue(child.value) { Optject<Tracked>() }
            for round in 0..<rounds {
                do {
                    switch index {
                    case 0 where round % 8 == 0: register(round / 8)
                    case 0 where round % 128 == 1: parent.unregister(Tracked.self)
                    case 0: register(1 + round / 8)
                    case 1 where round % 4 == 0: child.withLock { $0 = parent.child() }
                    case 1 where round % 4 == 1: scope.withLock { $0 = Locator.Scope() }
                    case 1 where round % 4 == 2: scope.value.reset()
                    case 1: child.value.reset()
                    case 2 where round % 2 == 0: try? child.value.resetInstance(of: Tracked.self)
                    case 2: try? child.value.resetInstance(of: Tracked.self, arguments: round % 8)
                    case 3: _ = holder()
                    case 4: _ = try child.value.resolveOptional(Tracked.self, arguments: round % 8)
                    default: _ = try child.value.resolveOptional(Tracked.self)
                    }
                } catch InjectleError.wrongArguments {
                    // The two signatures are replaced one after the other, so one may be missing.
                } catch {
                    wrong.increment()
                }
            }
        }
        #expect(wrong.value == 0)
        child.withLock { $0 = Locator() }
        scope.withLock { $0 = Locator.Scope() }
        parent.reset()
        #expect(log.created > 0)
        #expect(log.alive == 0)
    }

    @Test func `Children end in every way while a registration of their parent is replaced`() async {
        let log = Tracked.Log()
        let parent = Locator("parent")
        let wrong = Counter()
        let rounds = Stress.rounds(4_000)
        @Sendable func register(disposing: Bool) {
            let registration = Locator.Registration.lazy(.anywhere) { Part<One>(log) }.lifetime(.perLocator)
            parent.register(disposing ? registration.onDispose { _ in } : registration)
        }
        @Sendable func resolve(_ child: Locator) {
            if (try? child.resolve(Part<One>.self)) == nil { wrong.increment() }
        }
        register(disposing: false)
        await onThreadsAsync(3) { index in
            for round in 0..<rounds {
                if index == 0 {
                    register(disposing: round % 3 == 0)
                    continue
                }
                let child = parent.child()
                for _ in 0...round % 4 { resolve(child) }
                switch round % 4 {
                case 0:
                    closeAndWait(child)
                case 1:
                    child.reset()
                    resolve(child)
                case 2:
                    // Its end releases the locator while the code of a closure has the core.
                    child.register(.lazy(.anywhere) { Holder($0) })
                    if (try? child.resolve(Holder.self)) == nil { wrong.increment() }
                default:
                    break
                }
            }
        }
        #expect(wrong.value == 0)
        parent.reset()
        #expect(await log.becomesEmpty())
    }

    @Test func `Threads share the instance of a Lazy with arguments`() async {
        let locator = Locator()
        locator.register(.volatile(.anywhere) { (_, _: Int) in Part<One>(.init()) })
        let wrong = Counter()
        let current = Guarded<Locator.Lazy<Part<One>>?>(nil)
        let seen = Guarded<Set<ObjectIdentifier>>([])
        let barrier = Barrier(4)
        let rounds = Stress.rounds(500)
        await onThreadsAsync(4) { index in
            for round in 0..<rounds {
                if index == 0 {
                    current.withLock { $0 = try? locator.resolve(Locator.Lazy<Part<One>>.self, arguments: round) }
                }
                barrier.wait()
                let part = try? current.value?()
                seen.withLock { seen in _ = part.map { seen.insert(ObjectIdentifier($0)) } }
                barrier.wait()
                if index == 0, seen.withLock({ $0.count }) != 1 || part == nil { wrong.increment() }
                if part == nil { wrong.increment() }
                barrier.wait()
                if index == 0 { seen.withLock { $0 = [] } }
            }
        }
        #expect(wrong.value == 0)
    }
}
