import Injectle

@testable import CarpoolKit

/// Bookings that need no file.
struct BookingText: BookingSource {
    let text: String

    func read(on today: Day) throws(FileError) -> BookingList {
        BookingList(reading: text, from: "mock.csv", on: today)
    }
}

/// A locator for one test alone: what the program is made of.
func launched(_ change: (inout Arguments) -> Void = { _ in }) throws -> Locator {
    var options = Arguments()
    change(&options)
    return try Locator("launch") { try $0.apply(CarpoolModule(options: options)) }
}

/// A locator for one test alone: what `--test` has, bookings from a text, and what else the test wants to be different.
func mocks(_ text: String = "", _ adapt: (Locator) -> Void = { _ in }) -> Locator {
    Locator("mocks") { locator in
        do { try locator.apply(CarpoolModule()) } catch { preconditionFailure("\(error)") }
        registerTestServices(in: locator)
        locator.register(.eager(BookingText(text: text)), for: (any BookingSource).self)
        // Services without a start can be resolved at once.
        locator.register(.eager(TownMap()), for: (any RouteEstimate).self)
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
func run(_ text: String, _ adapt: (Locator) -> Void = { _ in }) async -> Program.Outcome {
    await run(in: mocks(text, adapt))
}

/// What the program says that is made of what a locator has, line by line where it starts.
func run(in locator: Locator, show: ((String) -> Void)? = nil) async -> Program.Outcome {
    await Locator.$shared.withValue(locator) { await Program.run(in: locator, show: show) }
}

extension Plan {
    /// Who sits together, ride by ride.
    var passengers: [[String]] { rides.map { $0.car.parties.map(\.passenger) } }
}
