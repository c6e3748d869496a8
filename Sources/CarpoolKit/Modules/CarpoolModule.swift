internal import Injectle

/// The services of the program itself. It requires a town.
struct CarpoolModule: Locator.Module {
    var options = Arguments()

    var requires: [any Locator.Module] { [TownModule(fares: options.fares, isSlow: options.isSlow)] }

    func register(in locator: Locator) {
        let bookings = options.path.map { BookingFile($0) } ?? .sample
        locator.register(.eager(bookings), for: (any BookingSource).self)

        // It has two dependencies, one of them from another module.
        locator.register(
            .lazy { locator -> BookingList in
                try await locator.resolveOptional((any Sleeper).self)?.sleep(for: .seconds(1))
                let clock = try locator.resolve((any WallClock).self)
                return try locator.resolve((any BookingSource).self).read(on: clock.today)
            }
            // Known before the closure runs, so that a test can check all registrations.
            .depending(on: (any Sleeper)?.self, (any WallClock).self, (any BookingSource).self)
        )

        // Two services of one type need keys. This one is a resource: the locator that opens it also closes it.
        if let path = options.report {
            locator.register(
                .lazy { try FileReport(path) }
                    .as((any ReportWriter).self, key: "report")
                    .atStart()
                    .onDispose { try $0.close() }
            )
        } else {
            locator.register(.lazy { TextReport() }.as((any ReportWriter).self, key: "report"))
        }

        // One for each property, so that reports do not share text.
        locator.register(.volatile { TextReport() }.as((any ReportWriter).self))

        // Created by an initializer, whose parameters are resolved; each day has a planner of its own.
        // Its properties are dependencies, too.
        locator.register(
            .initializer(Planner.init).lifetime(.volatile)
                .depending(on: (any FareTable).self, key: "day")
                .depending(on: (any FareTable).self, key: "night")
                .depending(on: (any Discount)?.self, key: "discount")
        )

        // One for each locator. Each day has a locator, and so a roster of its own.
        locator.register(.lazy { Roster() }.lifetime(.perLocator))

        // Created with an argument, the day, which the caller knows.
        locator.register(
            .volatile { (locator, day: Day) in
                DayReport(day: day, clock: try locator.resolve(), roster: try locator.resolve())
            }
            .depending(on: (any WallClock).self, Roster.self)
        )
    }
}
