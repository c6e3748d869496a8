import Injectle

@testable import CarpoolKit

/// Bookings that need no file.
struct BookingText: BookingSource {
    let text: String

    func read(on today: Day) throws(UnreadableFile) -> BookingList {
        BookingList(reading: text, from: "mock.csv", on: today)
    }
}

/// A locator for one test alone: what `--test` has, bookings from a text, and what else the test wants to be different.
func mocks(_ text: String = "", _ adapt: (Locator) -> Void = { _ in }) -> Locator {
    Locator("mocks") { locator in
        registerTestServices(in: locator, bookings: .sample)
        locator.register(.eager(BookingText(text: text)), for: (any BookingSource).self)
        adapt(locator)
    }
}

/// The plan for the bookings in a text, as if all were of one day. Lines that cannot be read are a mistake of the test.
func plan(_ text: String, _ adapt: (Locator) -> Void = { _ in }) -> Plan {
    let list = BookingList(reading: text, from: "mock.csv", on: FixedClock.test.today)
    precondition(list.problems.isEmpty, "\(list.problems)")
    let mocks = mocks("", adapt)
    return Locator.$shared.withValue(mocks) {
        do {
            return try mocks.resolve(Planner.self).plan(list.bookings)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

/// What the program says to the bookings in a text.
func run(_ text: String, _ adapt: (Locator) -> Void = { _ in }) -> Program.Outcome {
    Locator.$shared.withValue(mocks(text, adapt)) { Dispatcher().run() }
}

extension Plan {
    /// Who sits together, ride by ride.
    var passengers: [[String]] { rides.map { $0.car.parties.map(\.passenger) } }
}
