/// An amount in whole cents, so that sums are exact.
struct Money: Hashable, Comparable, Sendable, CustomStringConvertible {
    static let zero = Money(cents: 0)

    let cents: Int

    /// What each of so many heads pays: the same, to the cent, and together all of it.
    func split(among heads: Int) -> [Money] {
        let (share, remainder) = cents.quotientAndRemainder(dividingBy: heads)
        return (0..<heads).map { Money(cents: share + ($0 < remainder ? 1 : 0)) }
    }

    /// The amount without so many percent of it, which are rounded down to whole cents.
    func reduced(byPercent percent: Int) -> Money {
        Money(cents: cents - cents * percent / 100)
    }

    static func + (left: Money, right: Money) -> Money { Money(cents: left.cents + right.cents) }
    static func * (count: Int, amount: Money) -> Money { Money(cents: count * amount.cents) }
    static func < (left: Money, right: Money) -> Bool { left.cents < right.cents }

    var description: String { "\(cents / 100).\((cents % 100).twoDigits)" }
}

extension Sequence<Money> {
    func sum() -> Money { reduce(.zero, +) }
}
