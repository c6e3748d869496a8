import InjectleTestSupport
import Testing

@testable import Injectle

private final class Bus: Sendable {}
private final class Engine: Sendable {}
private final class ViewModel: Sendable {}

private final class Level<Inner: Sendable>: Sendable {
    init(_: Inner) {}
}

/// Adding and removing behaviors, their order, and the calls that they may make.
@Suite struct BehaviorRegistrationTests {
    private let locator = Locator("parent")

    /// Returns a behavior that appends its name.
    private func named(_ name: String, in observed: Guarded<[String]>) -> EventCollector {
        EventCollector { _ in observed.withLock { $0.append(name) } }
    }

    // MARK: Order

    @Test func `Behaviors run child first and in order of addition`() throws {
        let observed = Guarded<[String]>([])
        let child = locator.child("child")
        let grandchild = child.child("grandchild")
        // Added in another order than the locators' order.
        child.add(named("child 1", in: observed))
        locator.add(named("parent 1", in: observed))
        grandchild.add(named("grandchild 1", in: observed))
        locator.add(named("parent 2", in: observed))
        grandchild.add(named("grandchild 2", in: observed))
        grandchild.register(.eager(Bus()))
        #expect(observed.value == ["grandchild 1", "grandchild 2", "child 1", "parent 1", "parent 2"])
        observed.withLock { $0 = [] }
        child.register(.eager(Bus()))
        #expect(observed.value == ["child 1", "parent 1", "parent 2"])
    }

    @Test func `Behaviors of a parent observe its work for a child`() throws {
        let child = locator.child("child")
        let (ofParent, ofChild) = (EventCollector(), EventCollector())
        locator.add(ofParent)
        child.add(ofChild)
        locator.register(.lazy { Bus() })
        _ = try child.resolve(Bus.self)
        #expect(ofParent.kinds == [.didRegister, .willCreate, .didCreate, .didResolve])
        #expect(ofParent.events.map(\.locatorName) == ["parent", "parent", "parent", "child"])
        #expect(ofChild.kinds == [.didResolve])
    }

    @Test func `Behaviors observe locators that are created later`() throws {
        let collector = EventCollector()
        locator.add(collector)
        locator.register(.eager(Bus()))
        let grandchild = locator.child().child("grandchild")
        collector.clear()
        _ = try grandchild.resolve(Bus.self)
        #expect(collector.events.map(\.locatorName) == ["grandchild"])
        let ofResolver = try grandchild.resolve(Locator.Resolver.self).child("of a resolver")
        _ = try ofResolver.resolve(Bus.self)
        #expect(collector.events.last?.locatorName == "of a resolver")
    }

    @Test func `A behavior added twice receives each event twice`() {
        let collector = EventCollector()
        let first = locator.add(collector)
        locator.add(collector)
        locator.register(.eager(Bus()))
        #expect(collector.kinds == [.didRegister, .didRegister])
        first.remove()
        first.remove()
        locator.unregisterService(Bus.self)
        #expect(collector.kinds == [.didRegister, .didRegister, .didUnregister])
    }

    @Test func `A removed behavior receives no further events`() throws {
        let (first, second, ofChild) = (EventCollector(), EventCollector(), EventCollector())
        let child = locator.child()
        let observation = locator.add(first)
        let another = locator.add(second)
        let third = child.add(ofChild)
        locator.register(.eager(Bus()))
        observation.remove()
        _ = try child.resolve(Bus.self)
        #expect(first.kinds == [.didRegister])
        #expect(second.kinds == [.didRegister, .didResolve])
        another.remove()
        _ = try (child.resolve(Bus.self), locator.resolve(Bus.self))
        #expect(second.kinds == [.didRegister, .didResolve])
        #expect(ofChild.kinds == [.didResolve, .didResolve])
        third.remove()
        _ = try child.resolve(Bus.self)
        #expect(ofChild.kinds == [.didResolve, .didResolve])
    }

    @Test func `The fast read path returns once no behavior observes`() {
        let child = locator.child()
        let cores = [locator.core, child.core]
        func isPlain() -> [Bool] { cores.map { $0.isPlain } }
        #expect(isPlain() == [true, true])
        let ofChild = child.add(EventCollector())
        #expect(isPlain() == [true, false])
        let ofParent = locator.add(EventCollector())
        #expect(isPlain() == [false, false])
        let grandchild = child.child()
        #expect(!grandchild.core.isPlain)
        ofChild.remove()
        #expect(isPlain() == [false, false])
        ofParent.remove()
        #expect(isPlain() == [true, true])
        #expect(grandchild.core.isPlain)
        let later = child.child()
        #expect(later.core.isPlain)
    }

    // MARK: Memory

    @Test func `A behavior handle does not retain the locator`() {
        var locator: Locator? = Locator()
        weak var weakly: Locator?
        weakly = locator
        let observation = locator?.add(EventCollector())
        locator = nil
        #expect(weakly == nil)
        observation?.remove()
    }

    @Test func `A behavior lives until its removal or the end of the locator`() throws {
        final class Keeping: Locator.Behavior {
            let tracked: Tracked
            let resolver: Locator.Resolver?
            init(_ log: Tracked.Log, _ resolver: Locator.Resolver? = nil) {
                tracked = Tracked(log)
                self.resolver = resolver
            }
            func handle(_ event: Locator.Event) {}
        }
        let log = Tracked.Log()
        let observation = locator.add(Keeping(log))
        #expect(log.alive == 1)
        observation.remove()
        #expect(log.alive == 0)
        do {
            let locator = Locator()
            locator.add(Keeping(log))
            // This behavior refers to the core.
            locator.add(Keeping(log, try locator.resolve()))
            #expect(log.alive == 2)
        }
        #expect(log.alive == 0)
    }

    // MARK: Reentrancy

    @Test func `Events caused by a behavior reach no behavior`() throws {
        let locator = locator
        let child = locator.child()
        let observed = EventCollector()
        let acting = EventCollector { [weak locator, weak child] _ in
            guard let locator, let child else { return }
            _ = try? locator.resolve(Engine.self)
            child.register(.volatile { Engine() })
            _ = try? child.resolve(Engine.self)
            child.reset()
            locator.register(.lazy { 1 })
            _ = try? locator.resolve(Int.self)
        }
        locator.register(.volatile { Engine() })
        locator.register(.lazy { Bus() })
        locator.add(acting)
        locator.add(observed)
        _ = try locator.resolve(Bus.self)
        locator.unregisterService(Bus.self)
        let kinds: [Locator.Event.Kind] = [.willCreate, .didCreate, .didResolve, .didUnregister]
        #expect(acting.kinds == kinds)
        #expect(observed.kinds == kinds)
    }

    @Test func `Events caused on the main actor by a behavior reach none`() async throws {
        let locator = locator
        let acting = EventCollector { [weak locator] event in
            guard let locator else { return }
            if event.identity.type == Bus.self { _ = try? locator.resolve(ViewModel.self) }
        }
        locator.register(.volatile(.main) { ViewModel() })
        locator.register(.eager(Bus()))
        locator.add(acting)
        _ = await onAnotherThread { try? locator.resolve(Bus.self) }
        #expect(acting.kinds == [.didResolve])
    }

    @Test func `A behavior added during an event receives the next event`() throws {
        let locator = locator
        let later = EventCollector()
        let added = Guarded<Locator.BehaviorHandle?>(nil)
        let adding = EventCollector { [weak locator] _ in
            if added.value == nil { added.withLock { $0 = locator?.add(later) } }
        }
        locator.add(adding)
        locator.register(.eager(Bus()))
        #expect(later.kinds == [])
        _ = try locator.resolve(Bus.self)
        #expect(later.kinds == [.didResolve])
        added.value?.remove()
    }

    @Test func `A behavior can remove itself`() throws {
        let own = Guarded<Locator.BehaviorHandle?>(nil)
        let collector = EventCollector { _ in own.value?.remove() }
        own.withLock { [locator] in $0 = locator.add(collector) }
        let after = EventCollector()
        locator.add(after)
        locator.register(.eager(Bus()))
        _ = try locator.resolve(Bus.self)
        #expect(collector.kinds == [.didRegister])
        #expect(after.kinds == [.didRegister, .didResolve])
    }

    @Test func `A behavior that removes itself lives until its call returns`() {
        final class Leaving: Locator.Behavior {
            let handle = Guarded<Locator.BehaviorHandle?>(nil)
            let aliveAfterRemoval = Guarded<Int?>(nil)
            let log: Tracked.Log
            let tracked: Tracked
            init(_ log: Tracked.Log) {
                self.log = log
                tracked = Tracked(log)
            }
            func handle(_ event: Locator.Event) {
                guard event.kind == .didRegister else { return }
                handle.value?.remove()
                aliveAfterRemoval.withLock { $0 = log.alive }
            }
        }
        let log = Tracked.Log()
        let alive: Guarded<Int?>
        do {
            let behavior = Leaving(log)
            alive = behavior.aliveAfterRemoval
            let handle = locator.add(behavior)
            behavior.handle.withLock { $0 = handle }
        }
        locator.register(.eager(Bus()))
        #expect(alive.value == 1)
        #expect(log.alive == 0)
    }

    @Test func `Events of long chains reach the behaviors of all ancestors`() throws {
        var last = locator
        var collectors: [EventCollector] = []
        for _ in 0..<5 {
            let collector = EventCollector()
            last.add(collector)
            collectors.append(collector)
            last = last.child()
        }
        // It removes itself where the thread can hold no more objects, so that the sender alone keeps it.
        let handle = Guarded<Locator.BehaviorHandle?>(nil)
        let leaving = EventCollector { event in
            if event.path.count == 40 { handle.value?.remove() }
        }
        handle.withLock { [locator] in $0 = locator.add(leaving) }
        // Each inline creation holds its entry, until the thread can hold no more objects.
        func register<Inner: Sendable>(_: Inner.Type, below count: Int) -> (Locator) throws -> Void {
            locator.register(.volatile(.anywhere) { locator in Level<Inner>(try locator.resolve()) })
            if count == 0 { return { _ = try $0.resolve(Level<Inner>.self) } }
            return register(Level<Inner>.self, below: count - 1)
        }
        locator.register(.volatile(.anywhere) { Engine() })
        let resolve = register(Engine.self, below: 38)
        try resolve(last)
        for collector in collectors {
            #expect(collector.kinds.count { $0 == .didCreate } == 40)
            #expect(collector.kinds.count { $0 == .didResolve } == 40)
        }
    }

    @Test func `No lock is held while a behavior runs`() async throws {
        let locator = locator
        let answers = Counter()
        // Another thread would deadlock on a lock held here.
        let collector = EventCollector { [weak locator] event in
            guard let locator else { return }
            onThreads(1) { _ in
                locator.child().register(.eager(Engine()))
                locator.register(.eager(Engine()), key: "\(event.kind)")
                locator.unregisterService(withKey: "\(event.kind)")
                if locator.isRegistered(Int.self), (try? locator.resolve(Int.self)) == 1 { answers.increment() }
            }
        }
        locator.register(.eager(1))
        // Ignores the events of the other thread, which would recurse.
        locator.add(Once(collector))
        await onAnotherThread {
            locator.register(.lazy { Bus() })
            _ = try? locator.resolve(Bus.self)
            locator.register(.lazy(.main) { ViewModel() })
            _ = try? locator.resolve(ViewModel.self)
            locator.unregisterService(Bus.self)
        }
        let kinds: [Locator.Event.Kind] = [
            .didRegister, .willCreate, .didCreate, .didResolve,
            .didRegister, .willCreate, .didCreate, .didWait, .didResolve, .didUnregister,
        ]
        #expect(collector.kinds == kinds)
        #expect(answers.value == kinds.count)
    }

    /// Forwards events, but not those that occur during the forwarding.
    private final class Once: Locator.Behavior {
        private let collector: EventCollector
        private let isForwarding = Guarded(false)

        init(_ collector: EventCollector) { self.collector = collector }

        func handle(_ event: Locator.Event) {
            let isFirst = isForwarding.withLock { isForwarding in
                defer { isForwarding = true }
                return !isForwarding
            }
            guard isFirst else { return }
            collector.handle(event)
            isForwarding.withLock { $0 = false }
        }
    }

    // MARK: Many threads

    @Test func `Behaviors come and go while threads resolve`() async throws {
        let rounds = 1_000
        let locator = locator
        let child = locator.child()
        let observed = Counter()
        locator.register(.lazy(.anywhere) { Bus() })
        locator.register(.volatile(.anywhere) { Engine() })
        locator.add(
            Counting { event in
                if event.kind == .didResolve { observed.increment() }
            }
        )
        let property = Locator.$shared.withValue(locator) { Inject<Bus>() }
        await onThreadsAsync(4) { thread in
            for round in 0..<rounds {
                switch thread {
                case 0:
                    let observation = (round % 2 == 0 ? locator : child).add(Counting { _ in })
                    observation.remove()
                case 1:
                    _ = property()
                    if round % 10 == 0 { _ = try? locator.child().resolve(Bus.self) }
                default:
                    _ = try? child.resolve(Bus.self)
                    _ = try? locator.resolve(Engine.self)
                }
            }
        }
        // The first behavior was present all the time and observed every event.
        #expect(observed.value == rounds + rounds / 10 + 4 * rounds)
    }

    @Test func `The fast read path returns after concurrent removal`() async throws {
        let locator = locator
        let child = locator.child().child()
        locator.register(.lazy(.anywhere) { Bus() })
        for _ in 0..<200 {
            await onThreadsAsync(3) { thread in
                switch thread {
                case 0: locator.add(Counting { _ in }).remove()
                case 1: child.add(Counting { _ in }).remove()
                default: _ = locator.child().child()
                }
            }
            #expect(locator.core.isPlain)
            #expect(child.core.isPlain)
        }
        let collector = EventCollector()
        await onThreadsAsync(2) { thread in
            if thread == 0 { locator.add(collector) } else { child.add(Counting { _ in }).remove() }
        }
        _ = try child.resolve(Bus.self)
        #expect(collector.events(.didResolve).count == 1)
    }

    /// Runs a closure for each event without storing it.
    private struct Counting: Locator.Behavior {
        let count: @Sendable (Locator.Event) -> Void
        func handle(_ event: Locator.Event) { count(event) }
    }
}
