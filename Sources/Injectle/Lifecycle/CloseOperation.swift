internal import CInjectle

/// The close of a locator and of its descendants.
///
/// It has four steps: the locators cache no new instances; running creations end; disposers run in reverse order of
/// creation; the locators are emptied. Until the last step, instances can still be resolved, so a disposer can use the
/// dependencies of its service. If no step has to suspend, as in most requests, the caller that begins the close does
/// all of them; else a task does the rest, which the cancellation of a caller does not cancel.
///
/// It is a node of the wait-for graph, since it waits for creations and other closes, and they can wait for it: two
/// disposers can close each other's locators.
///
/// Invariant: a core gets its close under its lock, and keeps it. `lock` guards `progress`, which the caller that begins
/// the close changes once.
final class CloseOperation: WaitNode, @unchecked Sendable {
    // Sound to share: see the invariant.

    private enum Progress {
        /// The caller that begins the close has not found out yet whether it needs a task.
        case begun([CheckedContinuation<Void, Never>])
        case inTask(Task<[InjectleError], Never>)
        case ended

        var waiting: [CheckedContinuation<Void, Never>] {
            if case .begun(let waiting) = self { waiting } else { [] }
        }
    }

    @safe @exclusivity(unchecked) private var progress = Progress.begun([])
    private let lock = Lock()
    /// 1 once it has ended.
    private var isFinished: UInt = 0
    private weak let core: LocatorCore?

    /// The close that the calling code belongs to, as a disposer does.
    @TaskLocal private static var current: CloseOperation?

    /// The close that the calling code belongs to, unless it has ended.
    private static var innermost: CloseOperation? {
        guard let current, unsafe injectle_load_number(&current.isFinished) == 0 else { return nil }
        return current
    }

    static var currentNode: WaitNode? { innermost }

    private init(of core: LocatorCore) {
        self.core = core
    }

    /// Closes a core in steps, unless that has begun before, and waits until it is closed.
    ///
    /// - Returns: The errors of the disposers; none for a caller that the close waits for, such as a disposer.
    static func end(_ core: LocatorCore) async -> [InjectleError] {
        let waiting = currentNode ?? TaskFrame.currentNode
        // A disposer of a descendant runs before its ancestors are closed.
        let isBelow = innermost?.core?.chain.contains { $0 === core } ?? false
        let (closing, isFirst, canWait) = core.lock.withLock {
            let closing = core.closing ?? CloseOperation(of: core)
            // Before the close begins to wait itself.
            let canWait = !isBelow && waiting?.begin(waitingFor: closing) ?? true
            let isFirst = core.closing == nil
            if isFirst { core.begin(closing) }
            return (closing, isFirst, canWait)
        }
        if isFirst { closing.begin(core) }
        guard canWait else { return [] }
        defer { waiting?.end(waitingFor: closing) }
        return await closing.wait()
    }

    /// Waits until it has ended. Returns the errors of the disposers.
    private func wait() async -> [InjectleError] {
        while true {
            switch lock.withLock({ progress }) {
            case .inTask(let task): return await task.value
            case .ended: return []
            case .begun:
                await withCheckedContinuation { continuation in
                    let isDecided = lock.withLock {
                        guard case .begun(let others) = progress else { return true }
                        progress = .begun(others + [continuation])
                        return false
                    }
                    if isDecided { continuation.resume() }
                }
            }
        }
    }

    /// Closes the locators, in a task if a step has to suspend.
    private func begin(_ core: LocatorCore) {
        var next = Progress.ended
        if let rest = CloseOperation.$current.withValue(self, operation: { closeAtOnce(core) }) {
            next = .inTask(
                Task {
                    let errors = await CloseOperation.$current.withValue(self, operation: rest)
                    unsafe injectle_store_number(&isFinished, 1)
                    return errors
                }
            )
        } else {
            unsafe injectle_store_number(&isFinished, 1)
        }
        let waiting = lock.withLock {
            defer { progress = next }
            return progress.waiting
        }
        for caller in waiting { caller.resume() }
    }

    /// Closes the locators up to the first step that has to suspend. Returns the rest.
    private func closeAtOnce(_ core: LocatorCore) -> (() async -> [InjectleError])? {
        let others = beginBelow(core)
        StartOperation.end(in: [core] + core.descendants)
        if !others.isEmpty || isCreating(in: core) {
            return {
                for other in others where self.begin(waitingFor: other) {
                    _ = await other.wait()
                    self.end(waitingFor: other)
                }
                await self.endCreations(in: core)
                return await self.dispose(of: self.claimInstances(of: [core] + core.descendants), in: core)
            }
        }
        let due = claimInstances(of: [core] + core.descendants)
        if !due.isEmpty { return { await self.dispose(of: due, in: core) } }
        let late = Disposal.collecting { empty(core) }
        if late.isEmpty { return nil }
        return { () async -> [InjectleError] in await Disposal.run(late) }
    }

    private func dispose(of due: [Instance], in core: LocatorCore) async -> [InjectleError] {
        let errors = await Disposal.run(due)
        // Another cache can have dropped an instance since, which this one then has last.
        return errors + (await Disposal.run(Disposal.collecting { empty(core) }))
    }

    private func isCreating(in core: LocatorCore) -> Bool {
        var isCreating = false
        for core in [core] + core.descendants {
            core.forEachOwnedCell { _, cell in
                if case .wait = cell.state.answer { isCreating = true }
            }
        }
        return isCreating
    }

    private func empty(_ core: LocatorCore) {
        let ending = ([core] + core.descendants).reversed()
        for core in ending where !core.isTerminated { core.empty(forGood: true) }
        // Code that runs when instances are released can create children.
        while let late = core.descendants.last(where: { !$0.isTerminated }) { late.empty(forGood: true) }
    }

    /// Begins to close the descendants of a core, too. Returns the closes that have begun before.
    private func beginBelow(_ core: LocatorCore) -> [CloseOperation] {
        core.children.flatMap { child in
            let closing = child.lock.withLock {
                if child.closing == nil { child.begin(self) }
                return child.closing ?? self
            }
            return (closing === self ? [] : [closing]) + beginBelow(child)
        }
    }

    /// Cancels creations in tasks, and waits until no creation is running.
    private func endCreations(in core: LocatorCore) async {
        while true {
            var waiters: [OnceCell.TaskWaiter] = []
            for core in [core] + core.descendants {
                core.forEachOwnedCell { cache, cell in
                    // A creation that waits for this close is not waited for.
                    guard case .wait(for: let creator) = cell.state.answer, begin(waitingFor: creator) else { return }
                    let waiter = OnceCell.TaskWaiter(node: self, creator: creator) { cache.leave(cell, $0) }
                    cell.state.enter(waiter)
                    creator.isWaitedFor()
                    waiters.append(waiter)
                }
            }
            if waiters.isEmpty { return }
            for waiter in waiters { (waiter.creator as? TaskCreation)?.cancel() }
            for waiter in waiters { _ = await waiter.wait() }
        }
    }

    /// The instances that this close disposes of, and no other caller does: those that only these locators cache.
    private func claimInstances(of cores: [LocatorCore]) -> [Instance] {
        // Two of the locators can own one cell.
        var products: [ObjectIdentifier: (cell: OnceCell, instance: Instance)] = [:]
        for core in cores {
            core.forEachOwnedCell { _, cell in
                if let product = cell.state.product, product.disposal != nil, !cell.record.isGiven {
                    products[ObjectIdentifier(cell)] = (cell, product)
                }
            }
        }
        var cached = products.values.map(\.instance)
        for core in cores {
            // Each registration counts as a cache of its preconstructed instance.
            let records = core.registeredRecords(where: \.hasDisposers)
            cached += core.lock.withLock { records.compactMap(\.given) }
        }
        var due: [ObjectIdentifier: (disposal: Disposal, instances: [Instance])] = [:]
        for instance in cached {
            guard let disposal = instance.disposal else { continue }
            due[ObjectIdentifier(disposal), default: (disposal, [])].instances.append(instance)
        }
        return due.values.compactMap { $0.disposal.claim(asAll: $0.instances.count) ? $0.instances[0] : nil }
    }
}

extension LocatorCore {
    /// Refuses new cached instances from now on. The lock is held.
    func begin(_ closing: CloseOperation) {
        self.closing = closing
        set(LocatorHeader.closing, true)
    }

    /// Whether this locator caches no new instances.
    var isClosing: Bool { unsafe LocatorHeader.has(LocatorHeader.closing, header) }

    /// The records that are registered here and match.
    fileprivate func registeredRecords(where matches: (RegistrationRecord) -> Bool) -> [RegistrationRecord] {
        var records: [RegistrationRecord] = []
        for entry in lock.withLock({ index.all }) where entry.role == .registered && matches(entry.record) {
            records.append(entry.record)
        }
        // A record with several identities has several entries.
        var known: Set<ObjectIdentifier> = []
        return records.count < 2 ? records : records.filter { known.insert(ObjectIdentifier($0)).inserted }
    }

    /// Calls `body`, under the lock of its cache, with each cell that ends with this locator: the cells of this locator,
    /// and the cells of its registrations in other caches.
    func forEachOwnedCell(_ body: (any InstanceCache, OnceCell) -> Void) {
        forEachCell { body(self, $0) }
        let cache = existingScopedCache
        if let cache { cache.forEachCell { body(cache, $0) } }
        for record in registeredRecords(where: \.usesScopedCaches) {
            for other in record.caches where other !== cache {
                other.forEachCell { if $0.isOf(record) { body(other, $0) } }
            }
        }
    }
}
