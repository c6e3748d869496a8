internal import Dispatch
internal import Foundation

/// The threads that run tests and their tasks: as many as the machine has cores, and one more for each that never returns.
final class TestThreads: @unchecked Sendable {
    // Sound to share: the state is accessed only under the lock of the condition.

    static let shared = TestThreads()

    private static let mark = "injectle.test-thread"

    /// The executor whose job the calling thread runs.
    static var executor: AnyObject? {
        get { Thread.current.threadDictionary[mark] as AnyObject? }
        set { Thread.current.threadDictionary[mark] = newValue ?? NSNull() }
    }

    private let condition = NSCondition()
    private let width = max(2, ProcessInfo.processInfo.activeProcessorCount)
    private var jobs: [@Sendable () -> Void] = []
    private var idle = 0
    private var working = 0
    /// The threads of others that never return.
    private var foreign = 0

    /// Whether the calling thread is one of these.
    static var isCurrent: Bool { Thread.current.threadDictionary[mark] != nil }

    /// Runs a job on one of the threads.
    func run(_ job: @escaping @Sendable () -> Void) {
        condition.withLock {
            jobs.append(job)
            if idle >= jobs.count { condition.signal() } else if working < width { start() }
        }
    }

    /// Starts a thread. The lock is held.
    private func start() {
        working += 1
        let worker = Thread {
            TestThreads.executor = nil
            self.runJobs()
        }
        worker.stackSize = 8 << 20
        worker.start()
    }

    private func runJobs() -> Never {
        while true {
            let job = condition.withLock {
                while jobs.isEmpty {
                    idle += 1
                    condition.wait()
                    idle -= 1
                }
                return jobs.removeFirst()
            }
            job()
        }
    }

    /// Replaces the calling thread, one of these, which never returns.
    func replaceCurrent() {
        condition.withLock {
            working -= 1
            if !jobs.isEmpty { start() }
        }
    }

    /// Whether the calling thread belongs to a global queue, whose number of threads is limited.
    static var isOfGlobalQueue: Bool {
        // Dispatch has no Swift function for the label of the current queue.
        typealias Label = @convention(c) (UnsafeRawPointer?) -> UnsafePointer<CChar>
        guard let address = Runtime.address(of: "dispatch_queue_get_label") else { return true }
        let label = String(cString: unsafeBitCast(address, to: Label.self)(nil))
        return label.hasPrefix("com.apple.root.") && !label.hasSuffix(".overcommit")
    }

    /// Counts the calling thread of a global queue, which never returns. False if no thread would be left.
    func countForeign() -> Bool {
        condition.withLock {
            guard foreign + 1 < ProcessInfo.processInfo.activeProcessorCount else { return false }
            foreign += 1
            return true
        }
    }

    /// Blocks the calling thread permanently.
    static func park() -> Never {
        while true { Thread.sleep(until: .distantFuture) }
    }

    /// Blocks the calling thread until a condition holds. Returns whether it held within some seconds.
    static func park(until condition: () -> Bool, for seconds: Int) -> Bool {
        for _ in 0..<seconds * 100 {
            if condition() { return true }
            Thread.sleep(forTimeInterval: 0.01)
        }
        return false
    }

    static var isMain: Bool { Thread.isMainThread }
}
