internal import CInjectle

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
