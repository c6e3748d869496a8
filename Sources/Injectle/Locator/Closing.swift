internal import CInjectle

/// The end of a locator and of all below it.
///
/// It has four steps: nothing new is made; what is being made ends; what is to be disposed of is, the last made first;
/// all is let go of. Until the last step, what is there can still be asked for, so a disposer can use what its service
/// was made of.
///
/// Invariant: a core has one closing, which it got under its lock and keeps. `task` is set before that lock is left.
final class Closing: @unchecked Sendable {
    // Sound to share: see the invariant.

    @exclusivity(unchecked) private var task: Task<[InjectleError], Never>!
    /// Who closes. What it waits for is noted, so that what waits for it is not waited for.
    private let strand = Strand()

    /// The one that the calling code is part of, as a disposer is.
    @TaskLocal private static var current: Closing?

    /// The end of a core, begun now unless it was before.
    static func of(_ core: Core) -> Closing {
        core.lock.withLock {
            if let closing = core.closing { return closing }
            let closing = Closing()
            core.begin(closing)
            closing.task = Task { await closing.run(core) }
            return closing
        }
    }

    /// Waits until it has ended. Returns what disposers threw; to one whom it waits for itself, as a disposer or a
    /// making, it returns at once.
    func errors() async -> [InjectleError] {
        guard let current = Closing.current?.strand ?? TaskFrame.currentStrand else { return await task.value }
        if current === strand || !current.begin(waitingFor: strand) { return [] }
        defer { current.end(waitingFor: strand) }
        return await task.value
    }

    private func run(_ core: Core) async -> [InjectleError] {
        await Closing.$current.withValue(self) {
            for other in join(core) { _ = await other.errors() }
            await endMakings(in: core)
            let cores = [core] + core.descendants
            let holders = cores.flatMap(\.holders)
            let due = (holders.flatMap(\.disposables) + cores.flatMap(\.given)).filter { $0.disposal?.claim() == true }
            let errors = await Disposal.run(due)
            // What was not kept is not disposed of again.
            for core in ([core] + core.descendants).reversed() { core.empty(forGood: true) }
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
            let holders = ([core] + core.descendants).flatMap(\.holders)
            let waiters = holders.flatMap { $0.waitersForMakings(as: strand) }
            if waiters.isEmpty { return }
            for waiter in waiters { (waiter.maker as? TaskMaking)?.cancel() }
            for waiter in waiters { _ = await waiter.wait() }
        }
    }
}

extension Core {
    /// Refuses from now on to make anything. The lock is held.
    func begin(_ closing: Closing) {
        self.closing = closing
        injectle_store_number(&head.pointee.isClosing, 1)
    }

    /// Whether nothing new is made here any more.
    var isClosing: Bool { injectle_load_number(&head.pointee.isClosing) != 0 }

    /// All who keep what this locator made, and what it keeps that others made.
    var holders: [any Holder] {
        let (slots, store) = lock.withLock { (index.all, furtherStore) }
        var stores: [ObjectIdentifier: Store] = [:]
        for store in slots.flatMap(\.record.stores) + [store].compactMap(\.self) {
            stores[ObjectIdentifier(store)] = store
        }
        return [self] + Array(stores.values)
    }

    /// What it was given, and is to dispose of.
    fileprivate var given: [Instance] {
        lock.withLock { index.all.compactMap(\.record.given).filter { $0.disposal != nil } }
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

extension Holder {
    var disposables: [Instance] {
        var instances: [Instance] = []
        forEachCell { cell in
            if let product = cell.state.product, product.disposal != nil { instances.append(product) }
        }
        return instances
    }

    /// Enters a wait for each making in progress that does not itself wait for `current`.
    func waitersForMakings(as current: Strand) -> [Cell.TaskWaiter] {
        var waiters: [Cell.TaskWaiter] = []
        forEachCell { cell in
            guard case .wait(for: let maker) = cell.state.answer else { return }
            if !current.begin(waitingFor: maker) { return }
            let waiter = Cell.TaskWaiter(for: cell, of: self, strand: current, maker: maker)
            cell.state.enter(waiter)
            maker.isWaitedFor()
            waiters.append(waiter)
        }
        return waiters
    }
}
