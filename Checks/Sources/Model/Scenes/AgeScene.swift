import Injectle
import InjectleTestSupport

/// Services with a time to live, decorated or not, by a clock that goes on between its reads.
final class AgeScene: Sendable {
    struct Item: Sendable { let time: Duration }

    private struct ManualClock: Clock {
        struct Instant: InstantProtocol {
            var time: Duration
            func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
            func duration(to other: Instant) -> Duration { other.time - time }
            static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
        }

        let time = Guarded(Duration.zero)
        let random: Guarded<SplitMix64>
        var now: Instant {
            let step = random.withLock { Int.random(in: 0...1, using: &$0) }
            return time.withLock { time in
                time += .seconds(step)
                return Instant(time: time)
            }
        }
        var minimumResolution: Duration { .nanoseconds(1) }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
    }

    private let violations: Violations

    init(_ violations: Violations) { self.violations = violations }

    func perform(_ random: inout SplitMix64) {
        let (locator, limit) = (Locator("age"), Duration.seconds(60))
        let clock = ManualClock(random: Guarded(SplitMix64(seed: random.next())))
        locator.register(
            .lazy(.anywhere) { Item(time: clock.time.value) }.lifetime(.timeToLive(limit, clock: clock))
        )
        let decorators = Int.random(in: 0..<3, using: &random)
        for _ in 0..<decorators { locator.decorate(Item.self, isolation: nil) { $0 } }
        for _ in 0..<10 {
            let begin = clock.time.value
            do {
                let age = begin - (try locator.resolve(Item.self).time)
                violations.require(age <= limit, "an item with \(decorators) decorators is \(age) old")
            } catch {
                violations.add("an item that ages: \(error)")
            }
            let step = Duration.seconds(Int.random(in: 1...70, using: &random))
            clock.time.withLock { $0 += step }
        }
    }
}
