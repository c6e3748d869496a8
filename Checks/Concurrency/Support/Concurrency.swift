internal import Foundation

/// Runs `body` on several threads that start together, and blocks until all have ended.
///
/// An async test calls ``onThreadsAsync(_:_:)`` instead.
public func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let start = Barrier(count)
    let ended = DispatchGroup()
    for index in 0..<count {
        ended.enter()
        let thread = Thread {
            start.wait()
            body(index)
            ended.leave()
        }
        thread.stackSize = 8 << 20
        thread.start()
    }
    ended.wait()
}

/// Runs `body` on several threads that start together, and resumes when all have ended.
public func onThreadsAsync(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        Thread {
            onThreads(count, body)
            continuation.resume()
        }.start()
    }
}

/// Runs `body` on a new thread and returns its result.
public func onAnotherThread<Value: Sendable>(
    stackSize: Int = 8 << 20,
    _ body: @escaping @Sendable () -> Value
) async -> Value {
    // The continuation does not pass the result on: where it is resumed before the task has suspended, ThreadSanitizer
    // does not see that the runtime orders the two threads, and reports a race.
    let result = Guarded<Value?>(nil)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let thread = Thread {
            // The thread keeps no reference to it.
            var value: Value? = body()
            result.withLock { swap(&$0, &value) }
            continuation.resume()
        }
        thread.stackSize = stackSize
        thread.start()
    }
    return result.withLock { $0.take()! }
}

/// A reusable barrier for threads and tasks.
public final class Barrier: @unchecked Sendable {
    private let condition = NSCondition()
    private let count: Int
    private var waiting = 0
    private var round = 0
    private var suspended: [CheckedContinuation<Void, Never>] = []

    public init(_ count: Int) { self.count = count }

    /// Blocks the thread until all have arrived.
    public func wait() {
        condition.lock()
        let own = round
        let resumed = countArrival()
        while round == own { condition.wait() }
        condition.unlock()
        for continuation in resumed { continuation.resume() }
    }

    /// Suspends the task until all have arrived.
    public func arrive() async {
        await withCheckedContinuation { continuation in
            condition.lock()
            suspended.append(continuation)
            let resumed = countArrival()
            condition.unlock()
            for continuation in resumed { continuation.resume() }
        }
    }

    /// Counts an arrival. The last one returns the tasks to resume.
    private func countArrival() -> [CheckedContinuation<Void, Never>] {
        waiting += 1
        guard waiting == count else { return [] }
        waiting = 0
        round += 1
        condition.broadcast()
        defer { suspended = [] }
        return suspended
    }
}

/// A one-time event that threads and tasks wait for.
public final class Signal: @unchecked Sendable {
    private let condition = NSCondition()
    private var isSet = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public init() {}

    public func set() {
        condition.lock()
        isSet = true
        let waiting = waiting
        self.waiting = []
        condition.broadcast()
        condition.unlock()
        for continuation in waiting { continuation.resume() }
    }

    /// Blocks the thread. For factories only: a task that blocks occupies a thread of the cooperative pool.
    public func wait() {
        condition.lock()
        while !isSet { condition.wait() }
        condition.unlock()
    }

    /// Suspends the task until the signal is set.
    public func reached() async {
        await withCheckedContinuation { continuation in
            condition.lock()
            let isSet = isSet
            if !isSet { waiting.append(continuation) }
            condition.unlock()
            if isSet { continuation.resume() }
        }
    }
}

/// A value that a lock protects.
public final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    public init(_ value: Value) { stored = value }

    public var value: Value { withLock { $0 } }

    @discardableResult
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&stored)
    }
}

/// A counter that threads share.
public final class Counter: Sendable {
    private let count = Guarded(0)

    public init() {}

    public var value: Int { count.value }

    @discardableResult
    public func increment() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
