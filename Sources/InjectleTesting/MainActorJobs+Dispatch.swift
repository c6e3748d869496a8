internal import Dispatch
internal import Foundation

/// The executor of the main actor in a test process, so that a read on the main actor that never returns keeps no other job.
///
/// From the first test trait on, a hook of the runtime makes this the executor of the main actor. It adds the jobs to a queue
/// of its own, and for each a block to the main queue, which runs the next one. A read that never returns runs the jobs
/// itself, inside its own stack frame, since the main queue waits for it.
///
/// Invariant: `jobs` is accessed only under the lock of the condition, and only the main queue runs them.
final class MainActorJobs: SerialExecutor, @unchecked Sendable {
    // Sound to share: see the invariant.

    // The runtime defines these types: the hook gets the function that it replaces.
    private typealias Original = @convention(thin) () -> UnownedSerialExecutor
    private typealias Hook = @convention(thin) (Original) -> UnownedSerialExecutor

    static let shared = MainActorJobs()

    private let condition = NSCondition()
    private let key = DispatchSpecificKey<Bool>()
    private var jobs: [UnownedJob] = []

    /// Whether this is the executor of the main actor. Installs it at the first call.
    static let isInstalled: Bool = {
        let hook: Hook = { _ in MainActorJobs.shared.asUnownedSerialExecutor() }
        guard Runtime.setHook("swift_task_getMainExecutor_hook", hook) else { return false }
        DispatchQueue.main.setSpecific(key: shared.key, value: true)
        return true
    }()

    /// Whether the calling code runs on the main queue.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: shared.key) != nil }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(.main)) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            GlobalJobs.record(unsafeBitCast(job, to: GlobalJobs.Job.self))
        }
        condition.withLock { jobs.append(job) }
        condition.signal()
        DispatchQueue.main.async { self.runNext(waiting: false) }
    }

    /// Runs the first job, if there is one.
    private func runNext(waiting: Bool) {
        let job = condition.withLock {
            while waiting, jobs.isEmpty { condition.wait() }
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
        job?.runSynchronously(on: asUnownedSerialExecutor())
    }

    /// Runs the jobs of the main actor, and never returns.
    func serve() -> Never {
        while true { runNext(waiting: true) }
    }
}
