internal import Injectle

/// Replaces what would make one run differ from another. It goes on top of the modules.
func registerTestServices(in locator: Locator) {
    // Registering again replaces.
    locator.registerSingleton(FixedClock.test as any WallClock)
    // What is registered under type and key comes before what is found by the key alone.
    locator.register(.eager(FlatFares(fare: Money(cents: 1000))), for: (any FareTable).self, key: "day")
    locator.register(.eager(FlatFares(fare: Money(cents: 1600))), for: (any FareTable).self, key: "night")
    locator.unregisterService(withKey: "discount")
}
