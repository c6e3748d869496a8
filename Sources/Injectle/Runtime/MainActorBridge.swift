internal import CInjectle

#if !canImport(Darwin)
// Its functions take half the time of their Swift counterparts, and each event calls one.
internal import CDispatch
#endif

/// Runs closures on the main actor for threads that wait for them.
///
/// A job reaches the main actor as a task. A main thread that is itself blocked here, waiting for a creation on another
/// thread, runs the jobs that this creation depends on: it is inside a resolve, where factories run anyway. So a thread
/// and the main actor that need each other do not deadlock, whichever of them waits first.
///
/// Invariant: a job leaves `pending` once, for `running` or for `givenUp`, and its body runs only in the first case.
enum MainActorBridge {
    /// Whether the calling thread runs the main actor.
    ///
    /// That is the main thread; where a program dedicates its main thread to Dispatch, as every asynchronous `main` does
    /// outside Apple's platforms, it is the thread that serves the main queue.
    static var isMainThread: Bool {
        if unsafe injectle_thread_current().pointee.is_main { return true }
        #if canImport(Darwin)
        return false
        #else
        markMainQueueOnce
        return unsafe dispatch_get_specific(mark) != nil
        #endif
    }

    #if !canImport(Darwin)
    /// Gives the main queue a value, which code on it, and on queues whose target it is, finds.
    private static let markMainQueueOnce: Void = unsafe dispatch_queue_set_specific(
        dispatch_get_main_queue(),
        mark,
        mark,
        nil
    )

    // Sound: it is only compared, never dereferenced.
    /// The key of this value, and the value: an address that no other code uses.
    private static var mark: UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(MainActorBridge.self)))
            .unsafelyUnwrapped
    }
    #endif

    private static let queue = Queue()

    private final class Queue: @unchecked Sendable {
        // Sound to share: both are accessed only under `lock`.
        let lock = Lock()
        var jobs: [Job] = []
        /// The gates at which the main thread waits, innermost last.
        var mainThreadGates: [Gate] = []
        /// When the tasks that block a thread of the cooperative pool began to wait, in order.
        var taskWaits: [ContinuousClock.Instant] = []
    }

    /// The number of tasks that may block a thread of the cooperative pool up to their own deadline: half of the pool.
    private static let patientTasks = max(1, Int(injectle_processor_count()) / 2)
    /// How long the main actor may be busy before further tasks stop to wait for it.
    private static let pause = Duration.milliseconds(100)

    private final class Job: @unchecked Sendable {
        // Sound to share: `phase` is accessed only under the queue's lock, and the main thread calls the closures once,
        // while the thread that posted the job waits.
        enum Phase { case pending, running, givenUp }

        var phase = Phase.pending
        let gate = Gate()
        let node: WaitNode
        let currentNode: () -> WaitNode?
        let body: () -> Void

        init(node: WaitNode, currentNode: @escaping () -> WaitNode?, body: @escaping () -> Void) {
            self.node = node
            self.currentNode = currentNode
            self.body = body
        }
    }

    /// The end of a call of `run`.
    enum RunResult {
        case ran
        /// The body could not begin before the deadline, and never will.
        case timedOut
        /// Tasks block half of the cooperative pool, and the main actor is busy. The body never begins.
        case poolIsBlocked
    }

    /// Runs `body` on the main thread and returns when it has ended, or when it could not begin.
    ///
    /// Called from any other thread. Of the tasks that call it at the same time, only as many as half of the cooperative
    /// pool has threads wait until their deadline. The others wait for a main actor that is busy for a moment, but leave
    /// the rest of the pool to other tasks if that takes longer.
    ///
    /// - Parameters:
    ///   - node: The node that `body` creates for.
    ///   - currentNode: Called on the main thread before `body`: the node of the creation that the job interrupts, if any.
    ///   - body: Restores the context of the caller where it needs one.
    static func run(
        before deadline: Deadline,
        as node: WaitNode,
        interrupting currentNode: @escaping () -> WaitNode?,
        _ body: @escaping () -> Void
    ) -> RunResult {
        let job = Job(node: node, currentNode: currentNode, body: body)
        let waiting = queue.lock.withLock {
            queue.jobs.append(job)
            return queue.mainThreadGates.last
        }
        waiting?.nudge()
        Task { @MainActor in perform(job) }

        let began: ContinuousClock.Instant? = unsafe withUnsafeCurrentTask { unsafe $0 == nil ? nil : .now }
        let poolDeadline = began.flatMap(addTaskWait)
        defer { if let began { removeTaskWait(began) } }
        if job.gate.wait(until: poolDeadline.map { min($0, deadline) } ?? deadline) { return .ran }
        let hasBegun = queue.lock.withLock {
            if job.phase == .running { return true }
            job.phase = .givenUp
            queue.jobs.removeAll { $0 === job }
            return false
        }
        // The wait for a job that has begun has no limit, like that for any other creation: a factory may take its time.
        if hasBegun { _ = job.gate.wait() }
        return hasBegun ? .ran : poolDeadline.map { $0 < deadline } ?? false ? .poolIsBlocked : .timedOut
    }

    /// Adds a task that blocks its thread. Returns when it has to stop, if too many others wait already.
    private static func addTaskWait(_ began: ContinuousClock.Instant) -> Deadline? {
        queue.lock.withLock {
            queue.taskWaits.append(began)
            guard queue.taskWaits.count > patientTasks else { return nil }
            return queue.taskWaits.first.map { Deadline(after: pause, from: $0) }
        }
    }

    private static func removeTaskWait(_ began: ContinuousClock.Instant) {
        queue.lock.withLock {
            if let index = queue.taskWaits.firstIndex(of: began) { queue.taskWaits.remove(at: index) }
        }
    }

    /// Waits until the creation that `waiter` waits for has an outcome.
    ///
    /// The main thread meanwhile runs the jobs that this creation depends on, and no others: these have no reason to
    /// interrupt the main actor, and might need the service that it is creating.
    static func wait<Record, Product, Failure>(for waiter: Runtime.OnceCell<Record, Product, Failure>.ThreadWaiter) {
        guard isMainThread else {
            // With one more waiter, the main thread may depend on a job that it did not depend on before.
            queue.lock.withLock { queue.jobs.isEmpty ? nil : queue.mainThreadGates.last }?.nudge()
            _ = waiter.gate.wait()
            return
        }
        queue.lock.withLock { queue.mainThreadGates.append(waiter.gate) }
        while true {
            let jobs = queue.lock.withLock { queue.jobs }
            if let job = jobs.first(where: { waiter.creator.depends(on: $0.node) }) {
                perform(job, within: waiter.node)
            } else if waiter.gate.wait() {
                break
            }
        }
        let removed = queue.lock.withLock { queue.mainThreadGates.popLast() }
        withExtendedLifetime(removed) {}
    }

    private static func perform(_ job: Job, within node: WaitNode? = nil) {
        let begins = queue.lock.withLock {
            guard job.phase == .pending else { return false }
            job.phase = .running
            queue.jobs.removeAll { $0 === job }
            return true
        }
        guard begins else { return }
        // A job can also interrupt a creation that runs the main actor, as by a run loop of its own.
        let node = node ?? job.currentNode()
        // The main thread's creation stands still until the job has ended. The job's node waits for nothing but the job,
        // so the edge closes no circle now, and the graph refuses one that would close it later.
        let isNoted = node?.begin(waitingFor: job.node) ?? false
        job.body()
        if isNoted { node?.end(waitingFor: job.node) }
        job.gate.open()
    }
}
