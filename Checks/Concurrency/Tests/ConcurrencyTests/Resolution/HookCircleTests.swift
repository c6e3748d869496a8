import Injectle
import InjectleTestSupport
import Testing

/// Objects that refer to each other. `@unchecked Sendable`: hooks set the properties before others see the object.
private final class Hen: @unchecked Sendable {
    var egg: Egg?
    let isComplete = Guarded(false)
    init(egg: Egg? = nil) { self.egg = egg }
}

private final class Egg: @unchecked Sendable {
    var hen: Hen?
    let isComplete = Guarded(false)
    init(hen: Hen? = nil) { self.hen = hen }
}

private final class Ring: @unchecked Sendable {
    var next: Ring?
    let isComplete = Guarded(false)
}

/// Both requests of a circle, and whether the objects were complete when they returned.
private struct Outcome: Sendable {
    let hen: Hen?
    let egg: Egg?
    let areComplete: Bool
    let error: InjectleError?
}

/// A circle that hooks break works from several threads and tasks as it does from one.
@Suite struct HookCircleTests {
    private let locator = Locator("circle")
    private let henBegun = Signal()
    private let eggBegun = Signal()
    private let hens = Counter()
    private let eggs = Counter()

    private static let shared: [Locator.Lifetime] = [
        .lazy, .weak, .perLocator, .perLocator(named: "circle"), .perArgument, .composite(.perLocator, .weak),
    ]

    /// Registers both ends. Each closure continues once both have begun.
    private func registerBoth(_ lifetime: Locator.Lifetime = .lazy) {
        let hen = Locator.Registration<Hen>.lazy(.anywhere) { [henBegun, eggBegun, hens] in
            hens.increment()
            henBegun.set()
            eggBegun.wait()
            return Hen()
        }
        let egg = Locator.Registration<Egg>.lazy(.anywhere) { [henBegun, eggBegun, eggs] in
            eggs.increment()
            eggBegun.set()
            henBegun.wait()
            return Egg()
        }
        locator.register(
            hen.injecting(\.egg).afterInit { _, hen in hen.isComplete.withLock { $0 = true } }.lifetime(lifetime)
        )
        locator.register(
            egg.injecting(\.hen).afterInit { _, egg in egg.isComplete.withLock { $0 = true } }.lifetime(lifetime)
        )
    }

    private func registerAsync() {
        locator.register(
            .lazy(.anywhere) { [henBegun, eggBegun, hens] () async in
                hens.increment()
                henBegun.set()
                await eggBegun.reached()
                return Hen()
            }
            .injecting(\.egg).afterInit { _, hen in hen.isComplete.withLock { $0 = true } }
        )
        locator.register(
            .lazy(.anywhere) { [henBegun, eggBegun, eggs] () async in
                eggs.increment()
                eggBegun.set()
                await henBegun.reached()
                return Egg()
            }
            .injecting(\.hen).afterInit { _, egg in egg.isComplete.withLock { $0 = true } }
        )
    }

    private static func outcome(_ body: () throws -> Hen) -> Outcome {
        do {
            let hen = try body()
            let areComplete = hen.isComplete.value && hen.egg?.isComplete.value == true
            return Outcome(hen: hen, egg: hen.egg, areComplete: areComplete, error: nil)
        } catch {
            return Outcome(hen: nil, egg: nil, areComplete: false, error: error as? InjectleError)
        }
    }

    private static func outcome(_ body: () throws -> Egg) -> Outcome {
        do {
            let egg = try body()
            let areComplete = egg.isComplete.value && egg.hen?.isComplete.value == true
            return Outcome(hen: egg.hen, egg: egg, areComplete: areComplete, error: nil)
        } catch {
            return Outcome(hen: nil, egg: nil, areComplete: false, error: error as? InjectleError)
        }
    }

    /// Both requests got the same complete objects, of which there is one each.
    private func expectOneCircle(_ outcomes: [Outcome?], sourceLocation: SourceLocation = #_sourceLocation) throws {
        for outcome in outcomes {
            let outcome = try #require(outcome, "The request did not return.", sourceLocation: sourceLocation)
            #expect(outcome.error == nil, sourceLocation: sourceLocation)
            #expect(outcome.areComplete, sourceLocation: sourceLocation)
            #expect(outcome.hen === outcomes[0]?.hen, sourceLocation: sourceLocation)
            #expect(outcome.egg === outcomes[0]?.egg, sourceLocation: sourceLocation)
            #expect(outcome.hen?.egg === outcome.egg, sourceLocation: sourceLocation)
            #expect(outcome.egg?.hen === outcome.hen, sourceLocation: sourceLocation)
        }
        #expect(hens.value == 1, sourceLocation: sourceLocation)
        #expect(eggs.value == 1, sourceLocation: sourceLocation)
        outcomes[0]?.hen?.egg = nil
    }

    // MARK: Threads

    @Test(arguments: shared)
    func `Two threads reach a circle from both ends`(_ lifetime: Locator.Lifetime) async throws {
        registerBoth(lifetime)
        let locator = locator
        async let hen = onAnotherThreadInTime { HookCircleTests.outcome { try locator.resolve(Hen.self) } }
        async let egg = onAnotherThreadInTime { HookCircleTests.outcome { try locator.resolve(Egg.self) } }
        try expectOneCircle(await [hen, egg])
    }

    @Test func `A thread that only waits for a circle gets its object`() async throws {
        let locator = locator
        let early = Signal()
        registerBoth()
        locator.register(
            .lazy(.anywhere) { locator in
                early.set()
                return [try locator.resolve(Hen.self)]
            }
        )
        async let waiting = onAnotherThreadInTime { try? locator.resolve([Hen].self).first }
        await early.reached()
        async let hen = onAnotherThreadInTime { HookCircleTests.outcome { try locator.resolve(Hen.self) } }
        async let egg = onAnotherThreadInTime { HookCircleTests.outcome { try locator.resolve(Egg.self) } }
        let third = try #require(await waiting ?? nil)
        let outcomes = await [hen, egg]
        #expect(third === outcomes[0]?.hen)
        try expectOneCircle(outcomes)
    }

    @Test func `Three threads reach a circle of three`() async throws {
        let (locator, made) = (locator, Counter())
        let begun = [Signal(), Signal(), Signal()]
        for index in 0..<3 {
            locator.register(
                .lazy(.anywhere) {
                    made.increment()
                    begun[index].set()
                    for signal in begun { signal.wait() }
                    return Ring()
                }
                .injecting(\.next, key: (index + 1) % 3)
                .afterInit { _, ring in ring.isComplete.withLock { $0 = true } },
                key: index
            )
        }
        @Sendable func areComplete(_ index: Int) -> Bool {
            guard let ring = try? locator.resolve(Ring.self, key: index) else { return false }
            let all = [ring, ring.next, ring.next?.next]
            return all.allSatisfy { $0?.isComplete.value == true } && all[2]?.next === ring
        }
        async let first = onAnotherThreadInTime { areComplete(0) }
        async let second = onAnotherThreadInTime { areComplete(1) }
        async let third = onAnotherThreadInTime { areComplete(2) }
        #expect(await [first, second, third] == [true, true, true])
        #expect(made.value == 3)
        try locator.resolve(Ring.self, key: 0).next = nil
    }

    @Test func `A circle of two locators works from both`() async throws {
        let (locator, child) = (locator, locator.child("child"))
        locator.register(
            .lazy(.anywhere) { [henBegun, eggBegun, hens] in
                hens.increment()
                henBegun.set()
                eggBegun.wait()
                return Hen()
            }
            .afterInit { _, hen in
                hen.egg = try child.resolve()
                hen.isComplete.withLock { $0 = true }
            }
        )
        child.register(
            .lazy(.anywhere) { [henBegun, eggBegun, eggs] in
                eggs.increment()
                eggBegun.set()
                henBegun.wait()
                return Egg()
            }
            .injecting(\.hen).afterInit { _, egg in egg.isComplete.withLock { $0 = true } }
        )
        async let hen = onAnotherThreadInTime { HookCircleTests.outcome { try locator.resolve(Hen.self) } }
        async let egg = onAnotherThreadInTime { HookCircleTests.outcome { try child.resolve(Egg.self) } }
        try expectOneCircle(await [hen, egg])
        locator.reset()
    }

    // MARK: Tasks

    @Test func `A thread and a task reach a circle from both ends`() async throws {
        registerBoth()
        let locator = locator
        async let hen = onAnotherThreadInTime { HookCircleTests.outcome { try locator.resolve(Hen.self) } }
        await henBegun.reached()
        async let egg = inTime {
            let egg = await Result { try await locator.resolveAsync(Egg.self) }
            return HookCircleTests.outcome { try egg.get() }
        }
        try expectOneCircle(await [hen, egg])
    }

    @Test func `One task reaches a circle of async services`() async throws {
        let locator = locator
        henBegun.set()
        eggBegun.set()
        registerAsync()
        async let hen = inTime {
            let hen = await Result { try await locator.resolveAsync(Hen.self) }
            return HookCircleTests.outcome { try hen.get() }
        }
        try expectOneCircle(await [hen])
    }

    @Test func `Two tasks reach a circle of async services from both ends`() async throws {
        let locator = locator
        registerAsync()
        async let hen = inTime {
            let hen = await Result { try await locator.resolveAsync(Hen.self) }
            return HookCircleTests.outcome { try hen.get() }
        }
        async let egg = inTime {
            let egg = await Result { try await locator.resolveAsync(Egg.self) }
            return HookCircleTests.outcome { try egg.get() }
        }
        try expectOneCircle(await [hen, egg])
    }

    // MARK: Properties

    @Test func `Properties on two threads read a circle`() async {
        await #expect(processExitsWith: .success) {
            failAfterTimeLimit()
            let (locator, begun) = (Locator("launch"), [Signal(), Signal()])
            locator.register(
                .lazy(.anywhere) {
                    begun[0].set()
                    begun[1].wait()
                    return Hen()
                }
                .injecting(\.egg)
            )
            locator.register(
                .lazy(.anywhere) {
                    begun[1].set()
                    begun[0].wait()
                    return Egg()
                }
                .injecting(\.hen)
            )
            let (hen, egg) = Locator.$shared.withValue(locator) { (Inject<Hen>(), Inject<Egg>()) }
            onThreads(2) { index in if index == 0 { _ = hen() } else { _ = egg() } }
            guard hen().egg === egg() else { fatalError("There are two circles.") }
        }
    }

    // MARK: Requests that are circles alone

    @Test func `Beside a request that is a circle alone, one that is none succeeds`() async throws {
        let (locator, henBegun, eggBegun) = (locator, henBegun, eggBegun)
        // A hook of the egg breaks the circle for requests of the egg only.
        locator.register(
            .lazy(.anywhere) { locator in
                henBegun.set()
                eggBegun.wait()
                return Hen(egg: try locator.resolve())
            }
        )
        locator.register(
            .lazy(.anywhere) {
                eggBegun.set()
                henBegun.wait()
                return Egg()
            }
            .injecting(\.hen)
        )
        async let hen = onAnotherThreadInTime { thrown { try locator.resolve(Hen.self) } }
        async let egg = onAnotherThreadInTime { try? locator.resolve(Egg.self) }
        #expect(await hen == .circularDependency)
        let found = try #require(await egg ?? nil)
        #expect(found.hen?.egg === found)
        found.hen = nil
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
