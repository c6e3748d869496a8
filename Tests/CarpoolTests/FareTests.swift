import Injectle
import Testing

@testable import CarpoolKit

@Suite(.carpool) struct FareTests {
    @Test(arguments: 1...7, [0, 1, 999, 1000, 1001, 123_457])
    func `The shares add up to the fare and differ by one cent`(seats: Int, cents: Int) throws {
        let parties = (1...seats).map { "Passenger \($0),Harbour,Airport,09:00,1" }.joined(separator: "\n")
        Locator.shared.register(.eager(FlatFares(fare: Money(cents: cents))), for: (any FareTable).self, key: "day")
        let plan = plan(parties)
        let heads = try #require(plan.rides.first).shares.flatMap(\.self)
        #expect(heads.count == seats)
        #expect(heads.sum() == Money(cents: cents))
        #expect(try #require(heads.max()).cents - #require(heads.min()).cents <= 1)
    }

    @Test func `Each party pays for its own heads`() throws {
        let ride = try #require(plan("Ann,Harbour,Airport,09:00,6\nBob,Harbour,Airport,09:00,1").rides.first)
        #expect(ride.shares == [Array(repeating: Money(cents: 143), count: 6), [Money(cents: 142)]])
    }

    @Test(arguments: [("05:59", 1600), ("06:00", 1000), ("21:59", 1000), ("22:00", 1600), ("00:00", 1600)])
    func `The night has fares of its own`(time: String, cents: Int) {
        #expect(plan("Ann,Harbour,Airport,\(time),1").total == Money(cents: cents))
    }

    @Test func `Distance fares count the kilometres at the price of the car`() {
        let fares = DistanceFares(start: Money(cents: 250))
        let car = Car(.van, seats: 7, pricePerKilometre: Money(cents: 120))
        #expect(fares.fare(for: car, over: Route(kilometres: 10, minutes: 1)) == Money(cents: 1450))
    }

    @Test(arguments: [(3, 1000), (4, 850), (5, 1000), (7, 850)])
    func `With the discount, a full car costs less`(seats: Int, cents: Int) {
        Locator.shared.register(.eager(FullCarDiscount(percent: 15)), for: (any Discount).self, key: "discount")
        #expect(plan("Ann,Harbour,Airport,09:00,\(seats)").total == Money(cents: cents))
    }

    @Test func `A plan goes on by the fares that it began with`() throws {
        let mocks = Locator.shared
        let booking = BookingList(reading: "Ann,Harbour,Airport,09:00,1", from: "mock.csv", on: FixedClock.test.today)
            .bookings
        let planner = try mocks.resolve(Planner.self)
        #expect(planner.plan(booking).total == Money(cents: 1000))
        mocks.register(.eager(FlatFares(fare: Money(cents: 5))), for: (any FareTable).self, key: "day")
        #expect(planner.plan(booking).total == Money(cents: 1000))
        #expect(try mocks.resolve(Planner.self).plan(booking).total == Money(cents: 5))
    }

    @Test(arguments: [(0, "0.00"), (5, "0.05"), (99, "0.99"), (100, "1.00"), (123_456, "1234.56")])
    func `Money is written with two decimals`(cents: Int, text: String) {
        #expect(Money(cents: cents).description == text)
    }
}
