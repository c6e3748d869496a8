import Injectle
import Testing

@testable import CarpoolKit

struct ReportTests {
    @Test func `A plan is a table and a total`() {
        let outcome = run(
            """
            Ann,Harbour,Airport,04:20,1
            "Bob ""B"" Brown",Harbour,Airport,04:30,2
            Zoë,Mill Lane,Nowhere,16:35,1
            """
        )
        let expected = """
            Carpool, planned at 04:30

            Leaves       In  Arrives  Car      From       To       Passenger      Seats  Per head   Pays
            ------  -------  -------  -------  ---------  -------  -------------  -----  --------  -----
            04:30        0m  05:20    compact  Harbour    Airport  Ann                1      5.34   5.34
                                                                   Bob "B" Brown      2      5.33  10.66
            16:35   12h 05m  16:55    compact  Mill Lane  Nowhere  Zoë                1     10.00  10.00

            3 bookings, 4 heads, 2 rides by 2 compacts
            Total: € 26.00

            """
        #expect(outcome.output == expected)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.status == 0)
    }

    // Each case has a clock of its own, and they run side by side.
    @Test(arguments: [
        (TimeOfDay(hour: 9, minute: 0), "0m"), (TimeOfDay(hour: 8, minute: 1), "59m"),
        (TimeOfDay(hour: 8, minute: 0), "1h 00m"), (TimeOfDay(hour: 9, minute: 1), "23h 59m"),
        (TimeOfDay(hour: 23, minute: 30), "9h 30m"),
    ])
    func `The clock says how soon a ride leaves`(now: TimeOfDay, soon: String) {
        let outcome = run("Ann,Harbour,Airport,09:00,1") { locator in
            locator.registerSingleton(FixedClock(now: now) as any WallClock)
        }
        #expect(outcome.output.hasPrefix("Carpool, planned at \(now)\n"))
        #expect(outcome.output.contains("09:00   \(soon)  09:50"))
    }

    @Test func `A cent that cannot be split shows`() {
        #expect(run("Ann,Harbour,Airport,09:00,3").output.contains("3  3.33/3.34  10.00"))
    }

    @Test func `Good lines are planned, and bad ones are told in the order of the file`() {
        let outcome = run("Ann,Harbour,Airport,09:00,9\nBob\nCid,Harbour,Airport,09:00,1\nDot,Harbour,Airport,09:00,x")
        #expect(outcome.output.contains("Cid"))
        #expect(outcome.output.contains("1 booking, 1 head, 1 ride by 1 compact\n"))
        #expect(
            outcome.errors == """
                mock.csv:1: 9 seats are more than the largest car has, 7
                mock.csv:2: expected 5 fields (passenger, pickup, destination, time, seats), found 1
                mock.csv:4: "x" is not a number of seats

                """
        )
        #expect(outcome.status == 1)
    }

    @Test func `Nobody to be driven is nothing wrong`() {
        let outcome = run("passenger,pickup,destination,time,seats\r\n")
        #expect(outcome.output == "Carpool, planned at 04:30\n\nThere is nobody to be driven.\n")
        #expect(outcome.errors.isEmpty)
        #expect(outcome.status == 0)
    }

    @Test func `A file that is missing is said to be`() {
        let outcome = run("") { locator in
            locator.register(.lazy { BookingFile("/nowhere/bookings.csv") }, for: (any BookingSource).self)
        }
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "/nowhere/bookings.csv: there is no such file\n")
        #expect(outcome.status == 1)
    }

    @Test func `What is written to one report is in no other`() {
        Locator.$shared.withValue(mocks()) {
            let first = Inject<any ReportWriter>()
            let second = Inject<any ReportWriter>()
            first().write("a")
            first().write("b")
            #expect(first().text == "a\nb\n")
            #expect(second().text.isEmpty)
        }
    }
}
