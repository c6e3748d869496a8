/// The rides of one day, and the bookings without a car.
struct Plan {
    var rides: [Ride] = []
    var problems: [Problem] = []

    var total: Money { rides.map(\.fare).sum() }
    var heads: Int { rides.reduce(0) { $0 + $1.car.heads } }
    var bookings: Int { rides.reduce(0) { $0 + $1.car.parties.count } }
}
