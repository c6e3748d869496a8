internal import Foundation

/// The kinds of cars, each with a prototype. Any hashable value can be a key; a case is one that is hard to misspell.
enum CarKind: String, CaseIterable, Sendable {
    case compact, van
}

/// A car with room for some passengers beside its driver.
///
/// It is registered once for each kind, as a prototype; every ride gets a copy, and fills that one only.
final class Car: NSCopying {
    let kind: CarKind
    let seats: Int
    let pricePerKilometre: Money
    private(set) var parties: [Booking] = []

    init(_ kind: CarKind, seats: Int, pricePerKilometre: Money) {
        self.kind = kind
        self.seats = seats
        self.pricePerKilometre = pricePerKilometre
    }

    var heads: Int { parties.reduce(0) { $0 + $1.seats } }

    func board(_ party: Booking) {
        precondition(heads + party.seats <= seats, "There is no room in the \(kind.rawValue).")
        parties.append(party)
    }

    func copy(with zone: NSZone? = nil) -> Any {
        let copy = Car(kind, seats: seats, pricePerKilometre: pricePerKilometre)
        copy.parties = parties
        return copy
    }
}
