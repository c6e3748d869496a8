/// The arguments of the program.
struct Arguments {
    var isTest = false
    var isSlow = false
    var wantsHelp = false
    /// The file of bookings. Nil for the sample of the program.
    var path: String?
    /// A file of fares. Nil for the fares of the program.
    var fares: String?
    /// The file of the report. Nil for standard output.
    var report: String?
    /// The file of the services' graph.
    var graph: String?

    static let usage = """
        usage: Carpool [bookings.csv] [--fares FILE] [--report FILE] [--graph FILE] [--slow] [--test]

          bookings.csv   lines of passenger,pickup,destination,time,seats with an optional date; default: a sample
          --fares FILE   a JSON file with the fares of another town
          --report FILE  write the report to a file instead of standard output
          --graph FILE   write the graph of the program's services to an HTML file
          --slow         simulate a slow start, and show its progress
          --test         use a fixed date, time and fares, and the test locator

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
            case "--graph": graph = try Self.file(of: argument, &rest)
            case _ where argument.hasPrefix("-"): throw UsageError(text: "unknown option \(argument)")
            case _ where path != nil: throw UsageError(text: "more than one file")
            default: path = argument
            }
        }
    }

    private static func file(of option: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let file = rest.popFirst(), !file.hasPrefix("-") else { throw UsageError(text: "\(option) needs a file") }
        return file
    }
}

/// An error in the arguments.
struct UsageError: Error {
    let text: String
}
