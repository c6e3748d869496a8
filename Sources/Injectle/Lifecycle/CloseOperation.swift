internal import CInjectle

/// The end of a locator and of all below it.
///
/// It has four steps: nothing is made any more that would be kept; what is being made ends; what is to be disposed of
/// is, the last made first; all is let go of. Until the last step, what is there can still be asked for, so a disposer
/// can use what its service was made of.
///
/// It is a node, since it waits for creations and other closings, and they may wait for it: as disposers do that close
/// each other's locators.
///
/// Invariant: a core has one closing, which it got under its lock and keeps. `task` is set before that lock is left.
final class CloseOperation: WaitNode, @unchecked Sendable {
    // Sound to share: see the invariant.

    @exclusivity(unchecked) private var task: Task<[InjectleError], Never>!
    /// 1 once it has ended.
    private var isFinished: UInt = 0
    /// What it ends, without keeping it alive.
    private weak let core: LocatorCore?

    /// The one that the calling code is part of, as a disposer is.
    @TaskLocal private static var current: CloseOperation?

    /// The closing that the calling code is part of, unless that has ended, and the code goes on.
    private static var innermost: CloseOperation? {
        guard let current, injectle_load_number(&current.isFinished) == 0 else { return nil }
        return current
    }

    static var currentNode: WaitNode? { innermost }

    private init(of core: LocatorCore) {
        self.core = core
    }

    /// Ends a core, unless that has begun before, and waits until it has ended.
    ///
    /// - Returns: What disposers threw; nothing to whom it waits for itself, as a disposer or a creation is.
    static func end(_ core: LocatorCore) async -> [InjectleError] {
        let waiting = currentNode ?? TaskFrame.currentNode
        // What is below has ended first.
        let isBelow = innermost?.core?.chain.contains { $0 === core } ?? false
        let (closing, canWait) = core.lock.withLock {
            let closing = core.closing ?? CloseOperation(of: core)
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

    private func run(_ core: LocatorCore) async -> [InjectleError] {
        await CloseOperation.$current.withValue(self) {
            for other in join(core) where begin(waitingFor: other) {
                _ = await other.task.value
                end(waitingFor: other)
            }
            await endMakings(in: core)
            let errors = await Disposal.run(claimDue(in: [core] + core.descendants))
            // What was not kept is not disposed of again.
            for core in ([core] + core.descendants).reversed() { core.empty(forGood: true) }
            // Those that came meanwhile, from what was let go of.
            while let late = core.descendants.last(where: { !$0.isTerminated }) { late.empty(forGood: true) }
            injectle_store_number(&isFinished, 1)
            return errors
        }
    }

    /// Begins to close all below a core, too. Returns the closings of those that have begun before.
    private func join(_ core: LocatorCore) -> [CloseOperation] {
        core.children.flatMap { child in
            let other = child.lock.withLock { () -> CloseOperation? in
                if let closing = child.closing { return closing }
                child.begin(self)
                return nil
            }
            return (other.map { [$0] } ?? []).filter { $0 !== self } + join(child)
        }
    }

    /// Cancels what is being made in tasks, and waits until nothing is being made any more.
    private func endMakings(in core: LocatorCore) async {
        while true {
            var waiters: [OnceCell.TaskWaiter] = []
            for core in [core] + core.descendants {
                core.forEachCellThatEnds { cache, cell in
                    if let waiter = enter(cell, of: cache) { waiters.append(waiter) }
                }
            }
            if waiters.isEmpty { return }
            for waiter in waiters { (waiter.creator as? TaskCreation)?.cancel() }
            for waiter in waiters { _ = await waiter.wait() }
        }
    }

    /// Enters a wait for what is being made in a cell, unless that waits for this closing. The holder's lock is held.
    private func enter(_ cell: OnceCell, of cache: any InstanceCache) -> OnceCell.TaskWaiter? {
        guard case .wait(for: let creator) = cell.state.answer, begin(waitingFor: creator) else { return nil }
        let waiter = OnceCell.TaskWaiter(node: self, creator: creator) { cache.leave(cell, $0) }
        cell.state.enter(waiter)
        creator.isWaitedFor()
        return waiter
    }

    /// What is to be disposed of with some locators, and by nobody else any more.
    private func claimDue(in cores: [LocatorCore]) -> [Instance] {
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

extension LocatorCore {
    /// Refuses from now on to make anything that is kept. The lock is held.
    func begin(_ closing: CloseOperation) {
        self.closing = closing
        set(LocatorHeader.closing, true)
    }

    /// Whether nothing new is kept here any more.
    var isClosing: Bool { LocatorHeader.has(LocatorHeader.closing, header) }

    /// All who keep what this locator made, and what it keeps that others made.
    var caches: [any InstanceCache] {
        let (entries, cache) = lock.withLock { (index.all, scopedCache) }
        var caches: [ObjectIdentifier: ScopedCache] = [:]
        for cache in entries.flatMap(\.record.caches) + [cache].compactMap(\.self) {
            caches[ObjectIdentifier(cache)] = cache
        }
        return [self] + Array(caches.values)
    }

    /// What it was given to keep and to dispose of, once for each registration.
    fileprivate var given: [Instance] {
        lock.withLock { registeredRecords.filter(\.hasDisposers).compactMap(\.given) }
    }

    /// What is registered here. The lock is held.
    private var registeredRecords: [RegistrationRecord] {
        var records: [ObjectIdentifier: RegistrationRecord] = [:]
        for entry in index.all where entry.role == .registered {
            records[ObjectIdentifier(entry.record)] = entry.record
        }
        return Array(records.values)
    }

    /// Calls `body` with each cell of what ends with this locator, under the lock that guards it: of what it keeps, and
    /// of what others keep that is registered here.
    fileprivate func forEachCellThatEnds(_ body: (any InstanceCache, OnceCell) -> Void) {
        let (records, cache) = lock.withLock { (registeredRecords, scopedCache) }
        forEachCell { body(self, $0) }
        if let cache { cache.forEachCell { body(cache, $0) } }
        for record in records {
            for other in record.caches where other !== cache {
                other.forEachCell { if $0.record === record { body(other, $0) } }
            }
        }
    }
}
