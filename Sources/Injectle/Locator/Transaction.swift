internal import CInjectle

/// The undo log of the modules that `Locator.apply` applies to one core.
///
/// A transaction adds nothing to how registrations are inserted and removed: phases change the core as any other code
/// does. While a transaction is open, the core appends one step for each change that code of the phases makes. Committing
/// drops the log and releases what it retained; rolling back runs it in reverse under the core's lock.
///
/// A task-local identifies the code of the phases, also in the tasks that a phase starts. The changes of other threads
/// are not recorded and not undone; where they affect a recorded step, they remove that step.
///
/// Invariant: a core has at most one open transaction, its `transaction`. All variables change under the lock of `core`.
final class Transaction: @unchecked Sendable {
    // Sound to share: see the invariant.

    /// A change that a rollback undoes.
    enum Step {
        case inserted(Entry)
        /// The entry has left the tables, but its record keeps its instance and its closures. `form` is the instance that
        /// readers saw.
        case removed(Entry, form: Instance?)
        /// A cache keeps a new instance: a scoped one, or the core itself if there is none. The closures stay.
        case created(OnceCell, Instance, ScopedCache?)
        case changedIsolation(from: Locator.Isolation)
        /// The locator was reset. Its former scoped cache is still filled.
        case reset(ScopedCache?, modules: [AnyHashable])
        case applied([AnyHashable])
    }

    /// The transaction that the calling code belongs to. It can be closed already, and an outer one open.
    @TaskLocal static var current: Transaction?

    let core: LocatorCore
    /// The transaction, of another core, whose phases opened this one.
    let outer = Transaction.current
    /// What other threads wait for.
    let node: WaitNode
    @exclusivity(unchecked) var steps: [Step] = []
    /// The order of the last entry that was inserted before the transaction.
    @exclusivity(unchecked) var start = 0
    /// The first error of a phase, which fails the transaction even if another phase catches it.
    @exclusivity(unchecked) var failure: (any Error)?
    /// The threads that apply modules to the same core next.
    @exclusivity(unchecked) var waiters: [OnceCell.Waiter] = []
    private let thread = injectle_thread_current()

    init(of core: LocatorCore, _ node: WaitNode) {
        self.core = core
        self.node = node
    }

    /// The transactions that the calling code belongs to, innermost first, closed ones included.
    private static var chain: some Sequence<Transaction> {
        sequence(state: current) { next in
            defer { next = next?.outer }
            return next
        }
    }

    /// Whether the calling code belongs to this transaction.
    var isCurrent: Bool { Transaction.chain.contains { $0 === self } }

    /// The innermost open transaction that the calling code belongs to. No lock is held.
    private static var innermost: Transaction? {
        guard injectle_load_number(openCount) != 0 else { return nil }
        return chain.first { transaction in
            transaction.core.lock.withLock { transaction.core.transaction === transaction }
        }
    }

    /// The node of the thread that runs the phases, on that thread.
    static var currentNode: WaitNode? {
        guard let innermost, innermost.thread == injectle_thread_current() else { return nil }
        return innermost.node
    }

    /// Appends a step to the log of the innermost open transaction, if any. No lock is held.
    static func record(_ step: @autoclosure () -> Step) {
        innermost?.append([step()])
    }

    /// Appends steps if the transaction is open. No lock is held.
    func append(_ more: [Step]) {
        core.lock.withLock { if core.transaction === self { steps += more } }
    }

    /// Runs `body` while the process counts one more open transaction.
    static func counting(_ body: () throws -> Void) rethrows {
        add(1)
        defer { add(-1) }
        try body()
    }

    private static func add(_ difference: Int) {
        countLock.withLock {
            injectle_store_number(openCount, UInt(Int(injectle_load_number(openCount)) + difference))
        }
    }

    private static let countLock = Lock()
    // Sound to share: written under `countLock`, and read as an atomic word. Without open transactions, `innermost` costs
    // one load instead of a look-up of the task-local.
    nonisolated(unsafe) private static let openCount: UnsafeMutablePointer<UInt> = {
        let count = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
        count.initialize(to: 0)
        return count
    }()
}
