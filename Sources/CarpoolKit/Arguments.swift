/// What the program was asked to do.
struct Arguments {
    var isTest = false
    var wantsHelp = false
    /// The sample that comes with the program, if there is none.
    var path: String?

    static let usage = """
        usage: Carpool [bookings.csv] [--test]

          bookings.csv  lines of passenger,pickup,destination,time,seats and perhaps a date; a sample if left out
          --test        plan at a fixed date and time and by fixed fares, on the test locator

        """

    init(_ arguments: [String]) throws(UsageError) {
        for argument in arguments {
            switch argument {
            case "--test": isTest = true
            case "--help", "-h": wantsHelp = true
            case _ where argument.hasPrefix("-"): throw UsageError(text: "there is no option \(argument)")
            case _ where path != nil: throw UsageError(text: "there is more than one file")
            default: path = argument
            }
        }
    }
}

/// Arguments that cannot be understood.
struct UsageError: Error {
    let text: String
}
