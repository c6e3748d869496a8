import Injectle
import InjectleTesting
import Testing

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

extension Trait where Self == Locator.TestTrait {
    /// Registers what `--test` has, and no bookings.
    static var carpool: Self {
        .locator(CarpoolModule()) { locator in
            registerTestServices(in: locator)
            locator.register(.eager(BookingText(text: "")), for: (any BookingSource).self)
            // Services without a start can be resolved at once.
            locator.register(.eager(TownMap()), for: (any RouteEstimate).self)
        }
    }

    /// Registers what the program has.
    static var launched: Self { .locator(CarpoolModule()) }
}

/// The plan for the bookings in a text, as if all were of one day. Lines that cannot be read are a mistake of the test.
func plan(_ text: String) -> Plan {
    let list = BookingList(reading: text, from: "mock.csv", on: FixedClock.test.today)
    precondition(list.problems.isEmpty, "\(list.problems)")
    return Inject<Planner>()().plan(list.bookings)
}

/// What the program says to the bookings in a text.
func run(_ text: String) async -> Program.Outcome {
    Locator.shared.register(.eager(BookingText(text: text)), for: (any BookingSource).self)
    return await Program.run(in: Locator.shared, show: nil)
}

/// What the program says that is made of what a locator has, line by line where it starts.
func run(in locator: Locator, show: (@Sendable (String) -> Void)? = nil) async -> Program.Outcome {
    await Locator.$shared.withValue(locator) { await Program.run(in: locator, show: show) }
}

extension Plan {
    /// Who sits together, ride by ride.
    var passengers: [[String]] { rides.map { $0.car.parties.map(\.passenger) } }
}
