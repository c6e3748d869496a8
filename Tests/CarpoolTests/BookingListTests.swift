import Testing

@testable import CarpoolKit

struct BookingListTests {
    private let today = Day("2026-11-20")!

    private func list(_ text: String) -> BookingList {
        BookingList(reading: text, from: "list.csv", on: today)
    }

    @Test func `A line is a booking`() throws {
        let list = list("Ann, Harbour ,Airport,7:05,2")
        let booking = try #require(list.bookings.first)
        #expect(booking.passenger == "Ann")
        #expect(booking.pickup == "Harbour")
        #expect(booking.destination == "Airport")
        #expect(booking.time == TimeOfDay(hour: 7, minute: 5))
        #expect(booking.seats == 2)
        #expect(booking.day == today)
        #expect(booking.origin == Origin(file: "list.csv", line: 1))
        #expect(list.bookings.count == 1)
        #expect(list.problems.isEmpty)
    }

    @Test func `Quotes hold commas, doubled quotes and nothing`() throws {
        let fields = try CommaSeparatedLine(#"a,"b, c","d ""e"" f","",g,"#).fields
        #expect(fields == ["a", "b, c", #"d "e" f"#, "", "g", ""])
        #expect(try CommaSeparatedLine(#""""""#).fields == [#"""#])
        #expect(try CommaSeparatedLine("").fields == [""])
        // An accent without a letter belongs to no comma and to no quote.
        #expect(try CommaSeparatedLine("a,\u{301}b,\"c\"").fields == ["a", "\u{301}b", "c"])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `Any line break is accepted, and empty lines and headers are skipped`(lineBreak: String) {
        let lines = [
            "", "Passenger,Pickup,Destination,Time,Seats", "Ann,A,B,07:00,1", "", "  ", "Bob,A,B,07:00,1", "nobody", "",
        ]
        let list = list(lines.joined(separator: lineBreak))
        #expect(list.bookings.map(\.passenger) == ["Ann", "Bob"])
        #expect(list.bookings.map(\.origin.line) == [3, 6])
        #expect(list.problems.map(\.origin.line) == [7])
    }

    @Test func `A byte order mark is not part of the first name`() {
        #expect(list("\u{FEFF}Ann,A,B,07:00,1").bookings.map(\.passenger) == ["Ann"])
        #expect(list("\u{FEFF}passenger,pickup,destination,time,seats\nAnn,A,B,07:00,1").problems.isEmpty)
    }

    @Test func `A header is one in the first line only`() {
        let header = "passenger,pickup,destination,time,seats"
        #expect(list("\(header)\n\(header)").problems.map(\.origin.line) == [2])
        #expect(list("Ann,A,B,07:00,1\n\(header)").problems.map(\.origin.line) == [2])
    }

    @Test func `A text without bookings is no problem`() {
        #expect(list("") == list("passenger,pickup,destination,time,seats\n"))
        #expect(list("").problems.isEmpty)
    }

    @Test(arguments: [
        (
            "Cid,A,B,07:00",
            "expected 5 fields (passenger, pickup, destination, time, seats) and an optional date, found 4"
        ),
        (
            "Cid,A,B,07:00,1,,",
            "expected 5 fields (passenger, pickup, destination, time, seats) and an optional date, found 7"
        ),
        ("nonsense", "expected 5 fields (passenger, pickup, destination, time, seats) and an optional date, found 1"),
        ("Cid,A,B,07:00,1,soon", #""soon" is not a date like 2026-11-20, `today` or `tomorrow`"#),
        ("Cid,A,B,07:00,1,2026-11-31", #""2026-11-31" is not a date like 2026-11-20, `today` or `tomorrow`"#),
        ("Cid,A,B,07:00,1,21.11.2026", #""21.11.2026" is not a date like 2026-11-20, `today` or `tomorrow`"#),
        (" ,A,B,07:00,1", "the passenger is missing"),
        ("Cid,,B,07:00,1", "the pickup is missing"),
        (#"Cid,A,"",07:00,1"#, "the destination is missing"),
        ("Cid,A,a,07:00,1", "pickup and destination are the same"),
        ("Cid,A,B,24:00,1", #""24:00" is not a time from 00:00 to 23:59"#),
        ("Cid,A,B,07:60,1", #""07:60" is not a time from 00:00 to 23:59"#),
        ("Cid,A,B,7:5,1", #""7:5" is not a time from 00:00 to 23:59"#),
        ("Cid,A,B,+7:05,1", #""+7:05" is not a time from 00:00 to 23:59"#),
        ("Cid,A,B,07:00:00,1", #""07:00:00" is not a time from 00:00 to 23:59"#),
        ("Cid,A,B,,1", #""" is not a time from 00:00 to 23:59"#),
        ("Cid,A,B,07:00,two", #""two" is not a number of seats"#),
        ("Cid,A,B,07:00,1.5", #""1.5" is not a number of seats"#),
        ("Cid,A,B,07:00,99999999999999999999", #""99999999999999999999" is not a number of seats"#),
        ("Cid,A,B,07:00,", #""" is not a number of seats"#),
        ("Cid,A,B,07:00,0", "0 seats cannot be booked"),
        ("Cid,A,B,07:00,-1", "-1 seats cannot be booked"),
        (#""Cid,A,B,07:00,1"#, "a quote is not closed"),
        (#"Cid "C",A,B,07:00,1"#, "a quote inside an unquoted field"),
        (#""Cid" C,A,B,07:00,1"#, "text between a closing quote and the next comma"),
        ("Cid\u{1B}[2J,A,B,07:00,1", "the line contains a control character"),
        ("ann,a,b,7:00,3", "ann already booked this ride in line 1"),
        ("Ann,A,B,07:00,1,2026-11-20", "Ann already booked this ride in line 1"),
    ])
    func `A bad line is named with its number, and the lines around it are read`(line: String, text: String) {
        let list = list("Ann,A,B,07:00,1\n\(line)\nDot,A,B,07:00,1")
        #expect(list.problems.map(\.description) == ["list.csv:2: \(text)"])
        #expect(list.bookings.map(\.passenger) == ["Ann", "Dot"])
    }

    @Test func `Invalid UTF-8 affects its own line only`() {
        let bytes = Array("Ann,A,B,07:00,1\nC".utf8) + [0xE9] + Array("d,A,B,07:00,1\nDot,A,B,07:00,1".utf8)
        let list = list(String(decoding: bytes, as: UTF8.self))
        #expect(list.problems.map(\.description) == ["list.csv:2: the line is not UTF-8 text"])
        #expect(list.bookings.map(\.passenger) == ["Ann", "Dot"])
    }

    @Test func `A booking may have a date, and is for today without one`() {
        let list = list(
            """
            passenger,pickup,destination,time,seats,Date
            Ann,A,B,07:00,1
            Bob,A,B,07:00,1,
            Cid,A,B,07:00,1,Today
            Dot,A,B,07:00,1,tomorrow
            Eva,A,B,07:00,1, 2028-02-29
            Fay,A,B,07:00,1,2026-11-19
            """
        )
        #expect(list.problems.isEmpty)
        let days = ["2026-11-20", "2026-11-20", "2026-11-20", "2026-11-21", "2028-02-29", "2026-11-19"]
        #expect(list.bookings.map(\.day.description) == days)
    }

    @Test func `One may book several rides`() {
        #expect(list("Ann,A,B,07:00,1\nAnn,A,B,07:00,1,tomorrow").problems.isEmpty)
        #expect(list("Ann,A,B,07:00,1\nAnn,B,A,07:00,1\nAnn,A,B,08:00,1").problems.isEmpty)
    }
}
