internal import CInjectle

/// A moment of the continuous clock. An instant of the standard library takes twice as long to find out and to copy.
struct EventTime {
    private let nanoseconds: Int64

    init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    static var now: EventTime { EventTime(nanoseconds: injectle_time()) }

    /// The same moment in the standard library's clock.
    var instant: ContinuousClock.Instant { EventTime.epoch.instant + EventTime.epoch.time.duration(to: self) }

    /// One moment in both clocks, which run alike: the closest of a few pairs, since the thread can be interrupted between
    /// the looks at the clocks.
    private static let epoch: (time: EventTime, instant: ContinuousClock.Instant) = {
        let pairs = (0..<5).map { _ in (time: now, instant: ContinuousClock.now, end: now) }
        let closest = pairs.min { $0.time.nanoseconds(to: $0.end) < $1.time.nanoseconds(to: $1.end) } ?? pairs[0]
        return (closest.time, closest.instant)
    }()

    func duration(to other: EventTime) -> Duration { .nanoseconds(nanoseconds(to: other)) }

    func nanoseconds(to other: EventTime) -> Int64 { other.nanoseconds - nanoseconds }
}
