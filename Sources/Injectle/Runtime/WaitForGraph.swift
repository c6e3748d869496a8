/// A node of the wait-for graph: one top-level resolve and everything that it creates, one service at a time, on any
/// threads.
///
/// An edge exists exactly while one node cannot continue before another does. The graph refuses an edge that would close
/// a circle; the caller throws the refusal as the error that the deadlock would have been. (The wait-for graph of
/// Coffman, Elphick and Shoshani, "System Deadlocks", ACM Computing Surveys 3(2), 1971, kept free of cycles instead of
/// searched for them.)
class WaitNode: @unchecked Sendable {
    // Sound to share: the edges and marks are accessed only under `graph`.

    private static let graph = Lock()
    nonisolated(unsafe) private static var searches: UInt = 0
    private var waitsFor: [WaitNode] = []
    /// The last search that visited this node.
    private var mark: UInt = 0

    /// Adds an edge from this node to `other`. Returns false, and adds none, if `other` waits for this node, directly or
    /// through others.
    final func begin(waitingFor other: WaitNode) -> Bool {
        WaitNode.graph.withLock {
            if other.search(for: self).isFound { return false }
            waitsFor.append(other)
            return true
        }
    }

    /// Removes one edge to `other`.
    final func end(waitingFor other: WaitNode) {
        // Released after the lock.
        let removed: WaitNode? = WaitNode.graph.withLock {
            waitsFor.firstIndex { $0 === other }.map { waitsFor.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    /// Called when a task begins to wait for this node.
    func isWaitedFor() {}

    /// Called when a task stops waiting before this node has an outcome.
    func isWaitedForNoMore() {}

    /// The nodes that this one waits for.
    final var awaited: [WaitNode] { WaitNode.graph.withLock { waitsFor } }

    /// Returns whether this node can continue only after `node` does: it is that node, or waits for it, directly or
    /// through others.
    final func depends(on node: WaitNode) -> Bool {
        WaitNode.graph.withLock { search(for: node).isFound }
    }

    /// The number of nodes that a search for a node visits, for tests.
    final func visits(searchingFor node: WaitNode) -> Int {
        WaitNode.graph.withLock { search(for: node).visits }
    }

    /// Visits each node once at most, however many paths lead to it. The lock is held.
    ///
    /// - Complexity: O(*n*) in the number of nodes and edges.
    private final func search(for target: WaitNode) -> (isFound: Bool, visits: Int) {
        if self === target { return (true, 1) }
        unsafe WaitNode.searches += 1
        var visits = 1
        var pending = waitsFor
        while let node = pending.popLast() {
            if node === target { return (true, visits + 1) }
            if unsafe node.mark == WaitNode.searches { continue }
            node.mark = unsafe WaitNode.searches
            visits += 1
            pending += node.waitsFor
        }
        return (false, visits)
    }
}
