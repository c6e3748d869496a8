internal import Injectle

/// What the program itself is made of. It needs a town to drive in.
struct CarpoolModule: Locator.Module {
    var options = Arguments()

    var requires: [any Locator.Module] { [TownModule(fares: options.fares, isSlow: options.isSlow)] }

    func register(in locator: Locator) {
        let bookings = options.path.map { BookingFile($0) } ?? .sample
        locator.register(.eager(bookings), for: (any BookingSource).self)

        // It needs two others, of which one belongs to another module.
        locator.register(
            .lazy { locator -> BookingList in
                try await locator.resolveOptional((any Sleeper).self)?.sleep(for: .seconds(1))
                let clock = try locator.resolve((any WallClock).self)
                return try locator.resolve((any BookingSource).self).read(on: clock.today)
            }
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
            locator.register(.lazy { TextReport() }, for: (any ReportWriter).self, key: "report")
        }

        // Made anew for each property, so that what is written to one report is in no other.
        locator.register(.volatile { TextReport() }, for: (any ReportWriter).self)

        // Made by an initializer, which is handed what it asks for; and anew, since each day has a planner of its own.
        locator.register(.initializer(Planner.init, .volatile))

        // One for each locator that is asked. Each day has one, and so a roster of its own.
        locator.register(.lazy { Roster() }.lifetime(.perLocator))

        // Made of an argument: only who asks knows which day it is about.
        locator.register(
            .volatile { (locator, day: Day) in
                DayReport(day: day, clock: try locator.resolve(), roster: try locator.resolve())
            }
        )
    }
}
