import InjectleTestSupport
import Testing

@testable import Injectle

private final class Bus: Sendable {}
private final class Engine: Sendable {}
private final class ViewModel: Sendable {}

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
}
