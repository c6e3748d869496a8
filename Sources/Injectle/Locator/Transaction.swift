internal import CInjectle

/// What the phases of modules have done to a core, until that is kept or taken back.
///
/// To it belongs what is done by the code of the phases while it is open, as a task-local tells. That is only asked
/// where a transaction is open, so that nobody else pays for it. What other threads do meanwhile acts as always.
///
/// Invariant: a core has one open transaction at most, and `contents` is touched under the lock of that core while it is.
/// Whoever closes it takes the contents out. What stands under "own" is touched under the lock of the transaction. Locks
/// are taken in this order: that of a store, that of a core, that of a transaction.
final class Transaction: @unchecked Sendable {
    // Sound to share: see the invariant.

    /// The transaction that what is done here belongs to, if it is still open; else perhaps one around it.
    @TaskLocal static var current: Transaction?

    /// The one whose phases opened this one, for another locator.
    let outer = Transaction.current
    /// Who applies, for others who wait.
    let node: WaitNode
    @exclusivity(unchecked) var contents = Contents()

    /// What is to be kept or taken back.
    struct Contents {
        /// The places in the order of registration of what was registered.
        var added: Set<Int> = []
        /// What was taken out. Its records stay as they are, though none of their entries may be left.
        var removed: [RemovedEntry] = []
        /// What was made, and is kept by the core. Its closures stay.
        var made: [Made] = []
        /// The isolation that the locator had, once it was changed.
        var policy: Locator.Isolation?
        /// What the core kept besides when it was emptied first, if it was.
        var caches: [ScopedCache?] = []
        /// The modules that were applied, and those of before that were forgotten.
        var applied: [AppliedModule] = []
        var forgotten: [AppliedModule] = []
        /// The first error of a phase.
        var failure: (any Error)?
        /// Those who are to be told when it is closed.
        var waiters: [OnceCell.Waiter] = []
    }

    /// A entry that was taken out, and the form of its service that readers saw.
    struct RemovedEntry {
        let entry: Entry
        let form: Instance?
    }

    /// An instance that was made, and where.
    struct Made {
        let cell: OnceCell
        let instance: Instance
    }

    // MARK: PerLocatorKey

    private let lock = Lock()
    @exclusivity(unchecked) private var isOpen = true
    @exclusivity(unchecked) private var madeInStores: [MadeInStore] = []
    /// The record of the thread that runs the phases.
    private let thread = injectle_thread_current()

    struct MadeInStore {
        let cache: ScopedCache
        let made: Made
    }

    init() {
        node = Frame.currentNode ?? WaitNode()
        Transaction.count.withLock { $0 += 1 }
    }

    /// Closes it. Returns what was made in stores.
    func close() -> [MadeInStore] {
        Transaction.count.withLock { $0 -= 1 }
        return lock.withLock {
            isOpen = false
            defer { madeInStores = [] }
            return madeInStores
        }
    }

    // MARK: Whose code it is

    /// Whether what is done here is done by its phases. Only while it is open.
    var isCurrent: Bool {
        var next = Transaction.current
        while let transaction = next {
            if transaction === self { return true }
            next = transaction.outer
        }
        return false
    }

    /// The innermost open one that what is done here belongs to.
    private static var innermost: Transaction? {
        guard count.isAny else { return nil }
        var next = current
        while let transaction = next, !transaction.lock.withLock({ transaction.isOpen }) { next = transaction.outer }
        return next
    }

    /// Who applies modules on this thread, if anybody does.
    static var nodeHere: WaitNode? {
        guard let transaction = innermost, transaction.thread == injectle_thread_current() else { return nil }
        return transaction.node
    }

    /// Notes what a store keeps from now on.
    static func note(_ made: Made, keptBy cache: ScopedCache) {
        innermost?.note([MadeInStore(cache: cache, made: made)])
    }

    /// Notes what was made in stores, unless it is closed.
    func note(_ made: [MadeInStore]) {
        lock.withLock { if isOpen { madeInStores += made } }
    }

    /// How many are open in the process.
    private static let count = Count()

    private final class Count: @unchecked Sendable {
        // Sound to share: the word changes under the lock, and is read as an atomic one.
        private let word = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
        private let lock = Lock()

        init() { word.initialize(to: 0) }

        var isAny: Bool { injectle_load_number(word) != 0 }

        func withLock(_ change: (inout UInt) -> Void) {
            lock.withLock {
                var value = injectle_load_number(word)
                change(&value)
                injectle_store_number(word, value)
            }
        }

        deinit { word.deallocate() }
    }
}

/// A module that was applied to a locator.
final class AppliedModule: @unchecked Sendable {
    // Sound to share: it never changes. What compares ids does so without a lock.
    let id: AnyHashable

    init(_ id: AnyHashable) {
        self.id = id
    }
}

/// What a core knows of modules, once there are any. Guarded by its lock.
final class ModuleState {
    @exclusivity(unchecked) var transaction: Transaction?
    @exclusivity(unchecked) var applied: [AppliedModule] = []
}
