internal import CMachine
internal import Foundation
internal import Histogram
internal import Injectle

// Measures each replacement of a registration beside threads that read it: `Writers 0 8` beside none and beside eight.
//
// Beside more threads than processors, a thread waits for its turn. So the table has the same for two operations without
// the library, beside the same readers: the barrier on all threads of the process, which a replacement needs, and an
// allocation.

private protocol Service: AnyObject, Sendable {}
private final class Implementation: Service {}

/// Threads that resolve until they are stopped.
private final class Readers: @unchecked Sendable {
    // Guarded by the lock.
    private var isStopped = false
    private let lock = NSLock()
    private let ended = DispatchGroup()

    init(_ count: Int, of locator: Locator) {
        let started = DispatchSemaphore(value: 0)
        for _ in 0..<count {
            ended.enter()
            Thread.detachNewThread {
                started.signal()
                while !self.lock.withLock({ self.isStopped }) {
                    for _ in 0..<1000 { _ = try? locator.resolve((any Service).self) }
                }
                self.ended.leave()
            }
        }
        for _ in 0..<count { started.wait() }
    }

    /// Returns once all threads have ended.
    func stop() {
        lock.withLock { isStopped = true }
        ended.wait()
    }
}

/// The durations of an operation, in nanoseconds: of 50,000, or of as many as fit into two seconds.
private func measure(_ operation: () -> Void) -> Histogram<UInt64> {
    var histogram = Histogram<UInt64>(highestTrackableValue: 100_000_000_000, numberOfSignificantValueDigits: .three)
    for _ in 0..<1000 { operation() }
    let end = ContinuousClock.now + .seconds(2)
    for _ in 0..<50_000 {
        let start = ContinuousClock.now
        operation()
        let stop = ContinuousClock.now
        let (seconds, attoseconds) = start.duration(to: stop).components
        histogram.record(UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
        if stop > end { break }
    }
    return histogram
}

@inline(never)
private func makeService() -> any Service { Implementation() }

nonisolated(unsafe) private var kept: (any Service)?

private func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

private func row(_ readers: Int, _ name: String, _ histogram: Histogram<UInt64>) {
    let figures = [histogram.valueAtPercentile(50), histogram.valueAtPercentile(99), histogram.max]
    let columns = figures.map { padded(String(format: "%.2f", Double($0) / 1000), to: 12) }.joined()
    print(padded("\(readers)", to: 7) + "  " + name.padding(toLength: 12, withPad: " ", startingAt: 0) + columns)
}

let counts = CommandLine.arguments.dropFirst().compactMap { Int($0) }
print("readers  operation        p50 µs      p99 µs      max µs")
for count in counts.isEmpty ? [0, 1, 2, 8, 32] : counts {
    let locator = Locator("writers")
    locator.register(.eager(makeService()), for: (any Service).self)
    let readers = Readers(count, of: locator)
    row(count, "replacement", measure { locator.register(.eager(makeService()), for: (any Service).self) })
    row(count, "barrier", measure { barrier_of_process() })
    row(count, "allocation", measure { kept = makeService() })
    readers.stop()
}
