internal import Injectle

/// A car that takes some parties from one place to another.
struct Ride {
    /// This ride's copy of the prototype of its kind. Later registrations do not change it.
    @Injected var car: Car
    /// Which of the day's cars of its kind it is.
    var number = 1
    let route: Route
    var fare = Money.zero

    init(by kind: CarKind, over route: Route, for parties: [Booking]) {
        precondition(!parties.isEmpty, "A ride is for somebody.")
        _car = Injected(resolve: .lazy, key: kind)
        self.route = route
        for party in parties { car.board(party) }
    }

    var pickup: String { car.parties[0].pickup }
    var destination: String { car.parties[0].destination }

    /// When the last of them wants to leave, so that nobody misses it.
    var departure: TimeOfDay { car.parties.map(\.time).max()! }
    var arrival: TimeOfDay { departure.later(by: route.minutes) }

    /// What each head pays, party by party.
    var shares: [[Money]] {
        var heads = fare.split(among: car.heads)[...]
        return car.parties.map { party in
            defer { heads = heads.dropFirst(party.seats) }
            return Array(heads.prefix(party.seats))
        }
    }
}
