internal import Dispatch
internal import Foundation
internal import Injectle

extension Row {
    /// Row 15: replacing a registration while other threads read it. As the median of the replacements: beside more threads
    /// than processors, the mean is the time for which the writer waits for its turn.
    static let writers: [Row] = [
        Row("15a-replace-while-eight-threads-read") {
            let locator = try locatorWithSingleton(among: 10)
            return (
                { count in timedOneByOne(count) { replace(in: locator, &$0) } },
                { count in
                    let readers = Readers(8, of: locator)
                    defer { readers.stop() }
                    return timedOneByOne(count) { replace(in: locator, &$0) }
                }
            )
        }
    ]
}

@inline(never)
private func replace(in locator: Locator, _ result: inout (any Service)?) {
    let service = makeService()
    locator.register(.eager(service), for: (any Service).self)
    result = service
}

/// Threads that resolve until they are stopped.
private final class Readers: @unchecked Sendable {
    // Guarded by the lock.
    private var isStopped = false
    private let lock = NSLock()
    private let ended = DispatchGroup()

    init(_ count: Int, of locator: Locator) {
        for _ in 0..<count {
            ended.enter()
            Thread.detachNewThread {
                var result: (any Service)?
                while !self.lock.withLock({ self.isStopped }) {
                    for _ in 0..<1000 { try? resolve(locator, &result) }
                }
                self.ended.leave()
            }
        }
    }

    /// Returns once all threads have ended.
    func stop() {
        lock.withLock { isStopped = true }
        ended.wait()
    }
}

/// Times each of several operations. Returns their number times the median.
private func timedOneByOne(_ count: Int, _ operation: (inout (any Service)?) -> Void) -> Duration {
    var durations: [Duration] = []
    durations.reserveCapacity(count)
    _ = repeated(count) { (result: inout (any Service)?) in
        let start = ContinuousClock.now
        operation(&result)
        durations.append(start.duration(to: .now))
    }
    durations.sort()
    return durations[count / 2] * count
}
