/// The sums of one day or of several days.
struct Totals: Hashable, CustomStringConvertible {
    var bookings = 0
    var heads = 0
    var rides = 0
    var cars: [CarKind: Int] = [:]
    var fares = Money.zero

    var description: String {
        let out = CarKind.allCases.filter { cars[$0, default: 0] > 0 }.map { counted(cars[$0]!, $0.rawValue) }
        let people = "\(counted(bookings, "booking")), \(counted(heads, "head"))"
        return "\(people), \(counted(rides, "ride")) by \(out.joined(separator: " and "))"
    }

    static func + (left: Totals, right: Totals) -> Totals {
        Totals(
            bookings: left.bookings + right.bookings,
            heads: left.heads + right.heads,
            rides: left.rides + right.rides,
            cars: left.cars.merging(right.cars, uniquingKeysWith: +),
            fares: left.fares + right.fares
        )
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
