import Injectle
import InjectleTesting
import Testing

@testable import CarpoolKit

@Suite(.launched) struct LaunchTests {
    private let locator = Locator.shared

    @Test func `The program registers services of five lifetimes`() throws {
        let lifetimes = Set(locator.registrations.map(\.lifetime))
        #expect(lifetimes == [.eager, .lazy, .volatile, .factory, .perLocator])
    }

    @Test func `Every launched service can be created`() async throws {
        try await locator.start()
        #expect(try locator.resolve((any RouteEstimate).self) is TownMap)
        #expect(try locator.resolve((any WallClock).self) is SystemClock)
        #expect(try locator.resolve((any BookingSource).self).read(on: FixedClock.test.today).problems.isEmpty)
        #expect(try locator.resolve((any Fleet).self).mostSeats == 7)
        #expect(try locator.resolve((any Discount)?.self, key: "discount") is FullCarDiscount)
        for key in ["day", "night"] {
            #expect(try locator.resolve((any FareTable).self, key: key) is DistanceFares)
        }
        for kind in CarKind.allCases {
            #expect(try locator.resolve(Car.self, key: kind).kind == kind)
        }
    }

    @Test func `A day has one roster, and another day another`() throws {
        let (today, tomorrow) = (locator.child("today"), locator.child("tomorrow"))
        let roster = try today.resolve(Roster.self)
        #expect(roster === (try today.resolve(Roster.self)))
        #expect(roster !== (try tomorrow.resolve(Roster.self)))
        #expect(try today.resolve(DayReport.self, arguments: FixedClock.test.today).roster === roster)
    }

    @Test func `A report is made for a day, and not without one`() throws {
        let day = FixedClock.test.today.next
        #expect(try locator.resolve(DayReport.self, arguments: day).day == day)
        #expect { try locator.resolve(DayReport.self) } throws: { InjectleError.wrongArguments ~= $0 }
    }

    @Test func `The map knows both directions, and guesses elsewhere`() {
        let map = TownMap()
        #expect(map.route(from: "Harbour", to: "airport") == Route(kilometres: 25, minutes: 50))
        #expect(map.route(from: "AIRPORT", to: "Harbour") == Route(kilometres: 25, minutes: 50))
        #expect(map.route(from: "Harbour", to: "Atlantis") == Route(kilometres: 10, minutes: 20))
    }
}
