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

    @Test func `A file replaces the fares`() throws {
        let locator = try launched(fares: fares(night: "600", discount: #"{ "percent": 15 }"#))
        let day = try locator.resolve((any FareTable).self, key: "day")
        let night = try locator.resolve((any FareTable).self, key: "night")
        #expect((day as? DistanceFares)?.start == Money(cents: 100))
        #expect((night as? DistanceFares)?.start == Money(cents: 600))
        #expect(try locator.resolve(Car.self, key: CarKind.compact).pricePerKilometre == Money(cents: 80))
        #expect(try locator.resolve(Car.self, key: CarKind.van).pricePerKilometre == Money(cents: 150))
        #expect(try locator.resolve((any Discount)?.self, key: "discount") is FullCarDiscount)
    }

    @Test func `A discount that is null is none`() throws {
        let locator = try launched(fares: fares())
        #expect(try locator.resolve((any Discount)?.self, key: "discount") == nil)
        #expect(try locator.resolve(Fares.self).discount == nil)
    }

    @Test(arguments: [
        // 25 kilometres by compact, and 10 percent off where it is full.
        ("null", 1, "21.00"), ("null", 4, "21.00"), (#"{ "percent": 10 }"#, 4, "18.90"),
    ])
    func `Rides cost what the file says`(discount: String, seats: Int, total: String) async throws {
        let locator = try launched(fares: fares(discount: discount))
        locator.register(.eager(FixedClock.test), for: (any WallClock).self)
        locator.register(.eager(BookingText(text: "Ann,Harbour,Airport,09:00,\(seats)")), for: (any BookingSource).self)
        let outcome = await run(in: locator)
        #expect(outcome.output.hasSuffix("\nTotal: € \(total)\n"))
        #expect(outcome.errors.isEmpty)
    }

    @Test(arguments: [
        (#""6""#, "null"), ("-1", "null"), ("10000001", "null"), ("null", "null"), ("1", #"{ "percent": 101 }"#),
        ("1 night", "null"),
    ])
    func `Wrong fares are reported with their file`(night: String, discount: String) throws {
        let error = try #require(throws: InjectleError.self) {
            try launched(fares: fares(night: night, discount: discount))
        }
        #expect(error == .factoryFailed && error.identity == Locator.Identity(Fares.self))
        #expect(error.underlying is UnreadableFares)
        #expect(error.description.contains("/fares.json has no fares: "), "\(error)")
    }

    private func fares(night: String = "200", discount: String = "null") -> String {
        """
        {
            "day": { "start": 100 }, "night": { "start": \(night) },
            "pricePerKilometre": { "compact": 80, "van": 150 }, "discount": \(discount)
        }
        """
    }
}
