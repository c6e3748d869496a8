/// Where one shared instance is made and kept.
///
/// The state machine with what it needs here: nodes make, threads and tasks wait. Guarded by the lock that whoever
/// holds the cell uses for it, which also excludes what a check of exclusive access would look for.
final class OnceCell {
    typealias State = OnceStateMachine<WaitNode, Waiter, Instance>
    typealias Outcome = Result<Instance, InjectleError>

    /// What the cell makes. Held so that the cell can be found by it for as long as there is the cell.
    let record: RegistrationRecord
    @exclusivity(unchecked) var state: State

    /// - Parameter given: What there is already, and need not be made.
    init(for record: RegistrationRecord, given: Instance? = nil) {
        self.record = record
        state = given.map(State.init(made:)) ?? State()
    }

    /// How a creation has ended.
    struct Ended {
        /// Who waited for it.
        let waiters: [Waiter]
        /// Who is to ask again.
        let others: [Waiter]
        /// Whether the instance was kept.
        let isKept: Bool

        init(_ ended: (waiters: [Waiter], others: [Waiter], isKept: Bool)) {
            (waiters, others, isKept) = ended
        }

        init(_ ended: (waiters: [Waiter], others: [Waiter])) {
            (waiters, others) = ended
            isKept = false
        }
    }

    /// Somebody who waits for the creation, and what became of it: a thread or a task.
    class Waiter: @unchecked Sendable {
        // Sound to share: `outcome` is written once, before whoever waits is woken, and read after.
        let node: WaitNode?
        let creator: WaitNode
        /// What became of it. Nil if the creation was given up, and is to be asked for again.
        fileprivate(set) var outcome: Outcome?

        /// - Parameter node: what whoever waits is creation itself, if anything.
        init(node: WaitNode?, creator: WaitNode) {
            self.node = node
            self.creator = creator
        }

        func finish(with outcome: Outcome?) {
            // Before the maker goes on: else it could meet, as if it were still there, the edge of a wait that is over.
            node?.end(waitingFor: creator)
            self.outcome = outcome
            wake()
        }

        fileprivate func wake() {}
    }

    /// A thread that waits.
    final class ThreadWaiter: Waiter, @unchecked Sendable {
        // Sound to share: like every waiter, and a gate is made for it.

        let gate = Gate()

        fileprivate override func wake() { gate.open() }
    }

    /// A task that waits. When it is cancelled it leaves at once, and harms nobody.
    final class TaskWaiter: Waiter, @unchecked Sendable {
        // Sound to share: what changes is touched only under `lock`.
        private let cell: OnceCell
        private let cache: any InstanceCache
        private let lock = Lock()
        private var continuation: CheckedContinuation<Void, Never>?
        private var isAwake = false
        private var hasLeft = false

        init(for cell: OnceCell, of cache: any InstanceCache, node: WaitNode?, creator: WaitNode) {
            self.cell = cell
            self.cache = cache
            super.init(node: node, creator: creator)
        }

        /// Waits to be told. False if the task was cancelled before: then it is not told any more.
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
            // Who has been taken out to be told is told at once.
            guard cache.leave(cell, self) else { return }
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

/// Who keeps cells: a locator those of its shared services, a property that of a service made for it alone.
protocol InstanceCache: AnyObject {
    /// Calls `body` with the cell of what a record makes for a locator, under the lock that guards it. False if the
    /// holder has none for that any more.
    ///
    /// Not generic, since a generic function of any holder would be called without being specialized.
    ///
    /// - Parameter key: What tells its instances of one record apart.
    func withCell(
        of record: RegistrationRecord,
        for caller: LocatorCore,
        given key: Arguments.Key?,
        _ body: (OnceCell) -> Void
    ) -> Bool

    /// Ends a creation in `cell` and lets readers see the instance.
    func succeed(_ cell: OnceCell, with instance: Instance) -> OnceCell.Ended

    /// Ends a creation in `cell` without an instance.
    func fail(_ cell: OnceCell) -> OnceCell.Ended

    /// Takes a waiter out of `cell`. False if it is being told already.
    func leave(_ cell: OnceCell, _ waiter: OnceCell.Waiter) -> Bool

    /// Lets go of what a record made, or of that which was made with some arguments.
    func drop(_ record: RegistrationRecord, given key: Arguments.Key?)
}
