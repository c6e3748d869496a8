// Instructions              prints the names of the rows
// Instructions NAME COUNT   repeats the operation of a row

let arguments = CommandLine.arguments.dropFirst()
if arguments.isEmpty {
    for row in Row.all { print(row.name) }
} else {
    guard arguments.count == 2, let row = Row.all.first(where: { $0.name == arguments.first }),
        let count = arguments.last.flatMap({ Int($0) })
    else { fatalError("usage: Instructions [NAME COUNT]") }
    try await row.prepare()(count)
}
