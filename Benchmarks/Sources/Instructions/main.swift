internal import Rows

// Does the work of a row so many times: `Instructions 1a 1000`. The script `instructions` runs it twice, with two
// counts, and the difference is what the operations took.

let arguments = CommandLine.arguments
guard arguments.count == 3, let row = Row.named(arguments[1]), let count = Int(arguments[2]) else {
    fatalError("The arguments are the number of a row and a count.")
}
switch try row.prepare() {
case .ratio(_, let work): _ = try work(count)
case .bytes: fatalError("The row \(row.name) has no work to repeat.")
}
