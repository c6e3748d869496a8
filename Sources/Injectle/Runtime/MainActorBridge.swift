internal import CInjectle

#if !canImport(Darwin)
internal import Dispatch
#endif

/// Where threads ask the main actor to run something, and wait for it.
///
/// A job is posted to the main actor as a task. While the main thread is itself blocked here, waiting for what another
/// thread makes, it runs the jobs that this depends on: it is in the middle of a resolve, where factories run anyway.
/// So a thread and the main actor that need each other do not hang, and which of them asked first does not matter.
///
/// Invariant: a job leaves `pending` once, for `running` or for `givenUp`, and only in the first case is its body run.
enum MainActorBridge {
    /// Whether the calling thread is the one that runs the main actor.
    ///
    /// That is the main thread; where a program hands its main thread over to Dispatch, as every asynchronous `main`
    /// does outside Apple's platforms, it is whichever thread serves the main queue.
    static var isMainThread: Bool {
        let isMain = injectle_thread_current().pointee.kinds & UInt32(INJECTLE_MAIN_THREAD) != 0
        #if canImport(Darwin)
        return isMain
        #else
        return isMain || DispatchQueue.getSpecific(key: mainQueue) != nil
        #endif
    }

    #if !canImport(Darwin)
    private static let mainQueue: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()
    #endif

    private static let queue = Queue()

    private final class Queue: @unchecked Sendable {
        // Sound to share: both are touched only under `lock`.
        let lock = Lock()
        var jobs: [Job] = []
        /// The gates that the main thread waits at, innermost last.
        var mainThreadGates: [Gate] = []
    }

    private final class Job: @unchecked Sendable {
        // Sound to share: `phase` is touched only under the board's lock, the body is called once, by the main thread,
        // while the thread that posted it waits, and the chain of frames stands still as long as that thread waits.
        enum Phase { case pending, running, givenUp }

        var phase = Phase.pending
        let gate = Gate()
        let body: () -> Void
        let chain = Frame.current
        let node: WaitNode
        /// What is in force where the job was posted.
        let locator = CurrentLocator.override ?? .current
        let transaction = Transaction.current
        /// Whether a behavior posted it, of which behaviors hear nothing.
        let isOfBehavior = EventDispatch.isInProgress

        init(node: WaitNode, body: @escaping () -> Void) {
            self.node = node
            self.body = body
        }
    }

    /// Runs `body` on the main thread and returns when it has ended. False if it could not begin by the deadline, and
    /// then never will.
    ///
    /// Called from any other thread. `body` finds the caller's path, and makes as `node`.
    static func run(before deadline: Deadline, as node: WaitNode, _ body: @escaping () -> Void) -> Bool {
        let job = Job(node: node, body: body)
        let waiting = queue.lock.withLock {
            queue.jobs.append(job)
            return queue.mainThreadGates.last
        }
        waiting?.nudge()
        Task { @MainActor in perform(job) }

        if job.gate.wait(until: deadline) { return true }
        let hasBegun = queue.lock.withLock {
            if job.phase == .running { return true }
            job.phase = .givenUp
            queue.jobs.removeAll { $0 === job }
            return false
        }
        // What has begun is waited for like any other creation: a factory may take its time.
        if hasBegun { _ = job.gate.wait() }
        return hasBegun
    }

    /// Waits until `waiter` is told what became of what it waits for.
    ///
    /// On the main thread, runs meanwhile what that depends on, and nothing else: what does not has no reason to
    /// interrupt the main actor, and might need what is being made there.
    static func wait(for waiter: OnceCell.ThreadWaiter) {
        guard isMainThread else {
            // With one more who waits, a job may have become what the main thread depends on.
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
        // A job can also come in the midst of a creation that lets the main actor run, as by a run loop of its own.
        let node = node ?? Frame.currentNode
        // What the main thread was creation stands still until the job has ended. The job's node waits for nothing but
        // the job, so the edge closes no circle now; one that would close it later is refused then.
        let isNoted = node?.begin(waitingFor: job.node) ?? false
        Locator.$shared.withValue(job.locator) {
            Transaction.$current.withValue(job.transaction) {
                EventDispatch.mark(job.isOfBehavior) { Frame.resume(job.chain, job.body) }
            }
        }
        if isNoted { node?.end(waitingFor: job.node) }
        job.gate.open()
    }
}
