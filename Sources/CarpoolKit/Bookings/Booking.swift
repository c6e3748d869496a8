/// Seats that a passenger asked for, on one way at one time of a day.
struct Booking: Hashable, Sendable {
    let passenger: String
    let pickup: String
    let destination: String
    let day: Day
    let time: TimeOfDay
    let seats: Int
    /// Where it was read, for messages about it.
    let origin: Origin

    /// Whose bookings may share a car, if the times agree, too. Case does not tell two places apart.
    var way: Way { Way(pickup: pickup.lowercased(), destination: destination.lowercased()) }

    /// Two bookings with the same identity are one booking, regardless of their seats.
    var identity: Identity { Identity(passenger: passenger.lowercased(), way: way, day: day, time: time) }

    struct Way: Hashable, Sendable {
        let pickup, destination: String
    }

    struct Identity: Hashable, Sendable {
        let passenger: String
        let way: Way
        let day: Day
        let time: TimeOfDay
    }
}
