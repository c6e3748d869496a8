/// One line of creation: an outermost resolve and all that it calls for, one thing at a time, on whichever threads.
///
/// It is who makes in a creation cell, and a node of the graph of who waits for whom. An edge is there exactly while
/// one node cannot go on before another has; adding one that would close a circle is refused, and the refusal is the
/// error that a deadlock would have been. (The wait-for graph of Coffman, Elphick and Shoshani, "System Deadlocks", ACM
/// Computing Surveys 3(2), 1971, kept free of cycles instead of searched for them.)
class WaitNode: @unchecked Sendable {
    // Sound to share: the edges are touched only under `graph`.

    private static let graph = Lock()
    private var waitsFor: [WaitNode] = []

    /// Notes that this node goes on only after `other`. False if `other`, directly or through others, waits for this
    /// one: then nothing is noted.
    final func begin(waitingFor other: WaitNode) -> Bool {
        WaitNode.graph.withLock {
            if other.leads(to: self) { return false }
            waitsFor.append(other)
            return true
        }
    }

    /// Takes back one `begin(waitingFor:)`. What it removes is returned, since letting go of the last reference to
    /// anything under a lock is not done.
    final func end(waitingFor other: WaitNode) {
        let removed: WaitNode? = WaitNode.graph.withLock {
            waitsFor.firstIndex { $0 === other }.map { waitsFor.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    /// Notes that one more waits for what it makes.
    func isWaitedFor() {}

    /// Notes that one who waited does not any more, and was not told.
    func isWaitedForNoMore() {}

    /// Whom it waits for.
    final var awaited: [WaitNode] { WaitNode.graph.withLock { waitsFor } }

    /// Whether this can only go on when `node` does: it is that one, or waits for it, directly or through others.
    final func depends(on node: WaitNode) -> Bool {
        WaitNode.graph.withLock { leads(to: node) }
    }

    /// The graph has no cycles, so the search ends.
    private final func leads(to node: WaitNode) -> Bool {
        self === node || waitsFor.contains { $0.leads(to: node) }
    }
}
