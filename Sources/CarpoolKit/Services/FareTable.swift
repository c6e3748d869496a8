/// What a ride costs.
protocol FareTable: Sendable {
    func fare(for car: Car, over route: Route) -> Money
}

/// Some money for coming, and the car's price for each kilometre.
struct DistanceFares: FareTable, Decodable {
    let start: Money

    func fare(for car: Car, over route: Route) -> Money {
        start + route.kilometres * car.pricePerKilometre
    }
}

/// The same for every ride.
struct FlatFares: FareTable {
    let fare: Money

    func fare(for car: Car, over route: Route) -> Money { fare }
}
