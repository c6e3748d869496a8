/// A creation in a task of its own, for all callers that wait for it.
///
/// No caller runs it, so each can stop waiting; when the last one stops, the task is cancelled. A caller that requests the
/// instance meanwhile tries again.
final class TaskCreation: Sendable {
    private struct State {
        var waiting = 0
        var isCancelled = false
        var task: Task<Void, Never>?
    }

    /// The identity of the service, for errors.
    let identity: Locator.Identity
    private let state = Mutex(State())

    init(of identity: Locator.Identity) {
        self.identity = identity
    }

    /// Begins the task, which is part of what the caller is part of, and completes the creation, whose cells this node
    /// has claimed. Returns the waiter of the caller.
    func begin(_ creation: Creation, _ claims: CellClaims) -> Waiter {
        let (node, cell) = (Node(self), claims[0].cell)
        let waiting = Node.waiting
        // A creation that has not begun waits for nothing, so this closes no circle.
        _ = WaitGraph.begin(waiting, waitingFor: node, in: cell)
        let requester = Waiter(for: node, in: cell, nodes: waiting, isTask: true)
        cell.state.withLock { $0.enter(requester) }
        isWaitedFor()
        let context = TaskContext.current
        let task = Task {
            await context.run {
                var claims = claims
                let result = await creation.createInTask(as: self)
                // Nobody waits for the failure of a cancelled creation.
                let isAbandoned = state.withLock { $0.isCancelled } || creation.isSuperseded(result)
                _ = try? creation.complete(with: result, &claims, isAbandoned: isAbandoned)
            }
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        return requester
    }

    /// Called when a task begins to wait for the creation, which gets its priority if that is higher.
    func isWaitedFor() {
        let task = state.withLock { state in
            state.waiting += 1
            return state.task
        }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task?.escalatePriority(to: Task.currentPriority)
        }
    }

    /// Called when a task stops waiting before the creation has an outcome.
    func isWaitedForNoMore() {
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
