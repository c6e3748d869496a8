import Testing

@testable import CarpoolKit

struct DayTests {
    @Test(arguments: ["0001-01-01", "1999-12-31", "2000-02-29", "2026-11-21", "9999-12-30"])
    func `A day is written as it is read`(text: String) throws {
        #expect(try #require(Day(text)).description == text)
    }

    @Test(arguments: [
        "", "2026", "2026-11", "2026-11-21-", "26-11-21", "2026-1-2", "2026-00-01", "2026-13-01", "2026-04-31",
        "2026-01-00",
        "2026-02-29", "1900-02-29", "0000-01-01", "+026-01-01", "2026/11/21", "２０２６-11-21",
    ])
    func `An invalid day is not read`(text: String) {
        #expect(Day(text) == nil)
    }

    @Test(arguments: [
        ("2026-11-20", "2026-11-21"), ("2026-11-30", "2026-12-01"), ("2026-12-31", "2027-01-01"),
        ("2028-02-28", "2028-02-29"), ("2027-02-28", "2027-03-01"), ("2000-02-29", "2000-03-01"),
    ])
    func `A day is followed by the next, one day later`(text: String, next: String) throws {
        let day = try #require(Day(text))
        #expect(day.next.description == next)
        #expect(day.days(until: day.next) == 1)
        #expect(day.next.days(until: day) == -1)
        #expect(day < day.next)
    }

    @Test func `Four hundred years have as many days as the calendar says`() throws {
        #expect(try #require(Day("1600-01-01")).days(until: #require(Day("2000-01-01"))) == 146_097)
    }
}
