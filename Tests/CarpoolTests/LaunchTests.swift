import Injectle
import Testing

@testable import CarpoolKit

struct LaunchTests {
    @Test func `What is launched uses every lifetime`() {
        let locator = Locator("launch") { registerServices(in: $0, bookings: .sample) }
        let lifetimes = Set(locator.registrations.map(\.lifetime))
        #expect(lifetimes == [.eager, .lazy, .volatile, .factory])
    }

    @Test func `What is launched can be made`() throws {
        let locator = Locator("launch") { registerServices(in: $0, bookings: .sample) }
        #expect(try locator.resolve((any WallClock).self) is SystemClock)
        #expect(try locator.resolve((any BookingSource).self).read().problems.isEmpty)
        #expect(try locator.resolve((any Fleet).self).mostSeats == 7)
        #expect(try locator.resolve((any Discount)?.self) is FullCarDiscount)
        for key in ["day", "night"] {
            #expect(try locator.resolve((any FareTable).self, key: key) is DistanceFares)
        }
        for kind in CarKind.allCases {
            #expect(try locator.resolve(Car.self, key: kind).kind == kind)
        }
    }

    @Test func `The sample takes a few cars of each kind`() throws {
        let locator = Locator("launch") { registerServices(in: $0, bookings: .sample) }
        try Locator.$shared.withValue(locator) {
            let plan = Planner().plan(try BookingFile.sample.read().bookings)
            #expect(plan.problems.isEmpty)
            #expect(plan.bookings == 16)
            #expect(Set(plan.rides.map(\.car.kind)) == Set(CarKind.allCases))
        }
    }

    @Test func `Launching twice is launching once`() {
        let locator = Locator("launch")
        registerServices(in: locator, bookings: .sample)
        let first = locator.registrations.map(\.identity)
        registerServices(in: locator, bookings: .sample)
        #expect(locator.registrations.map(\.identity) == first)
    }

    @Test func `The map knows both directions, and guesses elsewhere`() {
        let map = TownMap()
        #expect(map.route(from: "Harbour", to: "airport") == Route(kilometres: 25, minutes: 50))
        #expect(map.route(from: "AIRPORT", to: "Harbour") == Route(kilometres: 25, minutes: 50))
        #expect(map.route(from: "Harbour", to: "Atlantis") == Route(kilometres: 10, minutes: 20))
    }
}
