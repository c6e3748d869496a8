import Injectle
import Testing

@testable import CarpoolKit

@Suite(.carpool) struct PlannerTests {
    @Test func `Passengers of one route within 15 minutes share a car`() {
        let plan = plan(
            """
            Ann,Harbour,Airport,09:16,1
            Bob,Harbour,Airport,09:00,1
            Cid,Harbour,Airport,09:15,1
            """
        )
        #expect(plan.passengers == [["Bob", "Cid"], ["Ann"]])
    }

    @Test func `Passengers of another route do not share a car`() {
        let plan = plan(
            """
            Ann,Harbour,Airport,09:00,1
            Bob,Airport,Harbour,09:01,1
            Cid,Harbour,Stadium,09:02,1
            Dot,Stadium,Airport,09:03,1
            """
        )
        #expect(plan.passengers == [["Ann"], ["Bob"], ["Cid"], ["Dot"]])
    }

    @Test func `Places are the same in upper and lower case`() {
        #expect(plan("Ann,Harbour,Airport,09:00,1\nBob,HARBOUR,airport,09:00,1").passengers == [["Ann", "Bob"]])
    }

    @Test func `A ride leaves at the time of its last passenger`() throws {
        let ride = try #require(plan("Ann,Harbour,Airport,09:00,1\nBob,Harbour,Airport,09:12,1").rides.first)
        #expect(ride.departure == TimeOfDay(hour: 9, minute: 12))
        // 18 kilometres to the east and 7 to the north, at two minutes each.
        #expect(ride.arrival == TimeOfDay(hour: 10, minute: 2))
    }

    @Test(arguments: [(1, CarKind.compact), (4, .compact), (5, .van), (7, .van)])
    func `The smallest car is taken that seats them`(seats: Int, kind: CarKind) {
        #expect(plan("Ann,Harbour,Airport,09:00,\(seats)").rides.map(\.car.kind) == [kind])
    }

    @Test func `A group that no car seats takes several, and no party is torn apart`() {
        let plan = plan(
            """
            Ann,Harbour,Airport,09:00,2
            Bob,Harbour,Airport,09:00,4
            Cid,Harbour,Airport,09:00,3
            Dot,Harbour,Airport,09:00,1
            """
        )
        #expect(plan.passengers == [["Ann", "Dot"], ["Bob", "Cid"]])
        #expect(plan.rides.map(\.car.kind) == [.compact, .van])
        #expect(plan.problems.isEmpty)
    }

    @Test(arguments: [8, Int.max])
    func `A party that is larger than any car is refused, with its line`(seats: Int) {
        let plan = plan("Ann,Harbour,Airport,09:00,1\nBob,Harbour,Airport,09:00,\(seats)\nCid,Harbour,Airport,09:00,1")
        #expect(plan.passengers == [["Ann", "Cid"]])
        #expect(plan.problems.map(\.description) == ["mock.csv:2: \(seats) seats exceed the largest car, which has 7"])
    }

    @Test func `Cars are what is registered under their kinds`() {
        let text = (1...9).map { "Passenger \($0),Harbour,Airport,09:00,1" }.joined(separator: "\n")
        Locator.shared.registerFactory(Car(.van, seats: 9, pricePerKilometre: .zero), forKey: CarKind.van)
        let plan = plan(text)
        #expect(plan.rides.map(\.car.heads) == [9])
    }

    @Test func `Every ride fills a car of its own`() throws {
        let plan = plan("Ann,Harbour,Airport,09:00,4\nBob,Harbour,Airport,10:00,3")
        try #require(plan.rides.count == 2)
        #expect(plan.rides[0].car !== plan.rides[1].car)
        #expect(plan.rides[0].car === plan.rides[0].car)
        #expect(plan.passengers == [["Ann"], ["Bob"]])
    }

    @Test(arguments: 1...20)
    func `Each passenger rides once, in time, in a car with room`(seed: Int) {
        let bookings = randomBookings(seed: seed)
        let plan = plan(bookings)
        let driven = plan.rides.flatMap(\.car.parties)

        #expect(driven.count == 200)
        #expect(Set(driven.map(\.origin.line)) == Set(1...200))
        for ride in plan.rides {
            let times = ride.car.parties.map(\.time)
            #expect(ride.car.heads <= ride.car.seats)
            #expect(Set(ride.car.parties.map(\.way)).count == 1)
            #expect(times.min()!.minutes(until: times.max()!) <= 15)
            #expect(ride.departure == times.max())
        }
        #expect(plan.rides.map(\.departure) == plan.rides.map(\.departure).sorted())
    }

    /// Bookings that look like chance and are the same each time.
    private func randomBookings(seed: Int) -> String {
        var state = UInt64(seed)
        func random(_ range: Range<Int>) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return range.lowerBound + Int(state >> 33) % range.count
        }
        return (0..<200).map { number in
            let time = TimeOfDay(hour: random(7..<9), minute: random(0..<60))
            let destination = ["Airport", "Stadium"][random(0..<2)]
            return "Passenger \(number),Harbour,\(destination),\(time),\(random(1..<8))"
        }
        .joined(separator: "\n")
    }
}
