internal import CInjectle

/// Who can create and wait: a thread with all that it creates, a creation that has a task of its own, or a close.
///
/// A value, so that a creation for which nothing waits needs no object. An identifier is used only while the thread is inside
/// a creation, or the task or the close in progress, so that no other node has it.
struct Node: Sendable, Equatable {
    let id: UInt
    /// The creation, if it has a task of its own.
    let task: TaskCreation?

    /// The calling thread.
    static var thread: Node { Node(id: injectle_thread_id(), task: nil) }

    private init(id: UInt, task: TaskCreation?) {
        self.id = id
        self.task = task
    }

    init(_ task: TaskCreation) {
        self.init(id: UInt(bitPattern: ObjectIdentifier(task)), task: task)
    }

    init(_ close: CloseOperation) {
        self.init(id: UInt(bitPattern: ObjectIdentifier(close)), task: nil)
    }

    static func == (left: Node, right: Node) -> Bool { left.id == right.id }
}

/// Which nodes wait for which others.
///
/// An edge exists exactly while one node cannot continue before another does. The graph refuses an edge that would close
/// a circle; the caller throws the refusal as the error that the deadlock would have been. (The wait-for graph of
/// Coffman, Elphick and Shoshani, "System Deadlocks", ACM Computing Surveys 3(2), 1971, kept free of cycles instead of
/// searched for them.)
enum WaitGraph {
    /// A wait for a node, and the cell whose creation it waits for, if it waits for one.
    struct Edge {
        let target: Node
        let cell: Cell?
    }

    /// The edges of each node. It is empty while nothing waits.
    private static let edges = Mutex<[UInt: [Edge]]>([:])

    /// Adds edges from nodes to another one. Returns false, and adds none, if that waits for one of them, directly or through
    /// others.
    static func begin(_ nodes: [UInt], waitingFor target: Node, in cell: Cell? = nil) -> Bool {
        if nodes.isEmpty { return true }
        return edges.withLock { edges in
            if path(from: target.id, to: nodes, in: edges) != nil { return false }
            for node in nodes { edges[node, default: []].append(Edge(target: target, cell: cell)) }
            return true
        }
    }

    /// Removes one edge from each of some nodes to another one.
    static func end(_ nodes: [UInt], waitingFor target: Node) {
        if nodes.isEmpty { return }
        // Released after the lock.
        var removed: [Edge] = []
        edges.withLock { edges in
            for node in nodes {
                guard let index = edges[node]?.firstIndex(where: { $0.target == target }) else { continue }
                if let edge = edges[node]?.remove(at: index) { removed.append(edge) }
                if edges[node]?.isEmpty == true { edges[node] = nil }
            }
        }
        withExtendedLifetime(removed) {}
    }

    /// The nodes that one waits for.
    static func awaited(by node: Node) -> [Node] { edges.withLock { $0[node.id] ?? [] }.map(\.target) }

    /// Whether a node can continue only after another one does: it is that node, or waits for it, directly or through others.
    static func depends(_ node: Node, on other: Node) -> Bool {
        edges.withLock { path(from: node.id, to: [other.id], in: $0) != nil }
    }

    /// The last edge of a path from a node to one of some others, if there is a path. It is nil inside if the node is one of
    /// these. Visits each node once at most, however many paths lead to it.
    ///
    /// - Complexity: O(*n*) in the number of nodes and edges.
    private static func path(from start: UInt, to ends: [UInt], in edges: [UInt: [Edge]]) -> Edge?? {
        if ends.contains(start) { return .some(nil) }
        var visited: Set<UInt> = [start]
        var pending = [start]
        while let node = pending.popLast() {
            for edge in edges[node] ?? [] {
                if ends.contains(edge.target.id) { return edge }
                if visited.insert(edge.target.id).inserted { pending.append(edge.target.id) }
            }
        }
        return nil
    }
}

/// A thread or a task that waits for a creation, and the outcome for it.
final class Waiter: Sendable {
    typealias Outcome = Result<AnyInstance, InjectleError>

    private struct State {
        var outcome: Outcome?
        var continuation: CheckedContinuation<Void, Never>?
        var isAwake = false
        var hasLeft = false
    }

    /// The nodes that wait: of the creations that the waiter is part of.
    let nodes: [UInt]
    let creator: Node
    /// The gate of a thread. A task has none.
    let gate: Gate?
    private let cell: Cell
    private let state = Mutex(State())

    init(for creator: Node, in cell: Cell, nodes: [UInt], isTask: Bool) {
        self.nodes = nodes
        self.creator = creator
        self.cell = cell
        gate = isTask ? nil : Gate()
    }

    /// The outcome of the creation. Nil if the waiter has to try again.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    func finish(with outcome: Outcome?) {
        // Before the creator continues: it must not find the edge of a wait that has ended.
        WaitGraph.end(nodes, waitingFor: creator)
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
        WaitGraph.end(nodes, waitingFor: creator)
        state.withLock { $0.hasLeft = true }
        wake()
        creator.task?.isWaitedForNoMore()
    }
}
