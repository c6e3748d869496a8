/// Caches instances for a scope, for one resolve, or for a locator that is not the one of their registration.
///
/// Invariant: all variables are accessed under `lock`, and no user code runs meanwhile: arguments are compared, and dropped
/// instances released, without it. A record lists the caches that have its cells, so that removing its last registration
/// drops them; the cache of a resolve, which ends soon, is not listed. `core` outlives the cache or ends it.
///
/// Locks are acquired in this order: a cache's, a record's (for its list of caches), a core's.
@safe
final class ScopedCache: InstanceCache, @unchecked Sendable {
    // Sound to share: see the invariant.

    /// The cells of one record.
    private struct CellGroup {
        let record: RegistrationRecord
        /// The cell of the instance that no arguments distinguish.
        var sole: OnceCell?
        /// The cells of instances that arguments distinguish, by the hash of these.
        var byHash: [Int: [(key: Arguments.Key, cell: OnceCell)]] = [:]

        var cells: [OnceCell] { (sole.map { [$0] } ?? []) + byHash.values.joined().map(\.cell) }
    }

    private let lock = Lock()
    /// In the cache of a resolve: its locator, retained so that no other has its address, and the next cache.
    private let origin: LocatorCore?
    private let next: ScopedCache?
    private var isGraphScoped: Bool { origin != nil }
    // Unchecked here and below: the lock excludes what the check would look for.
    @safe @exclusivity(unchecked) private var cached: [ObjectIdentifier: CellGroup] = [:]
    @safe @exclusivity(unchecked) private var isTerminated: Bool
    /// Whether it ever had an instance with disposers.
    @safe @exclusivity(unchecked) private var hasDisposables = false
    /// The locator of the cache, whose readers find its instances.
    @safe @exclusivity(unchecked) private var core: Unmanaged<LocatorCore>?

    /// - Parameters:
    ///   - core: The locator of the cache, or nil for the cache of a scope or of a resolve.
    ///   - isTerminated: Whether that is terminated, so the cache caches nothing.
    ///   - origin: The locator whose requests the cache of one resolve is for.
    ///   - next: The caches of that resolve for other locators.
    init(
        of core: LocatorCore? = nil,
        isTerminated: Bool = false,
        ofResolveIn origin: LocatorCore? = nil,
        before next: ScopedCache? = nil
    ) {
        self.isTerminated = isTerminated
        self.origin = origin
        self.next = next
        self.core = unsafe core.map { unsafe .passUnretained($0) }
    }

    /// The cache of the same resolve for a locator.
    func inResolve(of core: LocatorCore) -> ScopedCache? {
        origin === core ? self : next?.inResolve(of: core)
    }

    /// Whether it is the cache of a locator.
    func isOf(_ core: LocatorCore) -> Bool {
        unsafe lock.withLock { unsafe self.core?.toOpaque() } == Unmanaged.passUnretained(core).toOpaque()
    }

    /// Whether it is the cache of a descendant of a locator.
    func isOfDescendant(of ancestor: LocatorCore) -> Bool {
        lock.withLock {
            let parent = unsafe core?._withUnsafeGuaranteedRef { $0.parent }
            return parent?.chain.contains { $0 === ancestor } ?? false
        }
    }

    /// The instance of a record, if arguments do not distinguish several.
    func instance(of record: RegistrationRecord) -> Instance? {
        lock.withLock { cached[ObjectIdentifier(record)]?.sole?.state.product }
    }

    /// All instances of a record.
    func instances(of record: RegistrationRecord) -> [Instance] {
        lock.withLock { cached[ObjectIdentifier(record)]?.cells.compactMap(\.state.product) ?? [] }
    }

    func withCell(
        of record: RegistrationRecord,
        for caller: LocatorCore,
        given key: Arguments.Key?,
        _ body: (OnceCell) -> Void
    ) -> Bool {
        let id = ObjectIdentifier(record)
        guard let key else {
            return lock.withLock {
                if let cell = cached[id]?.sole {
                    body(cell)
                    return true
                }
                guard let cell = makeCell(for: record) else { return false }
                cached[id, default: CellGroup(record: record)].sole = cell
                body(cell)
                return true
            }
        }
        while true {
            let seen = lock.withLock { cached[id]?.byHash[key.hash] ?? [] }
            // Equality is user code, so the cells may have changed when the lock is acquired again.
            let found = seen.first { Arguments.areEqual($0.key.arguments, key.arguments) }
            let isDone: Bool? = lock.withLock {
                let present = cached[id]?.byHash[key.hash] ?? []
                if let found {
                    guard present.contains(where: { $0.cell === found.cell }) else { return nil }
                    body(found.cell)
                    return true
                }
                guard present.elementsEqual(seen, by: { $0.cell === $1.cell }) else { return nil }
                guard let cell = makeCell(for: record) else { return false }
                cached[id, default: CellGroup(record: record)].byHash[key.hash, default: []].append((key, cell))
                body(cell)
                return true
            }
            if let isDone { return isDone }
        }
    }

    /// A new cell, unless the cache or the registration has ended. The lock is held.
    private func makeCell(for record: RegistrationRecord) -> OnceCell? {
        guard !isTerminated, isGraphScoped || record.join(self) else { return nil }
        return OnceCell(for: record)
    }

    func succeed(_ cell: OnceCell, with instance: Instance) -> OnceCell.Ended {
        let ended = lock.withLock {
            hasDisposables = hasDisposables || cell.record.hasDisposers
            return cell.state.succeed(with: instance)
        }
        if ended.isKept, !isGraphScoped { Transaction.append(instance, createdIn: cell, of: self) }
        return ended
    }

    func fail(_ cell: OnceCell) -> OnceCell.Ended {
        lock.withLock { cell.state.fail() }
    }

    func leave(_ cell: OnceCell, _ waiter: OnceCell.Waiter) -> Bool {
        lock.withLock { cell.state.leave(waiter) }
    }

    func drop(_ record: RegistrationRecord, given key: Arguments.Key?, _ retired: inout RetireList) {
        let id = ObjectIdentifier(record)
        guard let key else {
            return lock.withLock {
                if !isGraphScoped { record.leave(self) }
                discard(cached.removeValue(forKey: id).map { [$0] } ?? [], &retired)
            }
        }
        let cells = lock.withLock { cached[id]?.byHash[key.hash] ?? [] }
        // Equality of arguments is user code.
        guard let dropped = cells.first(where: { Arguments.areEqual($0.key.arguments, key.arguments) }) else { return }
        lock.withLock {
            cached[id]?.byHash[key.hash]?.removeAll { $0.cell === dropped.cell }
            if cached[id]?.byHash[key.hash]?.isEmpty == true { cached[id]?.byHash[key.hash] = nil }
            retired.add(cached: dropped.cell.state.discard())
        }
    }

    func forEachCell(_ body: (OnceCell) -> Void) {
        lock.withLock { cached.values.lazy.flatMap(\.cells).forEach(body) }
    }

    /// Publishes an instance to readers of the locator.
    func publish(_ made: Instance, as form: Instance, of record: RegistrationRecord) {
        lock.withRetireList { retired in
            guard cached[ObjectIdentifier(record)]?.sole?.state.product === made else { return }
            unsafe core?._withUnsafeGuaranteedRef { $0.publishPerLocatorInstance(form, of: record, &retired) }
        }
    }

    /// Drops all instances, and caches none from now on. The locator of the cache, if any, has no readers.
    func end() {
        removeAll(forGood: true, withdrawing: false).dispose()
    }

    /// Drops an instance, if the cell still has it.
    func drop(_ instance: Instance, in cell: OnceCell, _ retired: inout RetireList) {
        lock.withLock {
            guard cell.state.product === instance else { return }
            if let group = cached[ObjectIdentifier(cell.record)] { withdraw(group, &retired) }
            retired.add(cached: cell.state.discard())
        }
    }

    /// Drops all instances, to be disposed of by the caller.
    ///
    /// - Parameters:
    ///   - forGood: Whether to cache none from now on.
    ///   - withdrawing: Whether the locator remains, and has to hide the instances from readers.
    func removeAll(forGood: Bool, withdrawing: Bool = true) -> RetireList {
        lock.withLock {
            let groups = Array(cached.values)
            cached = [:]
            if !isGraphScoped { for group in groups { group.record.leave(self) } }
            var retired = RetireList()
            discard(groups, withdrawing: withdrawing, &retired)
            if forGood {
                isTerminated = true
                core = nil
            }
            return retired
        }
    }

    /// Discards the instances of removed groups, to be released without the lock. A creation in progress returns its
    /// instance to its callers alone. The lock is held.
    private func discard(_ groups: [CellGroup], withdrawing: Bool = true, _ retired: inout RetireList) {
        if withdrawing { for group in groups { withdraw(group, &retired) } }
        for cell in groups.lazy.flatMap(\.cells) { retired.add(cached: cell.state.discard()) }
        retired.add(unreachable: groups)
    }

    /// Hides the instances of a group from readers of the locator. The lock is held.
    private func withdraw(_ group: CellGroup, _ retired: inout RetireList) {
        guard group.record.isPerLocator, let core else { return }
        unsafe core._withUnsafeGuaranteedRef { $0.withdrawPerLocatorInstance(of: group.record, &retired) }
    }

    /// Drops all instances of a resolve, also in other locators, so that all are disposed of in reverse order of
    /// creation. A task creation can retain a cache of the resolve a moment longer.
    func endResolve() {
        var retired = RetireList()
        for cache in sequence(first: self, next: \.next) where cache.lock.withLock({ cache.hasDisposables }) {
            retired.add(cache.removeAll(forGood: true))
        }
        retired.dispose()
    }

    deinit {
        // Other caches have ended before, except one that a task has used after the end of its resolve.
        if isGraphScoped, hasDisposables, !isTerminated { removeAll(forGood: true).dispose() }
    }
}
