// Prints a table of nanoseconds for each operation and library. The libraries take turns, and the median of their times
// counts.

let rounds = 15

let libraries = [injectle(), swinject(), factory(), resolver()]

/// The nanoseconds of one operation, repeated for about ten milliseconds.
func nanoseconds(_ repeating: (Int) -> Void) -> Double {
    let clock = ContinuousClock()
    var times = 1
    while true {
        let duration = clock.measure { repeating(times) }
        if duration > .milliseconds(10) { return duration / .nanoseconds(1) / Double(times) }
        times *= 2
    }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

print("| nanoseconds | \(libraries.map(\.name).joined(separator: " | ")) |")
print("| --- |\(String(repeating: " --- |", count: libraries.count))")
for operation in Operation.allCases {
    var times = [[Double]](repeating: [], count: libraries.count)
    for _ in 0..<rounds {
        for (index, library) in libraries.enumerated() {
            if let repeating = library.repeating[operation] { times[index].append(nanoseconds(repeating)) }
        }
    }
    let cells = times.map { $0.isEmpty ? "–" : String(Int(median($0).rounded())) }
    print("| \(operation.rawValue) | \(cells.joined(separator: " | ")) |")
}
