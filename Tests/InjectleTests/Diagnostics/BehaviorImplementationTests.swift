import InjectleTestSupport
import Testing

@testable import Injectle

private final class Bus: Sendable {}
private final class Tram: Sendable {}
private struct Broken: Error {}

/// Behaviors that implement some of the functions.
@Suite struct BehaviorImplementationTests {
    private let locator = Locator("garage")

    private struct Silent: Locator.Behavior {}

    private struct Creations: Locator.Behavior {
        let received = Guarded<[Locator.Event]>([])

        func didCreate(_ event: Locator.Event) { received.withLock { $0.append(event) } }
    }

    /// Passes each event on to another behavior.
    private struct Forwarding: Locator.Behavior {
        let target: any Locator.Behavior

        func handle(_ event: Locator.Event) { target.handle(event) }
    }

    /// Passes events to its own functions, which it has only by default, and also counts them.
    private struct Counting: Locator.Behavior {
        let count = Guarded(0)

        func handle(_ event: Locator.Event) {
            count.withLock { $0 += 1 }
            didRegister(event)
            didResolve(event)
        }
    }

    /// Delivers an earlier event of another kind to itself.
    private final class Repeating: Locator.Behavior {
        let created = Guarded(0)
        let earlier = Guarded<Locator.Event?>(nil)

        func didRegister(_ event: Locator.Event) {}

        func didCreate(_ event: Locator.Event) {
            created.withLock { $0 += 1 }
            guard let event = earlier.value else { return }
            handle(event)
            didResolve(event)
        }
    }

    private func observes(_ kinds: EventKinds, _ locator: Locator? = nil) -> Bool {
        (locator ?? self.locator).core.observes(kinds)
    }

    private func causeEvents(in locator: Locator) throws {
        locator.register(.lazy { Bus() }.onDispose { _ in throw Broken() })
        _ = try locator.resolve(Bus.self)
        locator.reset()
    }

    @Test func `A behavior costs only the kinds that it implements`() throws {
        let creations = Creations()
        locator.add(creations)
        locator.register(.volatile { Bus() })
        #expect(observes(.didResolve))
        _ = try locator.resolve(Bus.self)
        #expect(!observes(.didRegister.union(.willCreate).union(.didResolve)))
        #expect(observes(EventKinds(.didCreate)))
        for _ in 0..<3 { _ = try locator.resolve(Bus.self) }
        #expect(creations.received.value.map(\.kind) == Array(repeating: .didCreate, count: 4))
    }

    @Test func `Reads are fast after the first one that a behavior ignores`() throws {
        locator.register(.eager(Bus()))
        let child = locator.child()
        locator.add(Silent())
        _ = try child.resolve(Bus.self)
        for locator in [locator, child] {
            #expect(!observes(.didResolve, locator))
            #expect(LocatorHeader.isPlain(locator.core.header))
        }
    }

    @Test func `Other behaviors receive a kind that one of them ignores`() throws {
        let (creations, log) = (Creations(), Guarded<[String]>([]))
        locator.add(creations)
        let child = locator.child()
        child.add(Silent())
        child.add(Locator.Log([.didResolve]) { line in log.withLock { $0.append(line) } })
        child.register(.lazy { Bus() })
        for _ in 0..<3 { _ = try child.resolve(Bus.self) }
        #expect(log.value.count == 3)
        #expect(creations.received.value.count == 1)
        #expect(observes(.didResolve, child) && observes(EventKinds(.didCreate), child))
    }

    @Test func `A handle removes a behavior that ignores a kind`() throws {
        let creations = Creations()
        let handle = locator.add(creations)
        locator.register(.volatile { Bus() })
        _ = try locator.resolve(Bus.self)
        handle.remove()
        _ = try locator.resolve(Bus.self)
        #expect(creations.received.value.count == 1)
        #expect(!observes(EventKinds(Locator.Event.Kind.all)))
    }

    @Test func `A behavior that handles all events receives all`() throws {
        for target: any Locator.Behavior in [Silent(), Creations(), Forwarding(target: Silent())] {
            let locator = Locator()
            locator.add(Forwarding(target: target))
            for _ in 0..<2 { try causeEvents(in: locator) }
            for kind in Locator.Event.Kind.all { #expect(observes(EventKinds(kind), locator), "\(kind)") }
        }
        let counting = Counting()
        locator.add(counting)
        for _ in 0..<2 { try causeEvents(in: locator) }
        #expect(counting.count.value == 12)
    }

    @Test func `A function is not taken for the default one of another kind`() throws {
        let (repeating, all) = (Repeating(), Guarded<[Locator.Event]>([]))
        struct Collecting: Locator.Behavior {
            let all: Guarded<[Locator.Event]>
            func handle(_ event: Locator.Event) { all.withLock { $0.append(event) } }
        }
        locator.add(Collecting(all: all))
        locator.register(.eager(Tram()))
        _ = try locator.resolve(Tram.self)
        let resolved = try #require(all.value.last { $0.kind == .didResolve })
        repeating.earlier.withLock { $0 = resolved }
        locator.add(repeating)
        locator.register(.volatile { Bus() })
        for _ in 0..<3 { _ = try locator.resolve(Bus.self) }
        #expect(repeating.created.value == 3)
    }

    @Test func `The error of a hook is written to standard error unless a behavior receives it`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            struct Failures: Locator.Behavior {
                func didDispose(_ event: Locator.Event) {}
            }
            struct Others: Locator.Behavior {}
            struct Failed: Error { let number: Int }
            for (number, behavior) in ([Others(), Failures(), Others()] as [any Locator.Behavior]).enumerated() {
                let locator = Locator()
                locator.add(behavior)
                for repetition in 0..<2 {
                    locator.register(.eager(Bus()).onDispose { _ in throw Failed(number: 10 * number + repetition) })
                    locator.reset()
                }
            }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        for number in [0, 1, 20, 21] { #expect(text.contains("Failed(number: \(number))")) }
        for number in [10, 11] { #expect(!text.contains("Failed(number: \(number))")) }
    }

    @Test func `The error of a hook that runs by an action of a behavior is written to standard error`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            struct Failures: Locator.Behavior {
                func didDispose(_ event: Locator.Event) { fatalError("Actions of behaviors send no events.") }
            }
            struct Resetting: Locator.Behavior {
                let other: Locator

                func didRegister(_ event: Locator.Event) { other.reset() }
            }
            struct Failed: Error { let number: Int }
            let (locator, other) = (Locator(), Locator())
            other.register(.eager(Bus()).onDispose { _ in throw Failed(number: 7) })
            other.add(Failures())
            locator.add(Resetting(other: other))
            locator.register(.eager(Tram()))
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("Failed(number: 7)"))
    }

    @Test func `Threads find out what a behavior ignores while others add some`() async throws {
        let locator = locator
        locator.register(.volatile { Bus() })
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<200 {
                        let (creations, child) = (Creations(), locator.child())
                        let handles = [child.add(Silent()), locator.add(creations)]
                        _ = try child.resolve(Bus.self)
                        handles.forEach { $0.remove() }
                        #expect(!creations.received.value.isEmpty)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(!observes(EventKinds(Locator.Event.Kind.all)))
    }
}
