internal import Foundation
internal import Injectle

/// The services of a town: a clock, a map, cars and fares.
struct TownModule: Locator.Module {
    /// A file of fares that replaces the one of the program.
    var fares: String?
    /// Whether services take a while to create, so that the start can be watched.
    var isSlow = false

    func register(in locator: Locator) throws {
        // An existing instance, resolved by the type that it is registered for.
        locator.registerSingleton(SystemClock() as any WallClock)

        // Optional: `resolveOptional` returns nil where it is not registered.
        if isSlow { locator.register(.eager(TaskSleeper()), for: (any Sleeper).self) }

        // Created once, by an async closure. After the start, a synchronous resolve returns it.
        locator.register(
            .lazy { locator in
                try await locator.resolveOptional((any Sleeper).self)?.sleep(for: .seconds(2))
                return TownMap()
            }
            .depending(on: (any Sleeper)?.self),
            for: (any RouteEstimate).self
        )

        // Decoded on first use, here, so that a launch with wrong fares fails.
        let file = self.fares.map { URL(fileURLWithPath: $0) } ?? Fares.file
        locator.register(.lazy { try Fares(file: file) })
        let fares: Fares = try locator.resolve()
        locator.register(.eager(fares.day), key: "day")
        locator.register(.eager(fares.night), key: "night")
        // A town can have no discount: `@Optject` then reads nil.
        if let discount = fares.discount { locator.register(.eager(discount), key: "discount") }

        // A copy of a prototype for each property: a ride fills its own car.
        let prices = fares.pricePerKilometre
        locator.registerFactory(Car(.compact, seats: 4, pricePerKilometre: prices.compact), forKey: CarKind.compact)
        locator.register(.factory(Car(.van, seats: 7, pricePerKilometre: prices.van)), key: CarKind.van)

        // Created at the start, or on first use before it. A check sees its properties, but not their keys.
        locator.register(
            .lazy { Garage() }.atStart()
                .depending(on: Car.self, key: CarKind.compact)
                .depending(on: Car.self, key: CarKind.van),
            for: (any Fleet).self
        )
    }
}
