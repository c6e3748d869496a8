internal import Injectle

/// Plans and reports, by whatever services are registered.
struct Dispatcher {
    // `start()` has created it. A property cannot await, and traps if its service does not exist.
    @Inject private var list: BookingList
    @Inject private var clock: any WallClock
    @Inject("report") private var output: any ReportWriter
    // The one without a key is made for each property.
    @Inject private var errors: any ReportWriter
    // The current locator itself, to create children of it.
    @Inject private var locator: Locator.Resolver

    func run() -> Program.Outcome {
        do {
            output.write("Carpool, planned at \(clock.now)")
            output.write("")
            if list.bookings.isEmpty { output.write("No bookings.") }

            var problems = list.problems
            var totals: [Totals] = []
            for (day, bookings) in Dictionary(grouping: list.bookings, by: \.day).sorted(by: { $0.key < $1.key }) {
                if !totals.isEmpty { output.write("") }
                totals.append(try write(bookings, of: day, &problems))
            }
            if totals.count > 1 {
                output.write("")
                output.write("Together, on \(totals.count) days")
                output.write(totals.reduce(Totals(), +))
            }
            for problem in problems.sorted(by: { $0.origin.line < $1.origin.line }) { errors.write("\(problem)") }
        } catch {
            errors.write("\(error)")
        }
        return Program.Outcome(output: output.text, errors: errors.text)
    }

    /// Plans and reports one day, in its own locator: services with the lifetime `.perLocator` belong to the day and
    /// are freed with it.
    private func write(_ bookings: [Booking], of day: Day, _ problems: inout [Problem]) throws -> Totals {
        let services = locator.child("\(day)")
        // The planner reads its fares when it plans, and reads them there.
        return try withExtendedLifetime(services) {
            let plan = try services.resolve(Planner.self).plan(bookings)
            problems += plan.problems
            let report = try services.resolve(DayReport.self, arguments: day)
            report.write(plan, to: output)
            return report.totals(of: plan)
        }
    }
}
