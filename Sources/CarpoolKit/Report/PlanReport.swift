internal import Injectle

/// Puts a plan on paper.
struct PlanReport {
    @Inject private var clock: any WallClock

    func write(_ plan: Plan, to writer: any ReportWriter) {
        let now = clock.now
        writer.write("Carpool, planned at \(now)")
        writer.write("")
        guard !plan.rides.isEmpty else {
            writer.write("There is nobody to be driven.")
            return
        }
        for line in table(of: plan, at: now).lines { writer.write(line) }
        writer.write("")
        writer.write(summary(of: plan))
        writer.write("Total: € \(plan.total)")
    }

    private func table(of plan: Plan, at now: TimeOfDay) -> TextTable {
        var table = TextTable([
            ("Leaves", .left), ("In", .right), ("Arrives", .left), ("Car", .left), ("From", .left), ("To", .left),
            ("Passenger", .left), ("Seats", .right), ("Per head", .right), ("Pays", .right),
        ])
        for ride in plan.rides {
            for (index, (party, share)) in zip(ride.car.parties, ride.shares).enumerated() {
                table.add(
                    // What is said of the ride is said once.
                    (index == 0 ? cells(of: ride, at: now) : Array(repeating: "", count: 6))
                        + [party.passenger, "\(party.seats)", perHead(share), "\(share.sum())"]
                )
            }
        }
        return table
    }

    private func cells(of ride: Ride, at now: TimeOfDay) -> [String] {
        [
            "\(ride.departure)", duration(now.minutes(until: ride.departure)), "\(ride.arrival)",
            ride.car.kind.rawValue, ride.pickup, ride.destination,
        ]
    }

    private func duration(_ minutes: Int) -> String {
        minutes < 60 ? "\(minutes)m" : "\(minutes / 60)h \((minutes % 60).twoDigits)m"
    }

    /// The heads of one party may differ by the cent that cannot be split.
    private func perHead(_ share: [Money]) -> String {
        guard let most = share.max(), let least = share.min(), most != least else { return "\(share[0])" }
        return "\(least)/\(most)"
    }

    private func summary(of plan: Plan) -> String {
        let cars = CarKind.allCases.compactMap { kind in
            let count = plan.rides.count { $0.car.kind == kind }
            return count == 0 ? nil : counted(count, kind.rawValue)
        }
        let people = "\(counted(plan.bookings, "booking")), \(counted(plan.heads, "head"))"
        return "\(people), \(counted(plan.rides.count, "ride")) by \(cars.joined(separator: " and "))"
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
