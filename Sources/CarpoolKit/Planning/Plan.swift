/// Who goes with whom on one day, and the bookings for which there is no car.
struct Plan {
    var rides: [Ride] = []
    var problems: [Problem] = []

    var total: Money { rides.map(\.fare).sum() }
    var heads: Int { rides.reduce(0) { $0 + $1.car.heads } }
    var bookings: Int { rides.reduce(0) { $0 + $1.car.parties.count } }
}
