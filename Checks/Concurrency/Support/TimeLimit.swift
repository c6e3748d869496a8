internal import Foundation

/// The time after which a test that cannot return fails. No test that passes waits for it.
public let timeLimit = Duration.seconds(20)

/// Runs `body` on a new thread, and returns its result, or `nil` if it has not returned within the time limit.
public func onAnotherThreadInTime<Value: Sendable>(
    stackSize: Int = 8 << 20,
    _ body: @escaping @Sendable () -> Value
) async -> Value? {
    let outcome = TimedOutcome<Value>()
    let thread = Thread { outcome.finish(with: body()) }
    thread.stackSize = stackSize
    thread.start()
    return await outcome.value()
}

/// Runs `body` in a task of its own, and returns its result, or `nil` if it has not returned within the time limit. The
/// task is cancelled then.
public func inTime<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value? {
    let outcome = TimedOutcome<Value>()
    let task = Task { outcome.finish(with: await body()) }
    defer { task.cancel() }
    return await outcome.value()
}

/// Ends the process with an error after the time limit: for exit tests of calls that may not return.
public func failAfterTimeLimit() {
    Thread.detachNewThread {
        Thread.sleep(forTimeInterval: timeLimit / .seconds(1))
        FileHandle.standardError.write(Data("The time limit was reached.\n".utf8))
        exit(EXIT_FAILURE)
    }
}

/// A result that arrives, or that the time limit replaces by `nil`.
private final class TimedOutcome<Value: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var result: Value?
    private var isFinished = false

    func finish(with value: Value) {
        condition.lock()
        result = value
        isFinished = true
        condition.signal()
        condition.unlock()
    }

    /// Waits on a thread of its own, since the tasks of a test that fails may block those of the pool.
    func value() async -> Value? { await onAnotherThread { [self] in wait() } }

    private func wait() -> Value? {
        let deadline = Date(timeIntervalSinceNow: timeLimit / .seconds(1))
        condition.lock()
        defer { condition.unlock() }
        while !isFinished, condition.wait(until: deadline) {}
        return result.take()
    }
}
