internal import CInjectle

/// The end of a locator and of all below it.
///
/// It has four steps: nothing is made any more that would be kept; what is being made ends; what is to be disposed of
/// is, the last made first; all is let go of. Until the last step, what is there can still be asked for, so a disposer
/// can use what its service was made of.
///
/// It is a strand, since it waits for makings and other closings, and they may wait for it: as disposers do that close
/// each other's locators.
///
/// Invariant: a core has one closing, which it got under its lock and keeps. `task` is set before that lock is left.
final class Closing: Strand, @unchecked Sendable {
    // Sound to share: see the invariant.

    @exclusivity(unchecked) private var task: Task<[InjectleError], Never>!
    /// 1 once it has ended.
    private var hasEnded: UInt = 0
    /// What it ends, without keeping it alive.
    private weak let core: Core?

    /// The one that the calling code is part of, as a disposer is.
    @TaskLocal private static var current: Closing?

    /// The closing that the calling code is part of, unless that has ended, and the code goes on.
    private static var innermost: Closing? {
        guard let current, injectle_load_number(&current.hasEnded) == 0 else { return nil }
        return current
    }

    static var currentStrand: Strand? { innermost }

    private init(of core: Core) {
        self.core = core
    }

    /// Ends a core, unless that has begun before, and waits until it has ended.
    ///
    /// - Returns: What disposers threw; nothing to whom it waits for itself, as a disposer or a making is.
    static func end(_ core: Core) async -> [InjectleError] {
        let waiting = currentStrand ?? TaskFrame.currentStrand
        // What is below has ended first.
        let isBelow = innermost?.core?.chain.contains { $0 === core } ?? false
        let (closing, canWait) = core.lock.withLock {
            let closing = core.closing ?? Closing(of: core)
            // Noted before it begins to wait for anyone.
            let canWait = !isBelow && waiting?.begin(waitingFor: closing) ?? true
            if core.closing == nil {
                core.begin(closing)
                closing.task = Task { await closing.run(core) }
            }
            return (closing, canWait)
        }
        guard canWait else { return [] }
        defer { waiting?.end(waitingFor: closing) }
        return await closing.task.value
    }

    private func run(_ core: Core) async -> [InjectleError] {
        await Closing.$current.withValue(self) {
            for other in join(core) where begin(waitingFor: other) {
                _ = await other.task.value
                end(waitingFor: other)
            }
            await endMakings(in: core)
            let errors = await Disposal.run(claimDue(in: [core] + core.descendants))
            // What was not kept is not disposed of again.
            for core in ([core] + core.descendants).reversed() { core.empty(forGood: true) }
            // Those that came meanwhile, from what was let go of.
            while let late = core.descendants.last(where: { !$0.hasEnded }) { late.empty(forGood: true) }
            injectle_store_number(&hasEnded, 1)
            return errors
        }
    }

    /// Begins to close all below a core, too. Returns the closings of those that have begun before.
    private func join(_ core: Core) -> [Closing] {
        core.children.flatMap { child in
            let other = child.lock.withLock { () -> Closing? in
                if let closing = child.closing { return closing }
                child.begin(self)
                return nil
            }
            return (other.map { [$0] } ?? []).filter { $0 !== self } + join(child)
        }
    }

    /// Cancels what is being made in tasks, and waits until nothing is being made any more.
    private func endMakings(in core: Core) async {
        while true {
            var waiters: [Cell.TaskWaiter] = []
            for core in [core] + core.descendants {
                core.forEachCellThatEnds { holder, cell in
                    if let waiter = enter(cell, of: holder) { waiters.append(waiter) }
                }
            }
            if waiters.isEmpty { return }
            for waiter in waiters { (waiter.maker as? TaskMaking)?.cancel() }
            for waiter in waiters { _ = await waiter.wait() }
        }
    }

    /// Enters a wait for what is being made in a cell, unless that waits for this closing. The holder's lock is held.
    private func enter(_ cell: Cell, of holder: any CellHolder) -> Cell.TaskWaiter? {
        guard case .wait(for: let maker) = cell.state.answer, begin(waitingFor: maker) else { return nil }
        let waiter = Cell.TaskWaiter(for: cell, of: holder, strand: self, maker: maker)
        cell.state.enter(waiter)
        maker.isWaitedFor()
        return waiter
    }

    /// What is to be disposed of with some locators, and by nobody else any more.
    private func claimDue(in cores: [Core]) -> [Instance] {
        var due: [Instance] = []
        var given: [ObjectIdentifier: (instance: Instance, count: Int)] = [:]
        for core in cores {
            core.forEachCellThatEnds { _, cell in
                if cell.record.given == nil, let product = cell.state.product { due.append(product) }
            }
            for instance in core.given { given[ObjectIdentifier(instance), default: (instance, 0)].count += 1 }
        }
        due = due.filter { $0.disposal?.claim() == true }
        // Of what other locators were given, too, the last one disposes.
        return due + given.values.filter { $0.instance.disposal?.claim(asAll: $0.count) == true }.map(\.instance)
    }
}

extension Core {
    /// Refuses from now on to make anything that is kept. The lock is held.
    func begin(_ closing: Closing) {
        self.closing = closing
        set(CoreHead.closing, true)
    }

    /// Whether nothing new is kept here any more.
    var isClosing: Bool { CoreHead.has(CoreHead.closing, head) }

    /// All who keep what this locator made, and what it keeps that others made.
    var holders: [any Holder] {
        let (slots, store) = lock.withLock { (index.all, furtherStore) }
        var stores: [ObjectIdentifier: Store] = [:]
        for store in slots.flatMap(\.record.stores) + [store].compactMap(\.self) {
            stores[ObjectIdentifier(store)] = store
        }
        return [self] + Array(stores.values)
    }

    /// What it was given to keep and to dispose of, once for each registration.
    fileprivate var given: [Instance] {
        lock.withLock { registeredRecords.filter(\.isDisposed).compactMap(\.given) }
    }

    /// What is registered here. The lock is held.
    private var registeredRecords: [Record] {
        var records: [ObjectIdentifier: Record] = [:]
        for slot in index.all where slot.standing == .registered {
            records[ObjectIdentifier(slot.record)] = slot.record
        }
        return Array(records.values)
    }

    /// Calls `body` with each cell of what ends with this locator, under the lock that guards it: of what it keeps, and
    /// of what others keep that is registered here.
    fileprivate func forEachCellThatEnds(_ body: (any Holder, Cell) -> Void) {
        let (records, store) = lock.withLock { (registeredRecords, furtherStore) }
        forEachCell { body(self, $0) }
        if let store { store.forEachCell { body(store, $0) } }
        for record in records {
            for other in record.stores where other !== store {
                other.forEachCell { if $0.record === record { body(other, $0) } }
            }
        }
    }
}

/// Who keeps cells and can tell which.
protocol Holder: CellHolder {
    /// Calls `body` with each cell, under the lock that guards it.
    func forEachCell(_ body: (Cell) -> Void)
}

extension Core: Holder {
    func forEachCell(_ body: (Cell) -> Void) {
        lock.withLock { cells.values.forEach(body) }
    }
}

extension Store: Holder {}
