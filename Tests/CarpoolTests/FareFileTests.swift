import Foundation
import Injectle
import InjectleTestSupport
import Testing

@testable import CarpoolKit

struct FareFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What the program is made of where a file changes the fares.
    private func launched(fares text: String) throws -> Locator {
        let file = try folder.file("fares.json", text)
        return try CarpoolTests.launched { $0.fares = file.path }
    }

    @Test func `Without a file, the fares are those that come with the program`() throws {
        let fares = try CarpoolTests.launched().resolve(Fares.self)
        #expect(fares.day.start == Money(cents: 250))
        #expect(fares.night.start == Money(cents: 475))
        #expect(fares.pricePerKilometre.compact == Money(cents: 85))
        #expect(fares.pricePerKilometre.van == Money(cents: 120))
        #expect(fares.discount?.percent == 10)
    }

    @Test func `A file changes what it names, and nothing else`() throws {
        let locator = try launched(fares: #"{ "night": { "start": 600 }, "pricePerKilometre": { "van": 150 } }"#)
        let day = try locator.resolve((any FareTable).self, key: "day")
        let night = try locator.resolve((any FareTable).self, key: "night")
        #expect((day as? DistanceFares)?.start == Money(cents: 250))
        #expect((night as? DistanceFares)?.start == Money(cents: 600))
        #expect(try locator.resolve(Car.self, key: CarKind.compact).pricePerKilometre == Money(cents: 85))
        #expect(try locator.resolve(Car.self, key: CarKind.van).pricePerKilometre == Money(cents: 150))
        #expect(try locator.resolve((any Discount)?.self, key: "discount") is FullCarDiscount)
    }

    @Test func `A discount that is null is none`() throws {
        let locator = try launched(fares: #"{ "discount": null }"#)
        #expect(try locator.resolve((any Discount)?.self, key: "discount") == nil)
        #expect(try locator.resolve(Fares.self).discount == nil)
    }

    @Test(arguments: [
        // 25 kilometres by compact, and 10 percent off where it is full.
        ("{}", 1, "23.75"), ("{}", 4, "21.38"), (#"{ "discount": null }"#, 4, "23.75"),
        (#"{ "day": { "start": 0 }, "pricePerKilometre": { "compact": 100 } }"#, 1, "25.00"),
    ])
    func `Rides cost what the files say`(file: String, seats: Int, total: String) async throws {
        let locator = try launched(fares: file)
        locator.register(.eager(FixedClock.test), for: (any WallClock).self)
        locator.register(.eager(BookingText(text: "Ann,Harbour,Airport,09:00,\(seats)")), for: (any BookingSource).self)
        let outcome = await run(in: locator)
        #expect(outcome.output.hasSuffix("\nTotal: € \(total)\n"))
        #expect(outcome.errors.isEmpty)
    }

    @Test(arguments: [
        (#"{ "night": { "start": "6" } }"#, "night.start is a string in fares.json, and not Int."),
        (#"{ "night": { "start": -1 } }"#, "night.start is the number -1 in fares.json, and not CarpoolKit.Money."),
        (#"{ "day": { "start": 10000001 } }"#, "day.start is the number 10000001 in fares.json"),
        (#"{ "discount": { "percent": 101 } }"#, "discount.percent is the number 101 in fares.json, which is refused."),
        (#"{ "pricePerKilometre": { "van": null } }"#, "pricePerKilometre.van is missing in fares.json"),
        ("[]", "the top level of fares.json is an array"),
        ("{ night }", "fares.json is not well-formed JSON"),
    ])
    func `Wrong fares are reported with their place`(file: String, text: String) throws {
        let error = try #require(throws: InjectleError.self) { try launched(fares: file) }
        #expect(error.code == .unreadableResource)
        #expect(error.description.hasPrefix("CarpoolKit.Fares cannot be read: \(text)"), "\(error)")
    }
}
