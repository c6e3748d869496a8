internal import Injectle

/// Registers what the program is made of: the one place that knows which service stands for which protocol.
func registerServices(in locator: Locator, bookings: BookingFile) {
    // A given instance that everyone gets. What it is cast to is what it is found by.
    locator.registerSingleton(SystemClock() as any WallClock)

    // The same in the other spelling, which is the one for all lifetimes. Two services of one type need keys.
    locator.register(.eager(DistanceFares(start: Money(cents: 250))), for: (any FareTable).self, key: "day")
    locator.register(.eager(DistanceFares(start: Money(cents: 475))), for: (any FareTable).self, key: "night")

    // Nobody has to have this one: who asks for it by `@Optject` gets nil where it is not registered.
    locator.register(.eager(FullCarDiscount(percent: 10)), for: (any Discount).self)

    // Made once, when somebody asks first.
    locator.register(.lazy { TownMap() }, for: (any RouteEstimate).self)
    locator.register(.lazy { bookings }, for: (any BookingSource).self)
    locator.register(.lazy { Garage() }, for: (any Fleet).self)

    // Made anew for each property, so that what is written to one report is in no other.
    locator.register(.volatile { TextReport() }, for: (any ReportWriter).self)

    // Made by an initializer, which is handed what it asks for; and anew, since each day has a planner of its own.
    locator.register(.initializer(Planner.init, .volatile))

    // One for each locator that is asked. Each day has one, and so a roster of its own.
    locator.register(.lifetime(.perLocator) { Roster() })

    // Made of an argument: only who asks knows which day it is about.
    locator.register(
        .volatile { (locator, day: Day) in
            DayReport(day: day, clock: try locator.resolve(), roster: try locator.resolve())
        }
    )

    // Copied from a prototype for each property: a ride fills its own car.
    locator.registerFactory(Car(.compact, seats: 4, pricePerKilometre: Money(cents: 85)), forKey: CarKind.compact)
    locator.register(.factory(Car(.van, seats: 7, pricePerKilometre: Money(cents: 120))), for: CarKind.van)
}

/// Registers the same, but for what would make one run differ from another.
func registerTestServices(in locator: Locator, bookings: BookingFile) {
    registerServices(in: locator, bookings: bookings)

    // Registering again replaces.
    locator.registerSingleton(FixedClock.test as any WallClock)
    locator.register(.eager(FlatFares(fare: Money(cents: 1000))), for: (any FareTable).self, key: "day")
    locator.register(.eager(FlatFares(fare: Money(cents: 1600))), for: (any FareTable).self, key: "night")
    locator.unregisterService((any Discount).self)
}
