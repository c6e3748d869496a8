import Injectle
import InjectleTestSupport
import Testing

private final class Connection: Sendable {
    let id: Int
    init(_ id: Int) { self.id = id }
}

/// A clock that a test sets, and that can advance at each read.
private struct SteppingClock: Clock {
    struct Instant: InstantProtocol {
        var time: Duration
        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    let time = Guarded(Duration.zero)
    let step = Guarded(Duration.zero)

    var now: Instant {
        let step = step.value
        return time.withLock { time in
            defer { time += step }
            return Instant(time: time)
        }
    }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}

    func set(_ seconds: Int) { time.withLock { $0 = .seconds(seconds) } }
}

/// The time of its creation.
private struct Item: Sendable { let created: Duration }

/// A decorated service has one lifetime.
@Suite struct DecoratedLifetimeTests {
    private let locator = Locator("app")

    private static let lifetimes: [Locator.Lifetime] = [
        .perLocator(named: "app"), .composite(.perLocator(named: "app"), .weak), .composite(.perLocator, .lazy), .lazy,
        .perLocator, .graph, .weak, .volatile, .perArgument,
    ]

    @Test(arguments: lifetimes)
    func `A child decorates a service of each lifetime of its parent`(_ lifetime: Locator.Lifetime) throws {
        locator.register(.lazy { Connection(1) }.lifetime(lifetime))
        let child = locator.child("request")
        child.decorate(Connection.self) { Connection($0.id + 10) }
        #expect(try child.resolve(Connection.self).id == 11)
        #expect(try child.child("page").resolve(Connection.self).id == 11)
        #expect(try locator.resolve(Connection.self).id == 1)
    }

    @Test func `A decorated service is never older than its time to live`() throws {
        let clock = SteppingClock()
        locator.register(
            .lazy { Item(created: clock.time.value) }.lifetime(.timeToLive(.seconds(60), clock: clock))
        )
        locator.decorate(Item.self) { $0 }
        // Decorator and service are created at different moments.
        clock.step.withLock { $0 = .seconds(1) }
        _ = try locator.resolve(Item.self)
        clock.step.withLock { $0 = .zero }
        for now in [60, 119, 150, 178, 200] {
            clock.set(now)
            let item = try locator.resolve(Item.self)
            #expect(.seconds(now) - item.created <= .seconds(60))
        }
    }
}
