internal import Injectle

/// Lets those who go the same way at about the same time share a car, the smallest that seats them.
struct Planner {
    // What its initializer asks for, the locator of the day hands to it.
    private let routes: any RouteEstimate
    private let fleet: any Fleet
    private let roster: Roster
    // Resolved once: a plan that has begun is not continued by another tariff. Under these keys are services of
    // another type, each of which is an `any FareTable`: a key alone finds, too.
    @Injected(resolve: .lazy, key: "day") private var dayFares: any FareTable
    @Injected(resolve: .lazy, key: "night") private var nightFares: any FareTable
    // There may be none.
    @Optject("discount") private var discount: (any Discount)?

    init(routes: any RouteEstimate, fleet: any Fleet, roster: Roster) {
        self.routes = routes
        self.fleet = fleet
        self.roster = roster
    }

    /// How long the first of those who share a car may have to wait for the last.
    static let patience = 15

    private static let day = TimeOfDay(hour: 6, minute: 0)..<TimeOfDay(hour: 22, minute: 0)

    /// The rides of one day.
    func plan(_ bookings: [Booking]) -> Plan {
        var plan = Plan()
        let most = fleet.mostSeats
        // First of all: a number of seats that no car has might also be one that cannot be added to another.
        plan.problems = bookings.filter { $0.seats > most }.map { booking in
            Problem(origin: booking.origin, text: "\(booking.seats) seats exceed the largest car, which has \(most)")
        }
        plan.rides = Dictionary(grouping: bookings.filter { $0.seats <= most }, by: \.way).values
            .flatMap(groups)
            .flatMap(rides)
            .sorted { ($0.departure, $0.car.parties[0].origin.line) < ($1.departure, $1.car.parties[0].origin.line) }
        for index in plan.rides.indices {
            plan.rides[index].number = roster.takeOut(plan.rides[index].car.kind)
        }
        return plan
    }

    /// Bookings for one way, by those that are close in time.
    private func groups(of bookings: [Booking]) -> [[Booking]] {
        bookings.sorted { ($0.time, $0.origin.line) < ($1.time, $1.origin.line) }.reduce(into: []) { groups, booking in
            if let first = groups.last?.first, first.time.minutes(until: booking.time) <= Self.patience {
                groups[groups.count - 1].append(booking)
            } else {
                groups.append([booking])
            }
        }
    }

    /// The rides of one group. A party stays together; the largest are seated first, each where there is room.
    private func rides(for group: [Booking]) -> [Ride] {
        var cars: [(parties: [Booking], free: Int)] = []
        for party in group.sorted(by: { ($1.seats, $0.origin.line) < ($0.seats, $1.origin.line) }) {
            let index = cars.firstIndex { $0.free >= party.seats } ?? cars.endIndex
            if index == cars.endIndex { cars.append(([], fleet.mostSeats)) }
            cars[index].parties.append(party)
            cars[index].free -= party.seats
        }
        return cars.map { ride(for: $0.parties.sorted { ($0.time, $0.origin.line) < ($1.time, $1.origin.line) }) }
    }

    private func ride(for parties: [Booking]) -> Ride {
        let kind = fleet.kind(seating: parties.reduce(0) { $0 + $1.seats })
        let route = routes.route(from: parties[0].pickup, to: parties[0].destination)
        var ride = Ride(by: kind, over: route, for: parties)
        let fares = Self.day.contains(ride.departure) ? dayFares : nightFares
        let fare = fares.fare(for: ride.car, over: route)
        ride.fare = discount?.reduced(fare, for: ride.car) ?? fare
        return ride
    }
}
