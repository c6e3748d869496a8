internal import Foundation

/// The content of a text: the bookings, and the problems of lines that cannot be read.
struct BookingList: Hashable, Sendable {
    private(set) var bookings: [Booking] = []
    private(set) var problems: [Problem] = []

    private static let columns = ["passenger", "pickup", "destination", "time", "seats"]
    /// The optional column.
    private static let extra = "date"

    /// - Parameters:
    ///   - file: What messages call the text.
    ///   - today: The day of those who name none.
    init(reading text: String, from file: String, on today: Day) {
        var seen: [Booking.Identity: Origin] = [:]
        var mayBeHeader = true
        for (index, line) in Self.lines(of: text).enumerated() where !line.allSatisfy(\.isWhitespace) {
            let origin = Origin(file: file, line: index + 1)
            defer { mayBeHeader = false }
            do throws(LineError) {
                let fields = try Self.fields(of: line)
                if mayBeHeader, Self.isHeader(fields) { continue }
                let booking = try Booking(fields, origin, today)
                if let first = seen[booking.identity] {
                    throw LineError("\(booking.passenger) already booked this ride in line \(first.line)")
                }
                seen[booking.identity] = origin
                bookings.append(booking)
            } catch {
                problems.append(Problem(origin: origin, text: error.text))
            }
        }
    }

    private static func isHeader(_ fields: [String]) -> Bool {
        [columns, columns + [extra]].contains(fields.map { $0.lowercased() })
    }

    private static func lines(of text: String) -> [Substring] {
        // Spreadsheets begin a file with a byte order mark, which would hide the header.
        var content = Substring(text)
        if content.unicodeScalars.first == "\u{FEFF}" { content.unicodeScalars.removeFirst() }
        return content.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
    }

    private static func fields(of line: Substring) throws(LineError) -> [String] {
        // This is what decoding puts in place of bytes that are no text.
        guard !line.unicodeScalars.contains("\u{FFFD}") else { throw LineError("the line is not UTF-8 text") }
        guard !line.unicodeScalars.contains(where: \.isControl) else {
            throw LineError("the line contains a control character")
        }
        let fields = try CommaSeparatedLine(line).fields.map { $0.trimmingCharacters(in: .whitespaces) }
        guard columns.count...columns.count + 1 ~= fields.count else {
            let expected = "\(columns.count) fields (\(columns.joined(separator: ", "))) and an optional \(extra)"
            throw LineError("expected \(expected), found \(fields.count)")
        }
        return fields
    }
}

extension Booking {
    fileprivate init(_ fields: [String], _ origin: Origin, _ today: Day) throws(LineError) {
        for (field, name) in zip(fields, ["passenger", "pickup", "destination"]) where field.isEmpty {
            throw LineError("the \(name) is missing")
        }
        guard let time = TimeOfDay(fields[3]) else {
            throw LineError("\"\(fields[3])\" is not a time from 00:00 to 23:59")
        }
        guard let seats = Int(fields[4]) else { throw LineError("\"\(fields[4])\" is not a number of seats") }
        guard seats > 0 else { throw LineError("\(seats) seats cannot be booked") }
        let date = fields.count > 5 ? fields[5] : ""
        guard let day = Day(date, seenFrom: today) else {
            throw LineError("\"\(date)\" is not a date like \(today), `today` or `tomorrow`")
        }
        self.init(
            passenger: fields[0],
            pickup: fields[1],
            destination: fields[2],
            day: day,
            time: time,
            seats: seats,
            origin: origin
        )
        guard way.pickup != way.destination else { throw LineError("pickup and destination are the same") }
    }
}

extension Day {
    /// Reads a date, or a word for a day. Without either, returns today.
    fileprivate init?(_ text: String, seenFrom today: Day) {
        switch text.lowercased() {
        case "", "today": self = today
        case "tomorrow": self = today.next
        default: self.init(text)
        }
    }
}

extension Unicode.Scalar {
    /// Whether it would do something to a terminal, or to a table, instead of being seen.
    fileprivate var isControl: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}
