internal import Dispatch
internal import Foundation
internal import Injectle

#if canImport(Testing)
/// The jobs of tasks and actors without an executor of their own, in a test process.
///
/// From the first test trait on, hooks of the runtime run them on `TestThreads` instead of the cooperative pool, in which each
/// read that never returns would keep one of few threads. They also record which test creates a task, since a detached task
/// has no task-local values.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
enum GlobalJobs {
    // The runtime defines these functions: each gets the function that it replaces. Integers and pointers are passed as in C.
    private typealias Job = UnsafeRawPointer
    private typealias Enqueue = @convention(c) (Job, Job) -> Void
    private typealias EnqueueAfterDelay = @convention(c) (UInt64, Job, Job) -> Void
    private typealias EnqueueAtDeadline = @convention(c) (Int64, Int64, Int64, Int64, CInt, Job, Job) -> Void
    private typealias Time = @convention(c) (UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Int64>, CInt) -> Void

    /// The tests of tasks, by the addresses of the tasks. The entry of a task that has ended is replaced with the next task at
    /// its address.
    private static let scopes = Mutex([Job: TestScope]())

    /// Not a global queue, whose threads a read can keep.
    private static let timers = DispatchQueue(label: "injectle.timers")

    private static let time: Time? = Runtime.address(of: "swift_get_time").map { unsafeBitCast($0, to: Time.self) }

    static let areHooked: Bool = {
        guard time != nil else { return false }
        let enqueue: Enqueue = { job, _ in GlobalJobs.enqueue(job) }
        let enqueueAfterDelay: EnqueueAfterDelay = { delay, job, _ in
            GlobalJobs.enqueue(job, after: Int64(clamping: delay))
        }
        let enqueueAtDeadline: EnqueueAtDeadline = { seconds, nanoseconds, _, _, clock, job, _ in
            var now: (seconds: Int64, nanoseconds: Int64) = (0, 0)
            time?(&now.seconds, &now.nanoseconds, clock)
            let (delay, overflow) = (seconds - now.seconds).multipliedReportingOverflow(by: 1_000_000_000)
            GlobalJobs.enqueue(job, after: overflow ? .max : delay + nanoseconds - now.nanoseconds)
        }
        return Runtime.setHook("swift_task_enqueueGlobal_hook", enqueue)
            && Runtime.setHook("swift_task_enqueueGlobalWithDelay_hook", enqueueAfterDelay)
            && Runtime.setHook("swift_task_enqueueGlobalWithDeadline_hook", enqueueAtDeadline)
    }()

    /// The scope of the test that created the calling task, or last resumed it.
    static var scope: TestScope? {
        withUnsafeCurrentTask { task in
            task.flatMap { task in scopes.withLock { $0[unsafeBitCast(task, to: Job.self)] } }
        }
    }

    private static func enqueue(_ job: Job) {
        if let scope = TestScope.current ?? scope { scopes.withLock { $0[job] = scope } }
        run(job)
    }

    private static func enqueue(_ job: Job, after nanoseconds: Int64) {
        let job = unsafeBitCast(job, to: UnownedJob.self)
        timers.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: max(0, nanoseconds)))) {
            run(unsafeBitCast(job, to: Job.self))
        }
    }

    private static func run(_ job: Job) {
        let job = unsafeBitCast(job, to: UnownedJob.self)
        TestThreads.shared.run { job.runSynchronously(on: globalConcurrentExecutor.asUnownedTaskExecutor()) }
    }
}
#endif

/// Functions and variables of the runtime that have no interface in Swift.
enum Runtime {
    static func address(of name: String) -> UnsafeMutableRawPointer? { dlsym(dlopen(nil, RTLD_NOW), name) }

    /// Sets a hook, unless the variable is missing or has another one.
    static func setHook<Hook>(_ name: String, _ hook: Hook) -> Bool {
        guard let variable = address(of: name)?.assumingMemoryBound(to: Hook?.self), variable.pointee == nil else {
            return false
        }
        variable.pointee = hook
        return true
    }
}
