import InjectleTestSupport
import Testing

@testable import Injectle

private final class Bus: Sendable {}
private struct Broken: Error {}

/// Behaviors that observe some kinds of events, or one locator alone.
@Suite struct BehaviorSelectionTests {
    private let locator = Locator("garage")

    /// Collects the kinds of all events that it receives, and observes some.
    private struct Selecting: Locator.Behavior {
        let observedKinds: Set<Locator.Event.Kind>
        let received = Guarded<[Locator.Event]>([])

        init(_ kinds: Set<Locator.Event.Kind>) { observedKinds = kinds }

        var kinds: [Locator.Event.Kind] { received.value.map(\.kind) }

        func handle(_ event: Locator.Event) { received.withLock { $0.append(event) } }
    }

    private func allowsFastReads(_ locator: Locator) -> Bool { locator.core.allowsFastReads }

    /// Causes an event of each kind.
    private func causeEvents(in locator: Locator) throws {
        locator.register(.lazy { Bus() }.onDispose { _ in throw Broken() })
        _ = try locator.resolve(Bus.self)
        locator.reset()
    }

    // MARK: Kinds

    @Test(arguments: Locator.Event.Kind.all)
    func `A behavior receives only the kinds that it observes`(kind: Locator.Event.Kind) throws {
        let (all, one) = (Selecting(Locator.Event.Kind.all), Selecting([kind]))
        locator.add(all)
        locator.add(one)
        try causeEvents(in: locator)
        #expect(Set(all.kinds) == Locator.Event.Kind.all)
        #expect(one.kinds == [kind])
    }

    @Test func `All kinds have their names`() {
        let names = ["didCreate", "didDispose", "didRegister", "didResolve", "didUnregister", "willCreate"]
        #expect(Locator.Event.Kind.all.map(\.description).sorted() == names)
    }

    @Test func `A behavior observes all kinds by default`() {
        struct Silent: Locator.Behavior {
            func handle(_ event: Locator.Event) {}
        }
        #expect(Silent().observedKinds == Locator.Event.Kind.all)
    }

    @Test func `Reads stay fast unless a behavior observes them`() throws {
        let child = locator.child()
        let creations = locator.add(Selecting([.willCreate, .didCreate, .didDispose]))
        #expect(allowsFastReads(locator) && allowsFastReads(child))
        let reads = child.add(Selecting([.didResolve]))
        #expect(allowsFastReads(locator) && !allowsFastReads(child))
        creations.remove()
        #expect(!allowsFastReads(child))
        reads.remove()
        #expect(allowsFastReads(child))
    }

    @Test func `The kinds of a child and its ancestors add up`() throws {
        let child = locator.child()
        let (ofParent, ofChild) = (Selecting([.willCreate]), Selecting([.didResolve]))
        locator.add(ofParent)
        child.add(ofChild)
        try causeEvents(in: child)
        #expect(ofParent.kinds == [.willCreate])
        #expect(ofChild.kinds == [.didResolve])
    }

    @Test func `A failed disposal is observed without other events`() throws {
        let failures = Selecting([.didDispose])
        locator.add(failures)
        try causeEvents(in: locator)
        let error = try #require(failures.received.value.first?.failure as? InjectleError)
        #expect(error.underlying is Broken)
        #expect(failures.kinds == [.didDispose])
    }

    // MARK: Scope

    @Test func `A behavior can observe a locator without its descendants`() throws {
        let before = locator.child()
        let selecting = Selecting(Locator.Event.Kind.all)
        locator.add(selecting, observesDescendants: false)
        let later = locator.child().child()
        for child in [before, later] {
            #expect(allowsFastReads(child))
            try causeEvents(in: child)
        }
        #expect(selecting.kinds == [])
        #expect(!allowsFastReads(locator))
        try causeEvents(in: locator)
        #expect(Set(selecting.kinds) == Locator.Event.Kind.all)
    }

    @Test func `Behaviors with and without descendants are independent`() throws {
        let child = locator.child("child")
        let (own, below) = (Selecting([.didResolve]), Selecting([.didRegister]))
        let observation = locator.add(own, observesDescendants: false)
        locator.add(below)
        try causeEvents(in: child)
        try causeEvents(in: locator)
        #expect(own.received.value.map(\.locatorName) == ["garage"])
        #expect(below.received.value.map(\.locatorName) == ["child", "garage"])
        observation.remove()
        try causeEvents(in: locator)
        #expect(own.kinds == [.didResolve])
        #expect(below.kinds == [.didRegister, .didRegister, .didRegister])
    }
}
