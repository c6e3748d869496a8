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

    // Sound: it is only compared, never dereferenced.
    /// The key of this value, and the value: an address that no other code uses.
    private static var mark: UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(MainActorBridge.self)))
            .unsafelyUnwrapped
    }
    #endif

    /// The jobs that have not begun, and the gates at which the main thread waits, innermost last.
    private static let queue = Mutex<(jobs: [Job], mainThreadGates: [Gate])>(([], []))

    private final class Job: Sendable {
        /// Whether it has begun, once it has either begun or been given up.
        private let hasBegun = Mutex<Bool?>(nil)
        let gate = Gate()
        /// The thread that waits for the job.
        let node = Node.thread
        // The main thread calls it once, while the thread that posted the job waits.
        let body: UncheckedBox<() -> Void>

        init(_ body: @escaping () -> Void) {
            self.body = UncheckedBox(body)
        }

        /// Begins it or gives it up. Returns false if either has happened before.
        func decide(begins: Bool) -> Bool {
            hasBegun.withLock { hasBegun in
                defer { hasBegun = hasBegun ?? begins }
                return hasBegun == nil
            }
        }
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
        let waiting = queue.withLock { queue in
            queue.jobs.append(job)
            return queue.mainThreadGates.last
        }
        waiting?.nudge()
        Task { @MainActor in perform(job) }

        while ContinuousClock.now < deadline { if job.gate.wait(until: deadline) { return nil } }
        if job.decide(begins: false) {
            queue.withLock { $0.jobs.removeAll { $0 === job } }
            return "which did not start its creation within \(limit)"
        }
        // The wait for a job that has begun has no limit, like that for any other creation: a factory may take its time.
        while !job.gate.wait() {}
        return nil
    }

    /// Waits until the creation that `waiter` waits for has an outcome.
    ///
    /// The main thread meanwhile runs the jobs that this creation depends on, and no others: these have no reason to
    /// interrupt the main actor, and might need the service that it is creating.
    static func wait(for waiter: Waiter) {
        guard let gate = waiter.gate else { return }
        guard isMainThread else {
            // With one more waiter, the main thread may depend on a job that it did not depend on before.
            queue.withLock { $0.jobs.isEmpty ? nil : $0.mainThreadGates.last }?.nudge()
            while !gate.wait() {}
            return
        }
        queue.withLock { $0.mainThreadGates.append(gate) }
        while true {
            let jobs = queue.withLock { $0.jobs }
            if let job = jobs.first(where: { WaitGraph.depends(waiter.creator, on: $0.node) }) {
                perform(job)
            } else if gate.wait() {
                break
            }
        }
        _ = queue.withLock { $0.mainThreadGates.popLast() }
    }

    private static func perform(_ job: Job) {
        guard job.decide(begins: true) else { return }
        queue.withLock { $0.jobs.removeAll { $0 === job } }
        // A job can also interrupt a creation that runs the main actor, as by a run loop of its own. That creation stands
        // still until the job has ended. The thread of the job waits for nothing but the job, so the edge closes no circle
        // now, and the graph refuses one that would close it later.
        let interrupted = Node.waiting
        let isNoted = WaitGraph.begin(interrupted, waitingFor: job.node)
        job.body.value()
        if isNoted { WaitGraph.end(interrupted, waitingFor: job.node) }
        job.gate.open()
    }
}

extension TaskLocal {
    /// The place of the value of the calling code. Child tasks read the value of their parent; a task that is started without a
    /// parent has a copy.
    var place: UInt {
        // Sound: the runtime takes the address of this object for the key, as it does for a read.
        unsafe UInt(bitPattern: swift_task_localValueGet(Unmanaged.passUnretained(self).toOpaque()))
    }
}

extension Actor {
    /// Whether the calling code runs on this actor, also in a function that is not isolated to it.
    ///
    /// That is so if the actor's executor runs the current job. `assumeIsolated` begins with the same comparison, and then
    /// asks the executor. Code that an executor runs without a job, such as a block on its queue, does not count here, nor
    /// does code on the main thread outside of a job, nor the jobs that an executor passes to another one.
    ///
    /// - Complexity: O(1), without a lock.
    nonisolated var isCurrent: Bool {
        let current = swift_task_getCurrentExecutor()
        // Sound: an executor is frozen as two words, the address of its object, and of a witness table with flags in the low
        // bits. The actor of a call exists, and so does its executor. The executor of a job may be gone, with an actor at its
        // address, which has another table or none.
        let own = unsafe unsafeBitCast(unownedExecutor, to: injectle_executor.self)
        return current.object != 0 && current.object == own.object && (current.witnesses ^ own.witnesses) < 4
    }
}
