/// A creation in a task of its own, for all callers that wait for it.
///
/// No caller runs it, so each can stop waiting; when the last one stops, the task is cancelled. A caller that requests the
/// instance meanwhile tries again.
///
/// Invariant: `claims` is complete before the task begins, and the task alone uses it. `lock` guards all other variables.
final class TaskCreation: WaitNode, @unchecked Sendable {
    // Sound to share: see the invariant. Nothing changes the request.

    let creation: Creation
    /// The claimed cells and their caches, the innermost first.
    var claims: [(cell: OnceCell, candidate: LifetimePlan.Candidate)] = []
    /// The waiter of the first caller. The cell retains it.
    private weak var requester: OnceCell.TaskWaiter?

    private let lock = Lock()
    private var waiting = 1
    private var isCancelled = false
    private var task: Task<Void, Never>?

    init(_ creation: Creation) {
        self.creation = creation
    }

    /// The node that waits on behalf of the calling task, if any.
    static var waitingNode: WaitNode? { TaskFrame.currentNode ?? CloseOperation.currentNode }

    /// The waiter of the caller that claims a cell for this creation.
    func makeRequester(in cell: OnceCell, of cache: any InstanceCache) -> OnceCell.TaskWaiter {
        let node = TaskCreation.waitingNode
        // A creation that has not begun waits for nothing, so this closes no cycle.
        _ = node?.begin(waitingFor: self)
        let waiter = OnceCell.TaskWaiter(node: node, creator: self) { cache.leave(cell, $0) }
        requester = waiter
        return waiter
    }

    /// Begins the task, which inherits the task-local values of the caller. Returns the waiter of the first caller.
    func begin() -> OnceCell.TaskWaiter? {
        // Before the task ends the claims, the cell retains it.
        let requester = requester
        let task = Task { await run() }
        let isCancelled = lock.withLock {
            self.task = task
            return self.isCancelled
        }
        if isCancelled { task.cancel() }
        return requester
    }

    override func isWaitedFor() {
        lock.withLock { waiting += 1 }
    }

    override func isWaitedForNoMore() {
        let isUnwanted = lock.withLock {
            waiting -= 1
            return waiting == 0
        }
        if isUnwanted { cancel() }
    }

    /// Cancels the task, also if callers wait.
    func cancel() {
        let task = lock.withLock {
            isCancelled = true
            return self.task
        }
        task?.cancel()
    }

    private func run() async {
        var outcome = await creation.createInTask(as: self)
        // Nobody waits for the failure of a cancelled creation.
        if case .failure? = outcome, lock.withLock({ isCancelled }) { outcome = nil }
        for (cell, candidate) in claims { outcome = creation.end(cell, of: candidate, by: outcome) }
        claims = []
    }
}
