internal import CMachine
internal import Foundation
internal import Injectle

extension Row {
    /// Rows 8 and 9: two threads at once.
    static let threads: [Row] = [
        Row("8-resolve-on-two-threads-two-singletons") {
            let locator = try locatorWithLargeSingletons()
            return (
                { count in
                    try onTwoThreads(
                        { repeated(count) { readFirst(&$0) } },
                        { repeated(count) { readSecond(&$0) } }
                    )
                },
                { count in
                    try onTwoThreads(
                        { try repeated(count) { try resolveFirst(locator, &$0) } },
                        { try repeated(count) { try resolveSecond(locator, &$0) } }
                    )
                }
            )
        },
        Row("9a-resolve-on-two-threads-one-singleton") {
            let locator = try locatorWithLargeSingletons()
            return (
                { count in
                    try onTwoThreads(
                        compete: true,
                        { repeated(count) { readFirst(&$0) } },
                        { repeated(count) { readFirst(&$0) } }
                    )
                },
                { count in
                    try onTwoThreads(
                        compete: true,
                        { try repeated(count) { try resolveFirst(locator, &$0) } },
                        { try repeated(count) { try resolveFirst(locator, &$0) } }
                    )
                }
            )
        },
    ]
}

private protocol FirstService: AnyObject, Sendable {}
private protocol SecondService: AnyObject, Sendable {}

/// So large that the counts of two of them are never in one cache line, whatever the allocator does. Else it would be
/// luck whether two threads slow each other down that share nothing.
private class Large: @unchecked Sendable {
    // Never read, and never written after the object is made.
    private let space: (Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int) =
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

private final class First: Large, FirstService, @unchecked Sendable {}
private final class Second: Large, SecondService, @unchecked Sendable {}

private enum Pair {
    static let first: any FirstService = makeFirst()
    // Not `any SecondService`: the reads of both would then be merged into one function, which is slower than either.
    static let second = makeSecond()
}

/// A locator with both, made already, and with others that are not.
private func locatorWithLargeSingletons() throws -> Locator {
    let locator = Locator("benchmark") { locator in
        registerOthers(10, in: locator)
        locator.register(.lazy(.anywhere) { makeFirst() }, for: (any FirstService).self)
        locator.register(.lazy(.anywhere) { makeSecond() }, for: (any SecondService).self)
    }
    _ = try locator.resolve((any FirstService).self)
    _ = try locator.resolve((any SecondService).self)
    return locator
}

@inline(never)
private func makeFirst() -> any FirstService { First() }

@inline(never)
private func makeSecond() -> Second { Second() }

@inline(never)
private func readFirst(_ result: inout (any FirstService)?) {
    result = Pair.first
}

@inline(never)
private func readSecond(_ result: inout Second?) {
    result = Pair.second
}

@inline(never)
private func resolveFirst(_ locator: Locator, _ result: inout (any FirstService)?) throws {
    result = try locator.resolve((any FirstService).self)
}

@inline(never)
private func resolveSecond(_ locator: Locator, _ result: inout (any SecondService)?) throws {
    result = try locator.resolve((any SecondService).self)
}

/// Runs two loops on threads and processors of their own. Each waits until the other has started.
///
/// A run is repeated, up to 20 times, if something else slowed it down:
/// - One thread took over a tenth longer than the other: both do the same work, so contention slows both.
/// - Before or after it, two threads that share nothing took over a tenth longer than one: the virtual processors were on one
///   core.
///
/// - Parameter compete: Whether the threads write to one cache line, which makes them uneven.
/// - Returns: The time from when they start until both have ended.
func onTwoThreads(
    compete: Bool = false,
    _ first: @escaping @Sendable () throws -> Duration,
    _ second: @escaping @Sendable () throws -> Duration
) throws -> Duration {
    for _ in 1..<20 {
        if try areProcessorsSlow() { continue }
        let run = try runOnTwoThreads([first, second])
        if compete || !isLonger(run.durations.max(), run.durations.min()), try !areProcessorsSlow() { return run.time }
    }
    return try runOnTwoThreads([first, second]).time
}

private func isLonger(_ duration: Duration?, _ other: Duration?) -> Bool {
    guard let duration, let other else { return false }
    return duration > other * 1.1
}

/// Whether two threads that share nothing slow each other down.
private func areProcessorsSlow() throws -> Bool {
    let alone = calculate()
    return try isLonger(runOnTwoThreads([calculate, calculate]).durations.max(), alone)
}

/// A calculation of about a millisecond that keeps several units of a core busy.
@Sendable
private func calculate() -> Duration {
    ContinuousClock().measure {
        var values: SIMD4<UInt64> = [1, 2, 3, 4]
        for _ in 0..<500_000 { values = values &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
        precondition(values.wrappedSum() != 0)
    }
}

private func runOnTwoThreads(
    _ loops: [@Sendable () throws -> Duration]
) throws -> (time: Duration, durations: [Duration]) {
    let meeting = Meeting()
    for (number, loop) in loops.enumerated() {
        Thread {
            // Otherwise both may end up on one processor, where they never meet.
            stay_on_processor(Int32(number))
            meeting.wait(until: { $0.isOpen }, after: { $0.arrived += 1 })
            let outcome = Result { try loop() }
            meeting.change { $0.outcomes.append(outcome) }
        }.start()
    }
    meeting.wait(until: { $0.arrived == 2 })
    let start = ContinuousClock.now
    meeting.change { $0.isOpen = true }
    meeting.wait(until: { $0.outcomes.count == 2 })
    let time = start.duration(to: .now)
    return (time, try meeting.outcomes.map { try $0.get() })
}

/// Two threads and their creator wait here for each other.
private final class Meeting: @unchecked Sendable {
    struct State {
        var arrived = 0
        var isOpen = false
        var outcomes: [Result<Duration, any Error>] = []
    }

    // Guarded by the condition.
    private var state = State()
    private let condition = NSCondition()

    var outcomes: [Result<Duration, any Error>] { condition.withLock { state.outcomes } }

    func change(_ body: (inout State) -> Void) {
        condition.withLock {
            body(&state)
            condition.broadcast()
        }
    }

    func wait(until isReached: (State) -> Bool, after body: (inout State) -> Void = { _ in }) {
        condition.withLock {
            body(&state)
            condition.broadcast()
            while !isReached(state) { condition.wait() }
        }
    }
}
