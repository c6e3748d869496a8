internal import CInjectle

/// The undo log of the modules that `Locator.apply` applies to one core.
///
/// A transaction adds nothing to how registrations are inserted and removed: phases change the core as any other code
/// does. While a transaction is open, the core logs the changes that code of the phases makes. Committing drops the log and
/// releases the retained objects; rolling back undoes the changes under the core's lock.
///
/// A task-local identifies the code of the phases, also in the tasks that a phase starts. The changes of other threads
/// are not logged and not undone; where they affect a logged change, they remove that from the log.
///
/// Invariant: a core has at most one open transaction, its `transaction`. All variables change under the lock of `core`.
@safe
final class Transaction: @unchecked Sendable {
    // Sound to share: see the invariant.

    /// The changes that a rollback undoes.
    struct Log {
        /// The inserted entries, by their order.
        var inserted: Set<Int> = []
        /// The entries that have left the tables. Their records keep their instances and their closures.
        var removed: [Entry] = []
        /// The new instances that a cache keeps: a scoped one, or the core itself if there is none. The closures stay.
        var created: [(cell: OnceCell, instance: Instance, cache: ScopedCache?)] = []
        /// The scoped cache, which is still filled, and the modules before the first reset.
        var beforeReset: (cache: ScopedCache?, modules: [AnyHashable])?
        /// The ids of the modules that are being applied.
        var applied: [AnyHashable] = []
        /// The threads that apply modules to the same core next.
        var waiters: [OnceCell.Waiter] = []
    }

    /// The transaction that the calling code belongs to. It can be closed already, and an outer one open.
    @TaskLocal static var current: Transaction?

    let core: LocatorCore
    /// The transaction, of another core, whose phases opened this one.
    let outer = Transaction.current
    /// What other threads wait for.
    let node: WaitNode
    @safe @exclusivity(unchecked) var log = Log()
    /// The first error of a phase, which fails the transaction even if another phase catches it.
    @safe @exclusivity(unchecked) var failure: (any Error)?
    private let thread = unsafe injectle_thread_current()

    init(of core: LocatorCore, _ node: WaitNode) {
        self.core = core
        self.node = node
    }

    /// The transactions that the calling code belongs to, innermost first, closed ones included.
    private static var chain: [Transaction] { current.map { Array(sequence(first: $0, next: \.outer)) } ?? [] }

    /// Whether the calling code belongs to this transaction.
    var isCurrent: Bool { Transaction.chain.contains { $0 === self } }

    /// The innermost open transaction that the calling code belongs to. No lock is held.
    static var innermost: Transaction? {
        @inline(__always) get { areNoneOpen ? nil : innermostOfChain }
    }

    private static var innermostOfChain: Transaction? {
        chain.first { transaction in
            transaction.core.lock.withLock { transaction.core.transaction === transaction }
        }
    }

    /// The node of the thread that runs the phases, on that thread.
    static var currentNode: WaitNode? {
        guard let innermost, unsafe innermost.thread == injectle_thread_current() else { return nil }
        return innermost.node
    }

    /// Logs a new instance of a scoped cache in the open transactions that the calling code belongs to. Each logs the
    /// instances of its locator: what this one caches, and what other caches have for its registrations. No lock is held.
    @inline(__always)
    static func append(_ instance: Instance, createdIn cell: OnceCell, of cache: ScopedCache) {
        if !areNoneOpen { log(instance, createdIn: cell, of: cache) }
    }

    private static func log(_ instance: Instance, createdIn cell: OnceCell, of cache: ScopedCache) {
        for transaction in chain {
            let (core, isCached) = (transaction.core, cache.isOf(transaction.core))
            core.lock.withLock {
                guard core.transaction === transaction, isCached || core.hasEntry(of: cell.record) else { return }
                transaction.log.created.append((cell, instance, cache))
            }
        }
    }

    /// Changes the number of open transactions of the process.
    static func countOpen(adding difference: Int) {
        countLock.withLock {
            unsafe injectle_store_number(openCount, UInt(Int(injectle_load_number(openCount)) + difference))
        }
    }

    /// Whether the process has no open transaction.
    private static var areNoneOpen: Bool {
        @inline(__always) get { unsafe injectle_load_number(openCount) == 0 }
    }

    private static let countLock = Lock()
    // Sound to share: written under `countLock`, and read as an atomic word. Without open transactions, `innermost` costs
    // one load instead of a look-up of the task-local.
    nonisolated(unsafe) private static let openCount: UnsafeMutablePointer<UInt> = {
        let count = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
        unsafe count.initialize(to: 0)
        return unsafe count
    }()
}
