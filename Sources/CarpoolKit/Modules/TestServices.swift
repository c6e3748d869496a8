internal import Injectle

/// Replaces the services that make one run differ from another. Applied after the other modules.
func registerTestServices(in locator: Locator) {
    // A second registration replaces the first.
    locator.registerSingleton(FixedClock.test as any WallClock)
    // A registration by type and key takes precedence over one that only the key finds.
    locator.register(.eager(FlatFares(fare: Money(cents: 1000))), for: (any FareTable).self, key: "day")
    locator.register(.eager(FlatFares(fare: Money(cents: 1600))), for: (any FareTable).self, key: "night")
    locator.unregisterService(withKey: "discount")
}
