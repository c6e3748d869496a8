internal import Foundation

/// What time it is.
protocol WallClock: Sendable {
    var now: TimeOfDay { get }
}

/// The time of this computer.
struct SystemClock: WallClock {
    var now: TimeOfDay {
        let parts = Calendar.current.dateComponents([.hour, .minute], from: Date())
        return TimeOfDay(hour: parts.hour ?? 0, minute: parts.minute ?? 0)
    }
}

/// Always the same time.
struct FixedClock: WallClock {
    let now: TimeOfDay
}
