internal import Injectle

/// Reads, plans and reports, by whatever services are registered.
struct Dispatcher {
    @Inject private var source: any BookingSource
    // Two properties, two reports: a volatile service is made for each.
    @Inject private var output: any ReportWriter
    @Inject private var errors: any ReportWriter

    func run() -> Program.Outcome {
        do throws(UnreadableFile) {
            let list = try source.read()
            let plan = Planner().plan(list.bookings)
            PlanReport().write(plan, to: output)
            for problem in (list.problems + plan.problems).sorted(by: { $0.origin.line < $1.origin.line }) {
                errors.write("\(problem)")
            }
        } catch {
            errors.write("\(error)")
        }
        return Program.Outcome(output: output.text, errors: errors.text, status: errors.text.isEmpty ? 0 : 1)
    }
}
