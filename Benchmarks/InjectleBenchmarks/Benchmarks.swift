import Benchmark
import Rows

/// One benchmark for each row. The plug-in runs each in a process of its own, so what a row leaves behind, such as
/// locators that exist from then on, reaches no other.
let benchmarks: @Sendable () -> Void = {
    for row in Row.all {
        // One iteration is the whole row, since its samples have to alternate between the two sides.
        let configuration = Benchmark.Configuration(
            metrics: Sampling.metrics,
            warmupIterations: 0,
            maxDuration: .seconds(600),
            maxIterations: 1
        )
        Benchmark(row.name, configuration: configuration) { benchmark in
            switch try row.prepare() {
            case .bytes(let bytes):
                benchmark.measurement(Sampling.bytes, bytes)
            case .ratio(let floor, let work):
                try Sampling.current.run(floor: floor, work: work).report(to: benchmark)
            }
        }
    }
}
