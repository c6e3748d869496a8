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
    // The runtime defines these functions: each gets the function that it replaces. Sound to cast: integers and pointers are
    // passed as in C, `UnownedJob` and `UnsafeCurrentTask` are one pointer, and a task is a job at the same address.
    typealias Job = UnsafeRawPointer
    private typealias Enqueue = @convention(c) (Job, Job) -> Void
    private typealias EnqueueAfterDelay = @convention(c) (UInt64, Job, Job) -> Void
    private typealias EnqueueAtDeadline = @convention(c) (Int64, Int64, Int64, Int64, CInt, Job, Job) -> Void
    private typealias Identify = @convention(c) (Job) -> UInt64
    private typealias Time = @convention(c) (UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Int64>, CInt) -> Void

    /// The tests of tasks, by the addresses of the tasks. A task that has ended leaves its entry to the next at its address,
    /// which has another identifier.
    private static let scopes = Mutex([Job: (id: UInt64, scope: TestScope?)]())

    /// Not a global queue, whose threads a read can keep.
    private static let timers = DispatchQueue(label: "injectle.timers")

    private static let time = Runtime.address(of: "swift_get_time").map { unsafeBitCast($0, to: Time.self) }
    private static let identify = Runtime.address(of: "swift_task_getJobTaskId").map {
        unsafeBitCast($0, to: Identify.self)
    }

    static let areHooked: Bool = {
        guard time != nil, identify != nil else { return false }
        let enqueue: Enqueue = { job, _ in
            GlobalJobs.record(job)
            GlobalJobs.run(unsafeBitCast(job, to: UnownedJob.self))
        }
        let enqueueAfterDelay: EnqueueAfterDelay = { delay, job, _ in
            GlobalJobs.enqueue(job, after: Int64(clamping: delay))
        }
        let enqueueAtDeadline: EnqueueAtDeadline = { seconds, nanoseconds, _, _, clock, job, _ in
            var now: (seconds: Int64, nanoseconds: Int64) = (0, 0)
            time?(&now.seconds, &now.nanoseconds, clock)
            // No test waits for a century, and no sum overflows.
            let delay = min(seconds - now.seconds, 1 << 32) * 1_000_000_000 + nanoseconds - now.nanoseconds
            GlobalJobs.enqueue(job, after: delay)
        }
        return Runtime.setHook("swift_task_enqueueGlobal_hook", enqueue)
            && Runtime.setHook("swift_task_enqueueGlobalWithDelay_hook", enqueueAfterDelay)
            && Runtime.setHook("swift_task_enqueueGlobalWithDeadline_hook", enqueueAtDeadline)
    }()

    /// The scope of the test that created the calling task.
    static var scope: TestScope? {
        withUnsafeCurrentTask { task in
            guard let task, let id = identify?(unsafeBitCast(task, to: Job.self)) else { return nil }
            let known = scopes.withLock { $0[unsafeBitCast(task, to: Job.self)] }
            return known?.id == id ? known?.scope : nil
        }
    }

    /// Records the scope of a new task: the first time that it becomes ready, on the thread of its creator.
    static func record(_ job: Job) {
        guard let id = identify?(job) else { return }
        let scope = TestScope.current ?? scope
        let former = scopes.withLock { scopes in
            scopes[job]?.id == id ? nil : scopes.updateValue((id, scope), forKey: job)
        }
        withExtendedLifetime(former) {}
    }

    private static func enqueue(_ job: Job, after nanoseconds: Int64) {
        let job = unsafeBitCast(job, to: UnownedJob.self)
        timers.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: max(0, nanoseconds)))) {
            run(job)
        }
    }

    private static func run(_ job: UnownedJob) {
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
