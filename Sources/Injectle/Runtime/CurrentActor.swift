internal import CInjectle

extension Actor {
    /// Whether the calling code runs on this actor, also in a function that is not isolated to it.
    ///
    /// That is so if the actor's executor runs the current job: the rule of `assumeIsolated`, which ends the process
    /// where it does not hold. Code that the executor runs without a job, such as a block on the queue of a custom
    /// executor, does not count, nor does code on the main thread outside of a job.
    ///
    /// - Complexity: O(1), without a lock.
    nonisolated var isCurrent: Bool {
        let current = unsafe swift_task_getCurrentExecutor()
        // Sound: an executor is frozen as two words, of which the first is the address of the object.
        let own = unsafe unsafeBitCast(unownedExecutor, to: injectle_executor.self)
        return unsafe current.object != nil && current.object == own.object
    }
}
