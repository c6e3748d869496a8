internal import Foundation
internal import Injectle

/// What a town has, whoever drives there: a clock, a map, cars and what they cost.
struct TownModule: Locator.Module {
    /// Changes single values of the fares that come with the program.
    var fares: String?
    /// Whether to take a while on purpose, so that the start can be watched.
    var isSlow = false

    func register(in locator: Locator) throws {
        // A given instance that everyone gets. What it is cast to is what it is found by.
        locator.registerSingleton(SystemClock() as any WallClock)

        // Nobody has to have this one: who asks for it by `resolveOptional` gets nil where it is not registered.
        if isSlow { locator.register(.eager(TaskSleeper()), for: (any Sleeper).self) }

        // Made once, by a closure that awaits. After the start, it is there, and can be asked for without awaiting.
        locator.register(
            .lazy { locator in
                try await locator.resolveOptional((any Sleeper).self)?.sleep(for: .seconds(2))
                return TownMap()
            },
            for: (any RouteEstimate).self
        )

        let fares = try registerFares(in: locator)

        // Copied from a prototype for each property: a ride fills its own car.
        let prices = fares.pricePerKilometre
        locator.registerFactory(Car(.compact, seats: 4, pricePerKilometre: prices.compact), forKey: CarKind.compact)
        locator.register(.factory(Car(.van, seats: 7, pricePerKilometre: prices.van)), key: CarKind.van)

        // Made at the start, and else when somebody asks first.
        locator.register(.lazy { Garage() }.atStart(), for: (any Fleet).self)
    }

    /// Registers the fares, and each of their properties under its name. If a file is wrong, nothing of all this stays.
    private func registerFares(in locator: Locator) throws -> Fares {
        if let fares {
            // The second file says only what is different.
            try locator.register(values: Fares.self, from: Fares.file, URL(fileURLWithPath: fares))
        } else {
            try locator.register(values: Fares.self, from: Fares.file)
        }
        return try locator.resolve()
    }
}
