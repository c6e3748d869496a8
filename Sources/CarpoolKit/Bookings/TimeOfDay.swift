/// A time on the clock, to the minute.
struct TimeOfDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    static let minutesPerDay = 24 * 60

    /// Since midnight.
    private let minutes: Int

    init(hour: Int, minute: Int) {
        precondition(0..<24 ~= hour && 0..<60 ~= minute, "There is no such time.")
        minutes = hour * 60 + minute
    }

    /// Reads "7:05" or "07:05".
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard
            parts.count == 2, 1...2 ~= parts[0].count, parts[1].count == 2,
            // `Int` reads a sign, too.
            parts.joined().allSatisfy({ "0"..."9" ~= $0 }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    /// The time so many minutes later, on the next day if need be.
    func later(by minutes: Int) -> TimeOfDay {
        let sum = (self.minutes + minutes) % Self.minutesPerDay
        return TimeOfDay(hour: sum / 60, minute: sum % 60)
    }

    /// How long it is to another time of the same day; less than nothing if that was before.
    func minutes(to other: TimeOfDay) -> Int { other.minutes - minutes }

    /// How long it takes until the clock shows another time next.
    func minutes(until other: TimeOfDay) -> Int {
        (other.minutes - minutes + Self.minutesPerDay) % Self.minutesPerDay
    }

    static func < (left: TimeOfDay, right: TimeOfDay) -> Bool { left.minutes < right.minutes }

    var description: String { "\((minutes / 60).twoDigits):\((minutes % 60).twoDigits)" }
}

extension Int {
    /// With a leading zero, if it needs one.
    var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}
