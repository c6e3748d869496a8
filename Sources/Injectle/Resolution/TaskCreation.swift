/// A creation in a task of its own, for all callers that wait for it.
///
/// No caller runs it, so each can stop waiting; when the last one stops, the task is cancelled. A caller that requests
/// the instance then waits for the end of the cancelled task, and creates the instance itself.
final class TaskCreation: Sendable {
    private struct State {
        /// The waiters. Before the creation begins, also its requester.
        var waiting = 1
        var isCancelled = false
        var task: Task<Void, Never>?
        /// The highest priority of the waiters that came before the task.
        var priority: TaskPriority?
    }

    /// Whether nobody waits for it any more, or its locator closes.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The identity of the service, for errors.
    let identity: Locator.Identity
    private let state = Mutex(State())

    init(of identity: Locator.Identity) {
        self.identity = identity
    }

    /// Begins the task, which is part of what the caller is part of, and completes the creation, whose cells this node
    /// has claimed. Returns the waiter of the caller.
    func begin(_ acquisition: Acquisition, _ claims: CellClaims) -> Waiter {
        // A creation that has not begun waits for nothing, so this closes no circle.
        guard case .wait(let requester) = WaitGraph.join(claims[0].cell, .current, isTask: true) else {
            preconditionFailure("The creation has not begun.")
        }
        state.withLock { $0.waiting -= 1 }
        let context = TaskContext.current
        let task = Task {
            await context.run {
                var claims = claims
                let result = await acquisition.createInTask(claims)
                // Those that still wait for a cancelled creation, since its locator closes, try again and get that
                // error.
                _ = try? acquisition.complete(with: result, &claims, isAbandoned: isCancelled)
            }
        }
        let raised = state.withLock { state in
            state.task = task
            return state.priority
        }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), let raised, raised > Task.currentPriority
        {
            task.escalatePriority(to: raised)
        }
        if isCancelled { task.cancel() }
        return requester
    }

    /// Called when a task begins to wait for the creation.
    func addWaiter() { state.withLock { $0.waiting += 1 } }

    /// Gives the creation the priority of the calling task, if that is higher. Runs closures of the program.
    func raisePriority() {
        let priority = Task.currentPriority
        let task = state.withLock { state in
            state.priority = max(state.priority ?? priority, priority)
            return state.task
        }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task?.escalatePriority(to: Task.currentPriority)
        }
    }

    /// Called when a task stops waiting before the creation has an outcome.
    func removeWaiter() {
        let isUnwanted = state.withLock { state in
            state.waiting -= 1
            return state.waiting == 0
        }
        if isUnwanted { cancel() }
    }

    /// Cancels the task, also if callers wait.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
