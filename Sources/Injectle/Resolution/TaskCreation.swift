/// A creation in a task of its own, for all callers that wait for it.
///
/// No caller runs it, so each can stop waiting; when the last one stops, the task is cancelled. A caller that requests the
/// instance meanwhile tries again.
///
/// Invariant: `claims` is complete before the task begins, and the task alone uses it then.
final class TaskCreation: Sendable {
    let creation: Creation
    /// The claimed cells, the innermost first; then the node that claims them, and the waiter of the first caller, until the
    /// task begins.
    private let claims = Mutex<
        (cells: [(cell: Cell, candidate: Creation.Candidate)], node: WaitNode?, requester: Waiter?)
    >(
        ([], nil, nil)
    )
    private let state = Mutex<(waiting: Int, isCancelled: Bool, task: Task<Void, Never>?)>((1, false, nil))

    init(_ creation: Creation) {
        self.creation = creation
    }

    /// The node that waits on behalf of the calling task, if any.
    static var waitingNode: WaitNode? { TaskFrame.currentNode ?? CloseOperation.currentNode }

    /// The waiter of the caller that claims a cell for this creation.
    func makeRequester(for node: WaitNode, in cell: Cell) -> Waiter {
        let own = TaskCreation.waitingNode
        // A creation that has not begun waits for nothing, so this closes no cycle.
        _ = own?.begin(waitingFor: node)
        let waiter = Waiter(for: node, in: cell, node: own, isTask: true)
        claims.withLock { ($0.node, $0.requester) = (node, waiter) }
        return waiter
    }

    /// Adds a claimed cell, before the task begins.
    func add(_ cell: Cell, of candidate: Creation.Candidate) { claims.withLock { $0.cells.append((cell, candidate)) } }

    /// Releases what refers to it, since another creation provides the instance.
    func abandon() { _ = claims.withLock { ($0.node.take(), $0.requester.take()) } }

    /// Begins the task, which inherits the task-local values of the caller. Returns the waiter of the first caller.
    func begin() -> Waiter? {
        let requester = claims.withLock { $0.requester.take() }
        let task = Task { await run() }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        return requester
    }

    /// Called when a task begins to wait for the creation.
    func isWaitedFor() { state.withLock { $0.waiting += 1 } }

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

    private func run() async {
        let outcome = await creation.createInTask(as: claims.withLock { $0.node.take() })
        let claims = claims.withLock { claims in
            defer { claims.cells = [] }
            return claims.cells
        }
        switch outcome {
        case .success(let instance):
            var error: InjectleError?
            for (cell, candidate) in claims {
                if let error { cell.fail(with: error) } else { error = keep(instance, in: cell, of: candidate) }
            }
        case .failure(let error):
            // Nobody waits for the failure of a cancelled creation.
            let isCancelled = state.withLock { $0.isCancelled }
            for (cell, _) in claims { cell.fail(with: isCancelled ? nil : error) }
        }
    }

    private func keep(_ instance: AnyInstance, in cell: Cell, of candidate: Creation.Candidate) -> InjectleError? {
        do throws(InjectleError) {
            try creation.keep(instance, in: cell, of: candidate)
            return nil
        } catch {
            return error
        }
    }
}
