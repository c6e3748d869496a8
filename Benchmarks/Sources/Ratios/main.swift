internal import Foundation
internal import Rows

// Ratios              prints the table; ends with 1 if a ratio exceeds its limit
// Ratios 1a 10b       prints these rows

/// The two sides of a row are timed in turns, so that other work of the machine slows both down. Each sample of the
/// work is compared with the samples of the floor before and after it, and the comparisons with the fastest floors
/// count: a fast floor cannot favor the work.
struct Sampling {
    private let comparisons = 20
    private let sample = Duration.milliseconds(20)

    func run(floor: Loop, work: Loop) throws -> (floor: Double, work: Double, ratio: Double) {
        let (floorCount, workCount) = (try count(for: floor), try count(for: work))
        var samples: [(floor: Double, work: Double)] = []
        var before = try floor(floorCount).nanoseconds / Double(floorCount)
        for _ in 0..<(2 * comparisons) {
            let time = try work(workCount).nanoseconds / Double(workCount)
            let after = try floor(floorCount).nanoseconds / Double(floorCount)
            samples.append(((before + after) / 2, time))
            before = after
        }
        let fastest = samples.sorted { $0.floor < $1.floor }.prefix(comparisons)
        return (median(fastest.map(\.floor)), median(fastest.map(\.work)), median(fastest.map { $0.work / $0.floor }))
    }

    /// The number of repetitions that a sample needs.
    private func count(for loop: Loop) throws -> Int {
        var count = 100
        while true {
            let duration = try loop(count)
            if duration >= sample { return count }
            count = Int(Double(count) * min(sample.nanoseconds / max(duration.nanoseconds, 1) * 1.5, 100))
        }
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

extension Duration {
    var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}

func printTable(_ rows: [Row]) throws -> Bool {
    var areAllBelow = true
    print("row".padded(60), "floor ns", " work ns", " ratio", "  must")
    for row in rows {
        let loops = try row.prepare()
        let (floor, work, ratio) = try Sampling().run(floor: loops.floor, work: loops.work)
        let isBelow = ratio <= row.must
        if !isBelow { areAllBelow = false }
        let figures = String(format: "%8.1f %8.1f %6.2f %6.1f", floor, work, ratio, row.must)
        print(row.name.padded(60), figures, isBelow ? "" : "OVER")
    }
    return areAllBelow
}

extension String {
    func padded(_ width: Int) -> String { padding(toLength: width, withPad: " ", startingAt: 0) }
}

let rows = CommandLine.arguments.dropFirst().map { number in
    guard let row = Row.numbered(number) else { fatalError("There is no row \(number).") }
    return row
}
let areAllBelow = try printTable(rows.isEmpty ? Row.all : rows)
if !areAllBelow { exit(1) }
