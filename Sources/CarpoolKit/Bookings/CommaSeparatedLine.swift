/// One line of comma-separated values.
///
/// A field in quotes may hold commas, and quotes if they are doubled. It ends on its line: no name or place has a line
/// break, so a quote that is not closed spoils one line and not the rest of the file.
struct CommaSeparatedLine {
    let fields: [String]

    init(_ line: some StringProtocol) throws(LineError) {
        // By scalars: a combining mark after a comma or a quote would hide it in a character of its own.
        var rest = Substring(line).unicodeScalars
        var fields: [String] = []
        repeat {
            if rest.first == "\"" {
                fields.append(try Self.quoted(&rest))
            } else {
                fields.append(try Self.plain(&rest))
            }
        } while rest.popFirst() == ","
        self.fields = fields
    }

    private static func plain(_ rest: inout Substring.UnicodeScalarView) throws(LineError) -> String {
        let field = rest.prefix { $0 != "," }
        guard !field.contains("\"") else {
            throw LineError("a quote inside an unquoted field")
        }
        rest = rest[field.endIndex...]
        return String(Substring(field))
    }

    private static func quoted(_ rest: inout Substring.UnicodeScalarView) throws(LineError) -> String {
        rest.removeFirst()
        var field = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar != "\"" {
                field.append(scalar)
            } else if rest.first == "\"" {
                field.append(rest.removeFirst())
            } else if rest.isEmpty || rest.first == "," {
                return String(field)
            } else {
                throw LineError("text between a closing quote and the next comma")
            }
        }
        throw LineError("a quote is not closed")
    }
}
