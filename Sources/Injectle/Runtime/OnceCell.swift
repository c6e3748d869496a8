extension Runtime {
    /// The cell in which one instance is created and cached.
    ///
    /// The state machine for nodes of the wait-for graph that create, and for threads and tasks that wait. The lock of
    /// the cell's owner guards it, which also excludes what a check of exclusive access would report.
    @safe
    final class OnceCell<Record: AnyObject, Product: AnyObject, Failure: Error> {
        typealias State = OnceStateMachine<WaitNode, Waiter, Product>
        typealias Ended = State.Ended
        typealias Outcome = Result<Product, Failure>

        /// The record of the cell, whose address identifies it.
        var record: Record { unsafe reference.takeUnretainedValue() }
        private let reference: Unmanaged<Record>
        /// Whether the cell retains its record. Else its owner gives up the cell, or lets it retain the record, before that
        /// can be freed, and only code that has the cell from its owner, or the record, uses `record`.
        @safe @exclusivity(unchecked) private var retainsRecord: Bool
        @safe @exclusivity(unchecked) var state: State
        /// Whether the cached product was requested, for the owner to note.
        @safe @exclusivity(unchecked) var wasRead = false

        /// - Parameters:
        ///   - given: The product, if it exists already.
        ///   - retainsRecord: Whether the cell retains its record.
        init(for record: Record, given: Product? = nil, retainsRecord: Bool = true) {
            unsafe reference = retainsRecord ? .passRetained(record) : .passUnretained(record)
            self.retainsRecord = retainsRecord
            state = given.map(State.init(made:)) ?? State()
        }

        deinit {
            if retainsRecord { unsafe reference.release() }
        }

        /// Whether it is the cell of a record.
        func isOf(_ record: Record) -> Bool {
            unsafe reference.toOpaque() == Unmanaged.passUnretained(record).toOpaque()
        }

        /// Calls `body` with the record, without a retain.
        func withRecord<Value>(_ body: (Record) -> Value) -> Value {
            unsafe reference._withUnsafeGuaranteedRef(body)
        }

        /// Retains the record from now on.
        func retainRecord() {
            if retainsRecord { return }
            retainsRecord = true
            unsafe _ = reference.retain()
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
