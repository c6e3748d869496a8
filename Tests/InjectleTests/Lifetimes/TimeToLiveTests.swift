import Injectle
import InjectleTestSupport
import Testing

/// A clock that a test sets.
private struct SetClock: Clock {
    struct Instant: InstantProtocol {
        var time: Duration
        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    let time = Guarded(Duration.seconds(1_000))
    var now: Instant { Instant(time: time.value) }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

private final class Rates: Sendable {
    private let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}
private struct Failure: Error {}

@Suite struct TimeToLiveTests {
    private let locator = Locator("app")
    private let log = Tracked.Log()
    private let clock = SetClock()

    private func register(_ lifetime: Locator.Lifetime? = nil) {
        locator.register(.lazy { [log] in Rates(log) }.lifetime(lifetime ?? .timeToLive(.seconds(60), clock: clock)))
    }

    @Test func `An instance is shared until it reaches its age`() throws {
        register()
        let first = try locator.resolve(Rates.self)
        clock.advance(by: .seconds(59))
        #expect(try locator.resolve(Rates.self) === first)
        clock.advance(by: .seconds(1))
        let second = try locator.resolve(Rates.self)
        #expect(second !== first)
        clock.advance(by: .seconds(59))
        #expect(try locator.resolve(Rates.self) === second)
        #expect(log.created == 2)
    }

    @Test func `The next resolve releases an expired instance and disposes of it`() async throws {
        let disposed = Counter()
        locator.register(
            .lazy { [log] in Rates(log) }.lifetime(.timeToLive(.seconds(60), clock: clock))
                .onDispose { _ in disposed.increment() }
        )
        _ = try locator.resolve(Rates.self)
        clock.advance(by: .seconds(60))
        #expect(disposed.value == 0)
        _ = try locator.resolve(Rates.self)
        #expect(disposed.value == 1)
        #expect(log.alive == 1)
        await locator.close()
        #expect(disposed.value == 2)
        #expect(await log.becomesEmpty())
    }

    @Test func `A property returns a new instance after that time`() throws {
        register()
        let property = Locator.$shared.withValue(locator) { Inject<Rates>() }
        let first = property()
        #expect(property() === first)
        clock.advance(by: .seconds(60))
        #expect(property() !== first)
    }

    @Test func `The age counts from the creation that succeeds`() throws {
        let attempts = Counter()
        locator.register(
            .lazy { [log] in
                if attempts.increment() == 1 { throw Failure() }
                return Rates(log)
            }.lifetime(.timeToLive(.seconds(60), clock: clock))
        )
        #expect(thrown { try locator.resolve(Rates.self) } == .factoryFailed)
        clock.advance(by: .seconds(50))
        let rates = try locator.resolve(Rates.self)
        clock.advance(by: .seconds(50))
        #expect(try locator.resolve(Rates.self) === rates)
    }

    @Test func `Each registration has an age of its own`() throws {
        let lifetime = Locator.Lifetime.timeToLive(.seconds(60), clock: clock)
        let registration = Locator.Registration<Rates>.lazy { [log] in Rates(log) }.lifetime(lifetime)
        locator.register(registration, key: 1)
        locator.register(registration, key: 2)
        let first = try locator.resolve(Rates.self, key: 1)
        clock.advance(by: .seconds(40))
        let second = try locator.resolve(Rates.self, key: 2)
        clock.advance(by: .seconds(40))
        #expect(try locator.resolve(Rates.self, key: 1) !== first)
        #expect(try locator.resolve(Rates.self, key: 2) === second)
    }

    @Test func `It can be a part of a composite`() throws {
        register(.composite(.timeToLive(.seconds(60), clock: clock), .weak))
        let first = try locator.resolve(Rates.self)
        clock.advance(by: .seconds(60))
        // Something holds it.
        #expect(try locator.resolve(Rates.self) === first)
    }

    @Test func `Its text and its equality have the duration`() {
        let lifetime = Locator.Lifetime.timeToLive(.seconds(60), clock: clock)
        #expect("\(lifetime)" == "time to live 60.0 seconds")
        #expect(lifetime == .timeToLive(.seconds(60)))
        #expect(lifetime != .timeToLive(.seconds(61)))
    }

    @Test func `Threads create one instance for each time`() {
        register()
        for round in 1...Stress.rounds(200) {
            onThreads(4) { [locator] _ in _ = try? locator.resolve(Rates.self) }
            #expect(log.created == round)
            clock.advance(by: .seconds(60))
        }
    }
}
