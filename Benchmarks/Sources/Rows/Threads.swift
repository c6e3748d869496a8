internal import Foundation
internal import Injectle

extension Row {
    /// Several threads at once. With fewer than two free processors, these rows mean nothing.
    static let threads: [Row] = [
        Row("11a two threads resolve one service", must: 5) {
            let locator = try filledLocator()
            let work = storeLoop(locator)
            return (
                { count in try onTwoThreads({ try storeLoop(count) }, { try storeLoop(count) }) },
                { count in try onTwoThreads({ try work(count) }, { try work(count) }) }
            )
        },
        Row("11b two threads resolve a service each", must: 4) {
            let locator = try filledLocator()
            return (
                { count in try onTwoThreads({ try storeLoop(count) }, { try clockLoop(count) }) },
                { count in
                    try onTwoThreads(
                        { try repeated(count) { try resolveStore(locator, &$0) } },
                        { try repeated(count) { try resolveClock(locator, &$0) } }
                    )
                }
            )
        },
        Row("12 replace beside eight readers, over no reader", must: 4) {
            let locator = try filledLocator()
            return (
                { count in medianTimes(count) { replaceStore(in: locator) } },
                { count in
                    let readers = Readers(8, of: locator)
                    defer { readers.stop() }
                    return medianTimes(count) { replaceStore(in: locator) }
                }
            )
        },
    ]
}

@inline(never)
private func readClock(_ result: inout (any Clock)?) { result = Singletons.clock }

private let clockLoop: Loop = { count in repeated(count) { readClock(&$0) } }

@inline(never)
private func resolveClock(_ locator: Locator, _ result: inout (any Clock)?) throws {
    result = try locator.resolve((any Clock).self)
}

@inline(never)
private func replaceStore(in locator: Locator) {
    locator.register(.eager(makeStore()), for: (any Store).self)
}

/// The median time of an operation, times its number. The mean would be the time for which a writer waits for a
/// processor.
private func medianTimes(_ count: Int, _ operation: () -> Void) -> Duration {
    let times = (0..<count).map { _ in ContinuousClock().measure(operation) }.sorted()
    return times[count / 2] * count
}

/// Runs two loops on two threads, and returns the time until both have ended.
func onTwoThreads(
    _ first: @escaping @Sendable () throws -> Duration,
    _ second: @escaping @Sendable () throws -> Duration
) throws -> Duration {
    let loops = [first, second]
    nonisolated(unsafe) var outcomes = [Result<Duration, any Error>?](repeating: nil, count: 2)
    let lock = NSLock()
    DispatchQueue.concurrentPerform(iterations: 2) { number in
        let outcome = Result { try loops[number]() }
        lock.withLock { outcomes[number] = outcome }
    }
    return try outcomes.map { try $0?.get() ?? .zero }.max() ?? .zero
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
                var result: (any Store)?
                while !self.lock.withLock({ self.isStopped }) {
                    for _ in 0..<1000 { try? resolveStore(locator, &result) }
                }
                self.ended.leave()
            }
        }
    }

    func stop() {
        lock.withLock { isStopped = true }
        ended.wait()
    }
}
