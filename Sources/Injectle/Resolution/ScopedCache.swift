/// Keeps instances for something that ends: for one resolve, for a locator beside what it registered itself, for what a
/// custom lifetime calls a scope.
///
/// Invariant: all that changes is touched under `lock`, and no code of a user runs meanwhile: arguments are compared,
/// and what is dropped is released, without it. A record whose cells are here is told of this store, so that they go
/// when its last registration does; but for the store of one resolve, which ends soon. `core` is there until the store
/// ends.
///
/// Locks are taken in this order: that of a store, that of a record's list of stores, that of a core.
final class ScopedCache: InstanceCache, @unchecked Sendable {
    // Sound to share: see the invariant.

    private struct ArgumentCell {
        let key: Arguments.Key
        let cell: OnceCell
    }

    /// The cells of one record.
    private struct CellGroup {
        let record: RegistrationRecord
        /// That of what is made without arguments, or whatever they are.
        var sole: OnceCell?
        /// Those of what is told apart by arguments, by the hash of these.
        var byHash: [Int: [ArgumentCell]] = [:]

        var cells: [OnceCell] { (sole.map { [$0] } ?? []) + byHash.values.joined().map(\.cell) }
    }

    private let lock = Lock()
    private let isGraphScoped: Bool
    /// In a store of a resolve: the locator that was asked, kept so that no other has its address, and the store for
    /// another. Neither changes.
    private let origin: LocatorCore?
    private let next: ScopedCache?
    // Unchecked here and below: the lock excludes what the check would look for.
    @exclusivity(unchecked) private var cached: [ObjectIdentifier: CellGroup] = [:]
    @exclusivity(unchecked) private var isTerminated = false
    /// Whether it ever had anything that is to be disposed of.
    @exclusivity(unchecked) private var hasDisposables = false
    /// The locator that it belongs to, which lets readers find what it has made for itself.
    @exclusivity(unchecked) private var core: Unmanaged<LocatorCore>?

    /// A store of a scope.
    init() {
        isGraphScoped = false
        origin = nil
        next = nil
    }

    /// The store of a locator, which keeps nothing if that has gone.
    init(of core: LocatorCore, isTerminated: Bool) {
        self.isTerminated = isTerminated
        isGraphScoped = false
        origin = nil
        next = nil
        self.core = .passUnretained(core)
    }

    /// The store for what a locator is asked for in one resolve, beside those for others.
    init(ofResolveIn core: LocatorCore, before next: ScopedCache?) {
        isGraphScoped = true
        origin = core
        self.next = next
    }

    /// The store of the same resolve for what a locator is asked for.
    func inResolve(of core: LocatorCore) -> ScopedCache? {
        origin === core ? self : next?.inResolve(of: core)
    }

    /// What it has of a record, if that is one.
    func instance(of record: RegistrationRecord) -> Instance? {
        lock.withLock { cached[ObjectIdentifier(record)]?.sole?.state.product }
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
            // Code of a user, which is why the entries are looked at again below.
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
                cached[id, default: CellGroup(record: record)].byHash[key.hash, default: []]
                    .append(ArgumentCell(key: key, cell: cell))
                body(cell)
                return true
            }
            if let isDone { return isDone }
        }
    }

    /// A new cell, if anything is to be kept any more. The lock is held.
    private func makeCell(for record: RegistrationRecord) -> OnceCell? {
        guard !isTerminated, isGraphScoped || record.join(self) else { return nil }
        return OnceCell(for: record)
    }

    func succeed(_ cell: OnceCell, with instance: Instance) -> OnceCell.Ended {
        let ended = lock.withLock {
            hasDisposables = hasDisposables || cell.record.hasDisposers
            return cell.state.succeed(with: instance)
        }
        if ended.isKept, !isGraphScoped {
            Transaction.note(Transaction.Made(cell: cell, instance: instance), keptBy: self)
        }
        return ended
    }

    func fail(_ cell: OnceCell) -> OnceCell.Ended {
        lock.withLock { cell.state.fail() }
    }

    func leave(_ cell: OnceCell, _ waiter: OnceCell.Waiter) -> Bool {
        lock.withLock { cell.state.leave(waiter) }
    }

    func drop(_ record: RegistrationRecord, given key: Arguments.Key?) {
        let id = ObjectIdentifier(record)
        guard let key else {
            let dropped = lock.withLock {
                if !isGraphScoped { record.leave(self) }
                let retired = withdraw(cached[id])
                return Dropped(cached.removeValue(forKey: id).map { [$0] } ?? [], retired: retired)
            }
            return dropped.release()
        }
        let entries = lock.withLock { cached[id]?.byHash[key.hash] ?? [] }
        // Code of a user.
        guard let dropped = entries.first(where: { Arguments.areEqual($0.key.arguments, key.arguments) }) else {
            return
        }
        let retired = lock.withLock {
            cached[id]?.byHash[key.hash]?.removeAll { $0.cell === dropped.cell }
            if cached[id]?.byHash[key.hash]?.isEmpty == true { cached[id]?.byHash[key.hash] = nil }
            var retired = RetireList()
            retired.add(cached: dropped.cell.state.discard())
            return retired
        }
        retired.dispose()
    }

    func forEachCell(_ body: (OnceCell) -> Void) {
        lock.withLock { cached.values.lazy.flatMap(\.cells).forEach(body) }
    }

    /// Lets readers find what a locator has made for itself, without asking here.
    func publish(_ made: Instance, as form: Instance, of record: RegistrationRecord) {
        let retired = lock.withLock { () -> RetireList? in
            guard cached[ObjectIdentifier(record)]?.sole?.state.product === made else { return nil }
            return core?._withUnsafeGuaranteedRef { $0.publishOwn(form, of: record) }
        }
        retired?.dispose()
    }

    /// Lets go of all instances.
    func empty() {
        removeAll(forGood: false).release()
    }

    /// Lets go of all instances, and keeps none from now on.
    ///
    /// - Parameter withdrawing: Whether its locator stays, and is to hide from readers what is dropped.
    func end(withdrawing: Bool = false) {
        removeAll(forGood: true, withdrawing: withdrawing).release()
    }

    /// Lets go of all instances, which go with other retired.
    func removeAll(forGood: Bool, into retired: inout RetireList) {
        removeAll(forGood: forGood, withdrawing: !forGood).release(into: &retired)
    }

    /// Lets go of what was made, if it is still there.
    func drop(_ made: Transaction.Made) {
        let (shown, product) = lock.withLock { () -> ([RetireList], RetireList) in
            var product = RetireList()
            guard made.cell.state.product === made.instance else { return ([], product) }
            product.add(cached: made.cell.state.discard())
            return (withdraw(cached[ObjectIdentifier(made.cell.record)]), product)
        }
        // Released after what readers see of it.
        for retired in shown { retired.dispose() }
        product.dispose()
    }

    private func removeAll(forGood: Bool, withdrawing: Bool = true) -> Dropped {
        lock.withLock {
            let all = Array(cached.values)
            cached = [:]
            var retired: [RetireList] = []
            for group in all {
                if !isGraphScoped { group.record.leave(self) }
                if withdrawing { retired += withdraw(group) }
            }
            if forGood {
                isTerminated = true
                core = nil
            }
            return Dropped(all, retired: retired)
        }
    }

    /// Hides from readers what is dropped. The lock is held.
    private func withdraw(_ group: CellGroup?) -> [RetireList] {
        guard let group, group.record.isPerLocator, let core else { return [] }
        return [core._withUnsafeGuaranteedRef { $0.withdrawOwn(of: group.record) }]
    }

    /// What has been taken out, to be released without the lock.
    private struct Dropped {
        private let groups: [CellGroup]
        private let shown: [RetireList]
        private var products = RetireList()

        /// Called under the lock. What is in the creation is kept by nobody then.
        ///
        /// - Parameter retired: What readers see of it.
        init(_ groups: [CellGroup], retired: [RetireList]) {
            self.groups = groups
            shown = retired
            for cell in groups.lazy.flatMap(\.cells) { products.add(cached: cell.state.discard()) }
        }

        consuming func release(into retired: inout RetireList) {
            for shown in shown { retired.add(shown) }
            retired.add(products)
            retired.add(closure: groups)
        }

        consuming func release() {
            for retired in shown { retired.dispose() }
            products.dispose()
        }
    }

    deinit {
        // What a locator or a scope has was taken out before, when that went.
        if isGraphScoped, hasDisposables { removeAll(forGood: true).release() }
    }
}
