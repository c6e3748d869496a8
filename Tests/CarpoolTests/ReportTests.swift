import Injectle
import InjectleTesting
import Testing

@testable import CarpoolKit

@Suite(.carpool) struct ReportTests {
    @Test func `A plan is a table and a total`() async {
        let outcome = await run(
            """
            Ann,Harbour,Airport,04:20,1
            "Bob ""B"" Brown",Harbour,Airport,04:30,2
            Zoë,Mill Lane,Nowhere,16:35,1
            """
        )
        let expected = """
            Carpool, planned at 04:30

            2026-11-20, today

            Leaves       In  Arrives  Car        From       To       Passenger      Seats  Per head   Pays
            ------  -------  -------  ---------  ---------  -------  -------------  -----  --------  -----
            04:30        0m  05:20    compact 1  Harbour    Airport  Ann                1      5.34   5.34
                                                                     Bob "B" Brown      2      5.33  10.66
            16:35   12h 05m  16:55    compact 2  Mill Lane  Nowhere  Zoë                1     10.00  10.00

            3 bookings, 4 heads, 2 rides by 2 compacts
            Total: € 26.00

            """
        #expect(outcome.output == expected)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.status == 0)
    }

    // Each case has its own clock, and they run concurrently.
    @Test(arguments: [
        (TimeOfDay(hour: 9, minute: 0), "0m"), (TimeOfDay(hour: 8, minute: 1), "59m"),
        (TimeOfDay(hour: 8, minute: 0), "1h 00m"), (TimeOfDay(hour: 9, minute: 1), "gone"),
    ])
    func `The clock says how soon a ride leaves`(now: TimeOfDay, soon: String) async {
        Locator.shared.registerSingleton(FixedClock(today: FixedClock.test.today, now: now) as any WallClock)
        let outcome = await run("Ann,Harbour,Airport,09:00,1")
        #expect(outcome.output.hasPrefix("Carpool, planned at \(now)\n"))
        #expect(outcome.output.contains("09:00   \(soon)  09:50"))
    }

    @Test(arguments: [
        ("2026-11-19", "2026-11-19", "gone"), ("2026-11-20", "2026-11-20, today", "4h 30m"),
        ("2026-11-21", "2026-11-21, tomorrow", "28h 30m"), ("2026-12-01", "2026-12-01", "268h 30m"),
    ])
    func `A date is shown by its distance from today`(date: String, heading: String, soon: String) async {
        let outcome = await run("Ann,Harbour,Airport,09:00,1,\(date)")
        #expect(outcome.output.contains("\n\n\(heading)\n\n"))
        #expect(outcome.output.contains("09:00   \(soon)  09:50"))
    }

    @Test func `Each day is planned for itself, in its order, and all are added up`() async {
        let outcome = await run(
            """
            Ann,Harbour,Airport,09:00,1,tomorrow
            Bob,Harbour,Airport,09:00,1
            Cid,Harbour,Airport,09:00,2,2026-11-21
            Dot,Harbour,Airport,10:00,6,tomorrow
            """
        )
        let expected = """
            Carpool, planned at 04:30

            2026-11-20, today

            Leaves      In  Arrives  Car        From     To       Passenger  Seats  Per head   Pays
            ------  ------  -------  ---------  -------  -------  ---------  -----  --------  -----
            09:00   4h 30m  09:50    compact 1  Harbour  Airport  Bob            1     10.00  10.00

            1 booking, 1 head, 1 ride by 1 compact
            Total: € 10.00

            2026-11-21, tomorrow

            Leaves       In  Arrives  Car        From     To       Passenger  Seats   Per head   Pays
            ------  -------  -------  ---------  -------  -------  ---------  -----  ---------  -----
            09:00   28h 30m  09:50    compact 1  Harbour  Airport  Ann            1       3.34   3.34
                                                                   Cid            2       3.33   6.66
            10:00   29h 30m  10:50    van 1      Harbour  Airport  Dot            6  1.66/1.67  10.00

            3 bookings, 9 heads, 2 rides by 1 compact and 1 van
            Total: € 20.00

            Together, on 2 days
            4 bookings, 10 heads, 3 rides by 2 compacts and 1 van
            Total: € 30.00

            """
        #expect(outcome.output == expected)
        #expect(outcome.errors.isEmpty)
    }

    @Test(.locator { $0.unregisterService(Roster.self) }) func `A missing service is reported`() async {
        let outcome = await run("Ann,Harbour,Airport,09:00,1")
        #expect(outcome.errors.hasPrefix("No service is registered as CarpoolKit.Roster.\n"))
        #expect(outcome.status == 1)
    }

    @Test func `A day without passengers is valid`() async {
        let outcome = await run("passenger,pickup,destination,time,seats\r\n")
        #expect(outcome.output == "Carpool, planned at 04:30\n\nNo bookings.\n")
        #expect(outcome.errors.isEmpty)
        #expect(outcome.status == 0)
    }
}
