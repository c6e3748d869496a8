/// Keeps instances for something that ends: for one resolve, for a locator beside what it registered itself, for what a
/// custom lifetime calls a keeper.
///
/// Invariant: all that changes is touched under `lock`, and no code of a user runs meanwhile: arguments are compared,
/// and what is dropped is released, without it. A record whose cells are here is told of this store, so that they go
/// when its last registration does; but for the store of one resolve, which ends soon. `core` is there until the store
/// ends.
///
/// Locks are taken in this order: that of a store, that of a record's list of stores, that of a core.
final class Store: CellHolder, @unchecked Sendable {
    // Sound to share: see the invariant.

    private struct Entry {
        let key: Arguments.Key
        let cell: Cell
    }

    /// The cells of one record.
    private struct Entries {
        let record: Record
        /// That of what is made without arguments, or whatever they are.
        var sole: Cell?
        /// Those of what is told apart by arguments, by the hash of these.
        var byHash: [Int: [Entry]] = [:]

        var cells: [Cell] { (sole.map { [$0] } ?? []) + byHash.values.joined().map(\.cell) }
    }

    private let lock = Lock()
    private let isOfResolve: Bool
    /// In a store of a resolve: the locator that was asked, kept so that no other has its address, and the store for
    /// another. Neither changes.
    private let asked: Core?
    private let next: Store?
    // Unchecked here and below: the lock excludes what the check would look for.
    @exclusivity(unchecked) private var kept: [ObjectIdentifier: Entries] = [:]
    @exclusivity(unchecked) private var hasEnded = false
    /// Whether it ever had anything that is to be disposed of.
    @exclusivity(unchecked) private var isOfDisposed = false
    /// The locator that it belongs to, which lets readers find what it has made for itself.
    @exclusivity(unchecked) private var core: Unmanaged<Core>?

    /// A store of a keeper.
    init() {
        isOfResolve = false
        asked = nil
        next = nil
    }

    /// The store of a locator, which keeps nothing if that has gone.
    init(of core: Core, hasEnded: Bool) {
        self.hasEnded = hasEnded
        isOfResolve = false
        asked = nil
        next = nil
        self.core = .passUnretained(core)
    }

    /// The store for what a locator is asked for in one resolve, beside those for others.
    init(ofResolveIn core: Core, before next: Store?) {
        isOfResolve = true
        asked = core
        self.next = next
    }

    /// The store of the same resolve for what a locator is asked for.
    func inResolve(of core: Core) -> Store? {
        asked === core ? self : next?.inResolve(of: core)
    }

    /// What it has of a record, if that is one.
    func instance(of record: Record) -> Instance? {
        lock.withLock { kept[ObjectIdentifier(record)]?.sole?.state.product }
    }

    func withCell(
        of record: Record,
        for asking: Core,
        given key: Arguments.Key?,
        _ body: (Cell) -> Void
    ) -> Bool {
        let id = ObjectIdentifier(record)
        guard let key else {
            return lock.withLock {
                if let cell = kept[id]?.sole {
                    body(cell)
                    return true
                }
                guard let cell = makeCell(for: record) else { return false }
                kept[id, default: Entries(record: record)].sole = cell
                body(cell)
                return true
            }
        }
        while true {
            let seen = lock.withLock { kept[id]?.byHash[key.hash] ?? [] }
            // Code of a user, which is why the entries are looked at again below.
            let found = seen.first { Arguments.areEqual($0.key.arguments, key.arguments) }
            let isDone: Bool? = lock.withLock {
                let present = kept[id]?.byHash[key.hash] ?? []
                if let found {
                    guard present.contains(where: { $0.cell === found.cell }) else { return nil }
                    body(found.cell)
                    return true
                }
                guard present.elementsEqual(seen, by: { $0.cell === $1.cell }) else { return nil }
                guard let cell = makeCell(for: record) else { return false }
                kept[id, default: Entries(record: record)].byHash[key.hash, default: []]
                    .append(Entry(key: key, cell: cell))
                body(cell)
                return true
            }
            if let isDone { return isDone }
        }
    }

    /// A new cell, if anything is to be kept any more. The lock is held.
    private func makeCell(for record: Record) -> Cell? {
        guard !hasEnded, isOfResolve || record.join(self) else { return nil }
        return Cell(for: record)
    }

    func succeed(_ cell: Cell, with instance: Instance) -> Cell.Ended {
        let ended = lock.withLock {
            isOfDisposed = isOfDisposed || cell.record.isDisposed
            return Cell.Ended(cell.state.succeed(with: instance))
        }
        if ended.isKept, !isOfResolve { Journal.note(Journal.Made(cell: cell, instance: instance), keptBy: self) }
        return ended
    }

    func fail(_ cell: Cell) -> Cell.Ended {
        lock.withLock { Cell.Ended(cell.state.fail()) }
    }

    func leave(_ cell: Cell, _ waiter: Cell.Waiter) -> Bool {
        lock.withLock { cell.state.leave(waiter) }
    }

    func drop(_ record: Record, given key: Arguments.Key?) {
        let id = ObjectIdentifier(record)
        guard let key else {
            let dropped = lock.withLock {
                if !isOfResolve { record.leave(self) }
                let garbage = withdraw(kept[id])
                return Dropped(kept.removeValue(forKey: id).map { [$0] } ?? [], garbage: garbage)
            }
            return dropped.release()
        }
        let entries = lock.withLock { kept[id]?.byHash[key.hash] ?? [] }
        // Code of a user.
        guard let dropped = entries.first(where: { Arguments.areEqual($0.key.arguments, key.arguments) }) else {
            return
        }
        let garbage = lock.withLock {
            kept[id]?.byHash[key.hash]?.removeAll { $0.cell === dropped.cell }
            if kept[id]?.byHash[key.hash]?.isEmpty == true { kept[id]?.byHash[key.hash] = nil }
            var garbage = Garbage()
            garbage.add(kept: dropped.cell.state.discard())
            return garbage
        }
        garbage.dispose()
    }

    /// Calls `body` with each cell, under the lock.
    func forEachCell(_ body: (Cell) -> Void) {
        lock.withLock { kept.values.lazy.flatMap(\.cells).forEach(body) }
    }

    /// Lets readers find what a locator has made for itself, without asking here.
    func publish(_ made: Instance, as form: Instance, of record: Record) {
        let garbage = lock.withLock { () -> Garbage? in
            guard kept[ObjectIdentifier(record)]?.sole?.state.product === made else { return nil }
            return core?._withUnsafeGuaranteedRef { $0.publishOwn(form, of: record) }
        }
        garbage?.dispose()
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

    /// Lets go of all instances, which go with other garbage.
    func removeAll(forGood: Bool, into garbage: inout Garbage) {
        removeAll(forGood: forGood, withdrawing: !forGood).release(into: &garbage)
    }

    /// Lets go of what was made, if it is still there.
    func drop(_ made: Journal.Made) {
        let (shown, product) = lock.withLock { () -> ([Garbage], Garbage) in
            var product = Garbage()
            guard made.cell.state.product === made.instance else { return ([], product) }
            product.add(kept: made.cell.state.discard())
            return (withdraw(kept[ObjectIdentifier(made.cell.record)]), product)
        }
        // Released after what readers see of it.
        for garbage in shown { garbage.dispose() }
        product.dispose()
    }

    private func removeAll(forGood: Bool, withdrawing: Bool = true) -> Dropped {
        lock.withLock {
            let all = Array(kept.values)
            kept = [:]
            var garbage: [Garbage] = []
            for entries in all {
                if !isOfResolve { entries.record.leave(self) }
                if withdrawing { garbage += withdraw(entries) }
            }
            if forGood {
                hasEnded = true
                core = nil
            }
            return Dropped(all, garbage: garbage)
        }
    }

    /// Hides from readers what is dropped. The lock is held.
    private func withdraw(_ entries: Entries?) -> [Garbage] {
        guard let entries, entries.record.kind == .perLocator, let core else { return [] }
        return [core._withUnsafeGuaranteedRef { $0.withdrawOwn(of: entries.record) }]
    }

    /// What has been taken out, to be released without the lock.
    private struct Dropped {
        private let entries: [Entries]
        private let shown: [Garbage]
        private var products = Garbage()

        /// Called under the lock. What is in the making is kept by nobody then.
        ///
        /// - Parameter garbage: What readers see of it.
        init(_ entries: [Entries], garbage: [Garbage]) {
            self.entries = entries
            shown = garbage
            for cell in entries.lazy.flatMap(\.cells) { products.add(kept: cell.state.discard()) }
        }

        consuming func release(into garbage: inout Garbage) {
            for shown in shown { garbage.add(shown) }
            garbage.add(products)
            garbage.add(closure: entries)
        }

        consuming func release() {
            for garbage in shown { garbage.dispose() }
            products.dispose()
        }
    }

    deinit {
        // What a locator or a keeper has was taken out before, when that went.
        if isOfResolve, isOfDisposed { removeAll(forGood: true).release() }
    }
}
