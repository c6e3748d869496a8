internal import CInjectle

#if canImport(Darwin)
internal import Dispatch
#else
// Its functions take half the time of their Swift counterparts, and each event calls one.
internal import CDispatch
#endif

/// Runs closures on the main actor for threads that wait for them.
///
/// A job reaches the main actor as a task. A main thread that is itself blocked here, waiting for a creation on another
/// thread, runs the jobs that this creation depends on: it is inside a resolve, where factories run anyway. So a thread
/// and the main actor that need each other do not deadlock, whichever of them waits first.
///
/// Invariant: a job either begins or is given up, once, and its body runs only in the first case.
enum MainActorBridge {
    /// Whether the calling thread runs the main actor.
    ///
    /// That is the main thread; where a program dedicates its main thread to Dispatch, by `dispatchMain()`, as every
    /// asynchronous `main` does outside Apple's platforms, it is the thread that serves the main queue.
    static var isMainThread: Bool {
        if injectle_is_main_thread() { return true }
        markMainQueueOnce
        #if canImport(Darwin)
        return DispatchQueue.getSpecific(key: mark.value) != nil
        #else
        return unsafe dispatch_get_specific(mark) != nil
        #endif
    }

    // A mark is a value of the main queue, which code on it, and on queues whose target it is, finds.

    #if canImport(Darwin)
    private static let markMainQueueOnce: Void = DispatchQueue.main.setSpecific(key: mark.value, value: true)

    /// The key of the value.
    private static let mark = UncheckedBox(DispatchSpecificKey<Bool>())
    #else
    private static let markMainQueueOnce: Void = unsafe dispatch_queue_set_specific(
        dispatch_get_main_queue(),
        mark,
        mark,
        nil
    )

    /// The key of this value, and the value: an address that no other code uses. It is only compared.
    private static var mark: UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(MainActorBridge.self)))
            .unsafelyUnwrapped
    }
    #endif

    /// The jobs that have not begun, and the gates at which the main thread waits, innermost last.
    private static let queue = Mutex<(jobs: [Job], mainThreadGates: [Gate])>(([], []))

    private final class Job: Sendable {
        /// What to run, until it has begun or was given up. The main thread calls it once, while the thread that posted
        /// the job waits. A job that is given up must not keep what its body captures until the main actor runs again.
        private let body: Mutex<UncheckedBox<() -> Void>?>
        let context = CallerContext.current
        let gate = Gate()
        /// What waits for the job.
        let code = CallingCode.current
        /// The innermost creation that waits for it.
        var node: Node? { code.creations.last { $0.cell != nil }?.cell.map { Node($0) } }

        init(_ body: @escaping () -> Void) {
            self.body = Mutex(UncheckedBox(body))
        }

        /// Begins the job or gives it up. Returns nil if either has happened before.
        func take() -> (() -> Void)? { body.withLock { $0.take() }?.value }
    }

    /// Runs `body` on the main thread and returns when it has ended, or when it could not begin.
    ///
    /// Called from any other thread.
    ///
    /// - Parameters:
    ///   - body: Restores the context of the caller where it needs one.
    /// - Returns: Why the body could not begin, and never will, for the text of an error. Nil if it has run.
    static func run(within limit: Duration, _ body: @escaping () -> Void) -> String? {
        let deadline = ContinuousClock.now + limit.clamped
        let job = Job(body)
        defer { job.context?.end() }
        let waiting = queue.withLock { queue in
            queue.jobs.append(job)
            return queue.mainThreadGates.last
        }
        waiting?.nudge()
        Task { @MainActor in perform(job) }

        while ContinuousClock.now < deadline { if job.gate.wait(until: deadline) { return nil } }
        if job.take() != nil {
            queue.withLock { $0.jobs.removeAll { $0 === job } }
            return "which did not start its creation within \(limit)"
        }
        // The wait for a job that has begun has no limit, like that for any other creation: a factory may take its
        // time.
        while !job.gate.wait() {}
        return nil
    }

    /// Waits until the creation that `waiter` waits for has an outcome.
    static func wait(for waiter: Waiter) {
        if let gate = waiter.gate { wait(at: gate, for: waiter.awaited) }
    }

    /// Lets a waiting main thread look for its jobs again: with one more wait, its target can depend on one of them.
    static func nudge() { queue.withLock { $0.jobs.isEmpty ? nil : $0.mainThreadGates.last }?.nudge() }

    /// Waits at a gate that a node opens.
    ///
    /// The main thread meanwhile runs the jobs that this node depends on, and no others: these have no reason to
    /// interrupt the main actor, and might need the service that it is creating.
    static func wait(at gate: Gate, for node: Node) {
        guard isMainThread else {
            nudge()
            while !gate.wait() {}
            return
        }
        queue.withLock { $0.mainThreadGates.append(gate) }
        while true {
            let jobs = queue.withLock { $0.jobs }
            if let job = jobs.first(where: { WaitGraph.depends(node, onOneOf: $0.code.nodes) }) {
                perform(job, in: job.context)
            } else if gate.wait() {
                break
            }
        }
        _ = queue.withLock { $0.mainThreadGates.popLast() }
    }

    /// - Parameter context: The context of the caller, unless the calling task has its task-local values.
    private static func perform(_ job: Job, in context: CallerContext? = nil) {
        guard let body = job.take() else { return }
        queue.withLock { $0.jobs.removeAll { $0 === job } }
        // A job can also interrupt a creation that runs the main actor, as by a run loop of its own. That creation
        // stands still until the job has ended, which is part of a creation of the waiting thread. That one waits for
        // nothing but the job, so the wait closes no circle now, and the graph refuses one that would close it later.
        let interrupted = job.node.flatMap { WaitGraph.begin(.current, waitingFor: $0) }
        if let context { context.run(body) } else { body() }
        WaitGraph.end(interrupted)
        job.gate.open()
    }
}

/// The task-local values of a caller, for code that another thread runs on its behalf.
///
/// Only a task has the task-local values of the code that creates it, and a task executor chooses the thread of its
/// job. So the caller creates a task, whose job waits here, and another thread runs the job while it is blocked itself.
///
/// Invariant: the job runs exactly once: with a body by `run`, or without one by `end`, which releases the task.
final class CallerContext: Sendable {
    private struct State {
        var job: UnownedJob?
        var body: UncheckedBox<() -> Void>?
    }
    private let state = Mutex(State())

    private init() {}

    /// The context of the calling code. Nil on a system without task executors: there, code that the blocked main
    /// thread runs for a caller sees the task-local values of the main thread.
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

extension Actor {
    /// Whether the calling code runs on this actor, also in a function that is not isolated to it.
    ///
    /// That is so if the actor's executor runs the current job. Else, the runtime asks the executor, as
    /// `assumeIsolated` does, about code that it runs without a job, such as a block on its queue. Runtimes before 2025
    /// only ask in a way that ends the process if the answer is no: there, such code does not count.
    nonisolated var isCurrent: Bool {
        let current = swift_task_getCurrentExecutor()
        // Sound: an executor is frozen as two words, the address of its object, and of a witness table with flags in
        // the low bits. The actor of a call exists, and so does its executor. The executor of a job may be gone, with
        // an actor at its address, which has another table or none.
        let own = unsafe unsafeBitCast(unownedExecutor, to: injectle_executor.self)
        if current.object != 0, current.object == own.object, (current.witnesses ^ own.witnesses) < 4 { return true }
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return false }
        return swift_task_isCurrentExecutorWithFlags(own, 0)
    }
}
