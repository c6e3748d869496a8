extension Runtime {
    /// The cell in which one instance is created and cached.
    ///
    /// The state machine for nodes of the wait-for graph that create, and for threads and tasks that wait. The lock of
    /// the cell's owner guards it, which also excludes what a check of exclusive access would report.
    final class OnceCell<Record: AnyObject, Product: AnyObject, Failure: Error> {
        typealias State = OnceStateMachine<WaitNode, Waiter, Product>
        typealias Ended = State.Ended
        typealias Outcome = Result<Product, Failure>

        /// The record of the cell. Retained, so that its address identifies the cell as long as that exists.
        let record: Record
        @safe @exclusivity(unchecked) var state: State
        /// Whether the cached product was requested, for the owner to note.
        @safe @exclusivity(unchecked) var wasRead = false

        /// - Parameter given: The product, if it exists already.
        init(for record: Record, given: Product? = nil) {
            self.record = record
            state = given.map(State.init(made:)) ?? State()
        }

        /// A thread or a task that waits for a creation, and the outcome for it.
        class Waiter: @unchecked Sendable {
            // Sound to share: `outcome` is written once, before the waiter wakes, and read after.
            let node: WaitNode?
            let creator: WaitNode
            /// The outcome of the creation. Nil if the waiter has to ask again.
            fileprivate(set) var outcome: Outcome?

            /// - Parameter node: The node that waits, if the waiter creates something itself.
            init(node: WaitNode?, creator: WaitNode) {
                self.node = node
                self.creator = creator
            }

            func finish(with outcome: Outcome?) {
                // Before the creator continues: it must not find the edge of a wait that has ended.
                node?.end(waitingFor: creator)
                self.outcome = outcome
                wake()
            }

            fileprivate func wake() {}
        }

        /// A thread that waits.
        final class ThreadWaiter: Waiter, @unchecked Sendable {
            // Sound to share: like every waiter; a gate is shared by design.

            let gate = Gate()

            fileprivate override func wake() { gate.open() }
        }

        /// A task that waits. Its cancellation ends its wait at once, and affects no other waiter.
        final class TaskWaiter: Waiter, @unchecked Sendable {
            // Sound to share: all that changes is accessed only under `lock`.
            private let removeFromCell: (TaskWaiter) -> Bool
            private let lock = Lock()
            private var continuation: CheckedContinuation<Void, Never>?
            private var isAwake = false
            private var hasLeft = false

            /// - Parameter removeFromCell: Removes the waiter from its cell, under the cell's lock. Returns false if the
            ///   creation has ended.
            init(node: WaitNode?, creator: WaitNode, removeFromCell: @escaping (TaskWaiter) -> Bool) {
                self.removeFromCell = removeFromCell
                super.init(node: node, creator: creator)
            }

            /// Waits for the outcome. Returns false if the task was cancelled before: it receives none then.
            func wait() async -> Bool {
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        let isOver = lock.withLock {
                            if !isAwake { self.continuation = continuation }
                            return isAwake
                        }
                        if isOver { continuation.resume() }
                    }
                } onCancel: {
                    leave()
                }
                return lock.withLock { !hasLeft }
            }

            private func leave() {
                // A waiter that the cell has returned wakes soon.
                guard removeFromCell(self) else { return }
                node?.end(waitingFor: creator)
                lock.withLock { hasLeft = true }
                wake()
                creator.isWaitedForNoMore()
            }

            fileprivate override func wake() {
                let continuation = lock.withLock {
                    isAwake = true
                    defer { self.continuation = nil }
                    return self.continuation
                }
                continuation?.resume()
            }
        }
    }
}
