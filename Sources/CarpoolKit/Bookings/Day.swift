/// A day of the calendar.
struct Day: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let year, month, day: Int

    /// Nil if there is no such day.
    init?(year: Int, month: Int, day: Int) {
        guard 1...9999 ~= year, 1...12 ~= month, 1...Self.days(of: month, in: year) ~= day else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads "2026-11-21".
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard
            parts.map(\.count) == [4, 2, 2],
            // `Int` reads a sign, too.
            parts.joined().allSatisfy({ "0"..."9" ~= $0 }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day after.
    var next: Day {
        Day(year: year, month: month, day: day + 1) ?? Day(year: year, month: month + 1, day: 1)
            ?? Day(year: year + 1, month: 1, day: 1)!
    }

    /// How many days it takes until another comes; less than none if that was before.
    func days(until other: Day) -> Int { other.number - number }

    /// The number of the day, by which days are compared.
    private var number: Int {
        let before = year - 1
        let months = (1..<month).reduce(0) { $0 + Self.days(of: $1, in: year) }
        return before * 365 + before / 4 - before / 100 + before / 400 + months + day
    }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func < (left: Day, right: Day) -> Bool { left.number < right.number }

    var description: String {
        let digits = "\(year)"
        return String(repeating: "0", count: 4 - digits.count) + "\(digits)-\(month.twoDigits)-\(day.twoDigits)"
    }
}
