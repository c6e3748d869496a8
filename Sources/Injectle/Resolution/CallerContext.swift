/// The task-local values of a caller, for code that another thread runs on its behalf.
///
/// Only a task has the task-local values of the code that creates it, and a task executor chooses the thread of its job. So the
/// caller creates a task, whose job waits here, and another thread runs the job while it is blocked itself.
///
/// Invariant: the job runs exactly once: with a body by `run`, or without one by `end`, which releases the task.
final class CallerContext: Sendable {
    private struct State {
        var job: UnownedJob?
        var body: UncheckedBox<() -> Void>?
    }
    private let state = Mutex(State())

    private init() {}

    /// The context of the calling code. Nil on a system without task executors: there, code that the blocked main thread runs
    /// for a caller sees the task-local values of the main thread.
    static var current: CallerContext? {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return nil }
        let context = CallerContext()
        Task(executorPreference: context) {
            context.state.withLock { $0.body.take() }?.value()
        }
        return context
    }

    /// Runs a closure in the context, on the calling thread.
    func run(_ body: @escaping () -> Void) {
        let box = UncheckedBox(body)
        state.withLock { $0.body = box }
        runJob()
    }

    /// Releases the context, if nothing has run in it.
    func end() { runJob() }

    private func runJob() {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        guard let job = state.withLock({ $0.job.take() }) else { return }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension CallerContext: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.job = job }
    }
}
