/// A node of the wait-for graph: one top-level resolve and everything that it creates, one service at a time, on any
/// threads; or a close.
///
/// An edge exists exactly while one node cannot continue before another does. The graph refuses an edge that would close
/// a circle; the caller throws the refusal as the error that the deadlock would have been. (The wait-for graph of
/// Coffman, Elphick and Shoshani, "System Deadlocks", ACM Computing Surveys 3(2), 1971, kept free of cycles instead of
/// searched for them.)
@usableFromInline final class WaitNode: Sendable {
    /// The creation of a task of its own.
    let task: TaskCreation?

    init(_ task: TaskCreation? = nil) {
        self.task = task
    }

    /// The nodes that each node waits for. It is empty while nothing waits.
    private static let edges = Mutex<[ObjectIdentifier: [WaitNode]]>([:])

    /// Adds an edge from this node to `other`. Returns false, and adds none, if `other` waits for this node, directly or
    /// through others.
    func begin(waitingFor other: WaitNode) -> Bool {
        WaitNode.edges.withLock { edges in
            if WaitNode.leads(from: other, to: self, in: edges) { return false }
            edges[ObjectIdentifier(self), default: []].append(other)
            return true
        }
    }

    /// Removes one edge to `other`.
    func end(waitingFor other: WaitNode) {
        // Released after the lock.
        let removed: WaitNode? = WaitNode.edges.withLock { edges in
            guard var awaited = edges[ObjectIdentifier(self)], let index = awaited.firstIndex(where: { $0 === other })
            else { return nil }
            defer { edges[ObjectIdentifier(self)] = awaited.isEmpty ? nil : awaited }
            return awaited.remove(at: index)
        }
        withExtendedLifetime(removed) {}
    }

    /// The nodes that this one waits for.
    var awaited: [WaitNode] { WaitNode.edges.withLock { $0[ObjectIdentifier(self)] ?? [] } }

    /// Whether this node can continue only after `node` does: it is that node, or waits for it, directly or through others.
    func depends(on node: WaitNode) -> Bool {
        WaitNode.edges.withLock { WaitNode.leads(from: self, to: node, in: $0) }
    }

    /// Visits each node once at most, however many paths lead to it.
    ///
    /// - Complexity: O(*n*) in the number of nodes and edges.
    private static func leads(from start: WaitNode, to end: WaitNode, in edges: [ObjectIdentifier: [WaitNode]]) -> Bool
    {
        var visited: Set<ObjectIdentifier> = []
        var pending = [start]
        while let node = pending.popLast() {
            if node === end { return true }
            if visited.insert(ObjectIdentifier(node)).inserted { pending += edges[ObjectIdentifier(node)] ?? [] }
        }
        return false
    }
}

/// A thread or a task that waits for a creation, and the outcome for it.
final class Waiter: Sendable {
    typealias Outcome = Result<AnyInstance, InjectleError>

    private typealias State = (
        outcome: Outcome?, continuation: CheckedContinuation<Void, Never>?, isAwake: Bool, hasLeft: Bool
    )

    /// The node that waits, if the waiter creates something itself.
    let node: WaitNode?
    let creator: WaitNode
    /// The gate of a thread. A task has none.
    let gate: Gate?
    private let cell: Cell
    private let state = Mutex<State>((nil, nil, false, false))

    init(for creator: WaitNode, in cell: Cell, node: WaitNode?, isTask: Bool) {
        (self.node, self.creator, self.cell) = (node, creator, cell)
        gate = isTask ? nil : Gate()
    }

    /// The outcome of the creation. Nil if the waiter has to ask again.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    func finish(with outcome: Outcome?) {
        // Before the creator continues: it must not find the edge of a wait that has ended.
        node?.end(waitingFor: creator)
        state.withLock { $0.outcome = outcome }
        wake()
    }

    private func wake() {
        gate?.open()
        let continuation = state.withLock { state in
            state.isAwake = true
            return state.continuation.take()
        }
        continuation?.resume()
    }

    /// Suspends the task until the outcome. Returns false if the task was cancelled before: it receives none then. Its
    /// cancellation affects no other waiter.
    func suspend() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isAwake { state.continuation = continuation }
                    return state.isAwake
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            leave()
        }
        return state.withLock { !$0.hasLeft }
    }

    private func leave() {
        // A waiter that the cell has returned wakes soon.
        guard cell.state.withLock({ $0.leave(self) }) else { return }
        node?.end(waitingFor: creator)
        state.withLock { $0.hasLeft = true }
        wake()
        creator.task?.isWaitedForNoMore()
    }
}
