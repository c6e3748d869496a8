/// What the program was asked to do.
struct Arguments {
    var isTest = false
    var isSlow = false
    var wantsHelp = false
    /// The sample that comes with the program, if there is none.
    var path: String?
    /// What is different from the fares that come with the program.
    var fares: String?
    /// Where the report goes, if it is not to be shown.
    var report: String?

    static let usage = """
        usage: Carpool [bookings.csv] [--fares FILE] [--report FILE] [--slow] [--test]

          bookings.csv   lines of passenger,pickup,destination,time,seats and perhaps a date; a sample if left out
          --fares FILE   JSON with what is different from the usual fares, such as { "night": { "start": 600 } }
          --report FILE  where to write the report, instead of showing it
          --slow         take a while to start, and show how far that has come
          --test         plan at a fixed date and time and by fixed fares, on the test locator

        """

    init() {}

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--test": isTest = true
            case "--slow": isSlow = true
            case "--help", "-h": wantsHelp = true
            case "--fares": fares = try Self.file(of: argument, &rest)
            case "--report": report = try Self.file(of: argument, &rest)
            case _ where argument.hasPrefix("-"): throw UsageError(text: "there is no option \(argument)")
            case _ where path != nil: throw UsageError(text: "there is more than one file")
            default: path = argument
            }
        }
    }

    private static func file(of option: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let file = rest.popFirst(), !file.hasPrefix("-") else { throw UsageError(text: "\(option) needs a file") }
        return file
    }
}

/// Arguments that cannot be understood.
struct UsageError: Error {
    let text: String
}
