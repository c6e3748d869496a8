internal import CInjectle

/// What can wait and be waited for: a creation that has claimed cells, an ending, or a thread that applies modules.
///
/// A value, so that a creation for which nothing waits needs no object. Its identifier is the address of an object that
/// exists as long as the node does: of the first claimed cell, of the ending, of a variable of the thread.
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

    /// A creation whose first claimed cell is `cell`.
    init(_ cell: Cell, in task: TaskCreation? = nil) {
        self.init(id: cell.nodeID, task: task)
    }

    init(_ ending: Ending) {
        self.init(id: UInt(bitPattern: ObjectIdentifier(ending)), task: nil)
    }

    static func == (left: Node, right: Node) -> Bool { left.id == right.id }
}
