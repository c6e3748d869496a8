internal import Foundation

/// What day and what time it is.
protocol WallClock: Sendable {
    var today: Day { get }
    var now: TimeOfDay { get }
}

/// The day and the time of this computer.
struct SystemClock: WallClock {
    var today: Day {
        let parts = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day], from: Date())
        // The calendar has no other days than these.
        return Day(year: parts.year!, month: parts.month!, day: parts.day!)!
    }

    var now: TimeOfDay {
        let parts = Calendar.current.dateComponents([.hour, .minute], from: Date())
        return TimeOfDay(hour: parts.hour ?? 0, minute: parts.minute ?? 0)
    }
}

/// Always the same time of the same day.
struct FixedClock: WallClock {
    let today: Day
    let now: TimeOfDay

    /// The clock of `--test`.
    static let test = FixedClock(today: Day(year: 2026, month: 11, day: 20)!, now: TimeOfDay(hour: 4, minute: 30))
}
