import Benchmark
import Foundation
import Rows

/// How the two sides of a row are timed: in turns, so that what slows the machine down for a while slows down both. Each
/// sample of the work is compared with the samples of the floor before and after it.
struct Sampling {
    /// How many comparisons count. There are at least twice as many.
    let comparisons: Int
    /// How long a row looks for that many with floors at full speed.
    let patience: Duration
    /// How long a sample of one side takes at least.
    let sample: Duration

    /// `INJECTLE_BENCHMARKS_BRIEF` asks for a run that shows that everything works, and whose times mean nothing.
    static let current =
        ProcessInfo.processInfo.environment["INJECTLE_BENCHMARKS_BRIEF"] == nil
        ? Sampling(comparisons: 20, patience: .seconds(5), sample: .milliseconds(20))
        : Sampling(comparisons: 2, patience: .zero, sample: .milliseconds(1))

    // The metrics of the benchmark library are integers, so ratios are in thousandths and times in picoseconds.

    /// The ratio of each comparison.
    static let pair = metric("pair-thousandths")
    /// The median of these, which is what a threshold is for. As the only value of its metric, it is all its
    /// percentiles.
    static let median = metric("median-thousandths")
    /// A quarter of the comparisons is below this.
    static let lowerQuartile = metric("lower-quartile-thousandths")
    /// A quarter of the comparisons is above this.
    static let upperQuartile = metric("upper-quartile-thousandths")
    /// The median time of one operation of the floor.
    static let floorTime = metric("floor-picoseconds")
    /// The median time of one operation of the work.
    static let workTime = metric("work-picoseconds")
    /// What a row of bytes has instead.
    static let bytes = metric("bytes")

    static let metrics = [pair, median, lowerQuartile, upperQuartile, floorTime, workTime, bytes]

    private static func metric(_ name: String) -> BenchmarkMetric {
        .custom(name, polarity: .prefersSmaller, useScalingFactor: false)
    }

    /// Times both sides.
    func run(floor: Loop, work: Loop) throws -> Samples {
        let floorCount = try count(for: floor)
        let workCount = try count(for: work)
        func sampleFloor() throws -> Double { try floor(floorCount).picoseconds / Double(floorCount) }
        var samples = Samples()
        let start = ContinuousClock.now
        var before = try sampleFloor()
        repeat {
            let work = try work(workCount).picoseconds / Double(workCount)
            let after = try sampleFloor()
            samples.add(Comparison(floor: (before + after) / 2, work: work))
            before = after
        } while !samples.areEnough(comparisons, isLate: start.duration(to: .now) >= patience)
        return samples.fastest(comparisons)
    }

    /// How often a side has to be repeated so that a sample is long enough. Finding out also warms it up.
    private func count(for loop: Loop) throws -> Int {
        var count = 1000
        while true {
            let duration = try loop(count)
            if duration >= sample { return count }
            // Half as much again, since the first times are slower than those that count.
            let missing = sample.picoseconds / max(duration.picoseconds, 1) * 1.5
            count = Int(Double(count) * min(missing, 100))
        }
    }
}

/// The times of one operation, in picoseconds.
struct Comparison {
    /// The mean of the samples before and after the work.
    let floor: Double
    let work: Double

    var ratio: Double { work / floor }
}

/// The comparisons of a row.
struct Samples {
    /// With the fastest floors first.
    private var comparisons: [Comparison] = []

    mutating func add(_ comparison: Comparison) {
        comparisons.insert(
            comparison,
            at: comparisons.firstIndex { $0.floor > comparison.floor } ?? comparisons.endIndex
        )
    }

    /// Whether so many count: there are twice as many, and the floors of the fastest differ little, unless it is late.
    func areEnough(_ count: Int, isLate: Bool) -> Bool {
        guard comparisons.count >= 2 * count else { return false }
        return isLate || comparisons[count - 1].floor <= comparisons[0].floor * 1.05
    }

    /// Those with the fastest floors. What else the machine does slows down both sides, but not alike, so the others say
    /// less. The choice cannot favor the work: a fast floor makes a large ratio.
    func fastest(_ count: Int) -> Samples { Samples(comparisons: Array(comparisons.prefix(count))) }

    func report(to benchmark: Benchmark) {
        let ratios = comparisons.map { $0.ratio * 1000 }
        for ratio in ratios { benchmark.measurement(Sampling.pair, Int(ratio.rounded())) }
        report(ratios, 0.5, Sampling.median, to: benchmark)
        report(ratios, 0.25, Sampling.lowerQuartile, to: benchmark)
        report(ratios, 0.75, Sampling.upperQuartile, to: benchmark)
        report(comparisons.map(\.floor), 0.5, Sampling.floorTime, to: benchmark)
        report(comparisons.map(\.work), 0.5, Sampling.workTime, to: benchmark)
    }

    /// Reports the value that such a part of the values is not above.
    private func report(_ values: [Double], _ part: Double, _ metric: BenchmarkMetric, to benchmark: Benchmark) {
        let sorted = values.sorted()
        let value = sorted[Int((Double(sorted.count - 1) * part).rounded())]
        benchmark.measurement(metric, Int(value.rounded()))
    }
}

extension Duration {
    fileprivate var picoseconds: Double {
        Double(components.seconds) * 1e12 + Double(components.attoseconds) / 1e6
    }
}
