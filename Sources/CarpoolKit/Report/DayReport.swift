/// Puts the plan of a day on paper.
struct DayReport {
    let day: Day
    let clock: any WallClock
    let roster: Roster

    func write(_ plan: Plan, to writer: any ReportWriter) {
        writer.write(heading)
        writer.write("")
        guard !plan.rides.isEmpty else {
            writer.write("No rides.")
            return
        }
        for line in table(of: plan).lines { writer.write(line) }
        writer.write("")
        writer.write(totals(of: plan))
    }

    /// The sums of the day.
    func totals(of plan: Plan) -> Totals {
        Totals(
            bookings: plan.bookings,
            heads: plan.heads,
            rides: plan.rides.count,
            cars: Dictionary(uniqueKeysWithValues: CarKind.allCases.map { ($0, roster.count(of: $0)) }),
            fares: plan.total
        )
    }

    private var heading: String {
        switch clock.today.days(until: day) {
        case 0: "\(day), today"
        case 1: "\(day), tomorrow"
        default: "\(day)"
        }
    }

    private func table(of plan: Plan) -> TextTable {
        var table = TextTable([
            ("Leaves", .left), ("In", .right), ("Arrives", .left), ("Car", .left), ("From", .left), ("To", .left),
            ("Passenger", .left), ("Seats", .right), ("Per head", .right), ("Pays", .right),
        ])
        for ride in plan.rides {
            for (index, (party, share)) in zip(ride.car.parties, ride.shares).enumerated() {
                table.add(
                    // The ride is described once.
                    (index == 0 ? cells(of: ride) : Array(repeating: "", count: 6))
                        + [party.passenger, "\(party.seats)", perHead(share), "\(share.sum())"]
                )
            }
        }
        return table
    }

    private func cells(of ride: Ride) -> [String] {
        [
            "\(ride.departure)", soon(ride.departure), "\(ride.arrival)", "\(ride.car.kind.rawValue) \(ride.number)",
            ride.pickup, ride.destination,
        ]
    }

    /// How long it is until then.
    private func soon(_ departure: TimeOfDay) -> String {
        let minutes = clock.today.days(until: day) * TimeOfDay.minutesPerDay + clock.now.minutes(to: departure)
        guard minutes >= 0 else { return "gone" }
        return minutes < 60 ? "\(minutes)m" : "\(minutes / 60)h \((minutes % 60).twoDigits)m"
    }

    /// The heads of one party may differ by the cent that cannot be split.
    private func perHead(_ share: [Money]) -> String {
        guard let most = share.max(), let least = share.min(), most != least else { return "\(share[0])" }
        return "\(least)/\(most)"
    }
}

extension ReportWriter {
    func write(_ totals: Totals) {
        write("\(totals)")
        write("Total: € \(totals.fares)")
    }
}
