// How what modules do to a core is kept or taken back. See `Transaction`.

extension LocatorCore {
    /// The open transaction.
    private var transaction: Transaction? { modules?.transaction }

    /// The open transaction, if what is done here belongs to it. The lock is held.
    var currentTransaction: Transaction? {
        guard let transaction, transaction.isCurrent else { return nil }
        return transaction
    }

    // MARK: Opening

    private enum Admission {
        case opened(Transaction)
        case joined(Transaction)
        case wait(OnceCell.ThreadWaiter)
        case deadlock
    }

    /// Runs phases under a transaction: that which they belong to already, or else one of their own, one after the other.
    ///
    /// - Parameter identity: What errors name.
    func withTransaction(for identity: ServiceKey, _ body: (Transaction) throws -> Void) throws {
        while true {
            switch enter() {
            case .joined(let transaction):
                return try body(transaction)
            case .opened(let transaction):
                do {
                    try Transaction.$current.withValue(transaction) { try body(transaction) }
                    if let failure = lock.withLock({ transaction.contents.failure }) { throw failure }
                } catch {
                    rollBack(transaction)
                    throw error
                }
                return commit(transaction)
            case .wait(let waiter):
                MainActorBridge.wait(for: waiter)
            case .deadlock:
                throw InjectleError.deadlock(ofModules: identity, in: self)
            }
        }
    }

    private func enter() -> Admission {
        // Made before the lock, since that asks whose code it is.
        let node = Frame.currentNode
        let fresh = Transaction()
        let admission = lock.withLock { () -> Admission in
            guard let transaction else {
                let state = modules ?? ModuleState()
                state.transaction = fresh
                modules = state
                return .opened(fresh)
            }
            if transaction.isCurrent { return .joined(transaction) }
            if let node, !node.begin(waitingFor: transaction.node) { return .deadlock }
            let waiter = OnceCell.ThreadWaiter(node: node, creator: transaction.node)
            transaction.contents.waiters.append(waiter)
            return .wait(waiter)
        }
        if case .opened = admission { return admission }
        _ = fresh.close()
        return admission
    }

    /// The modules that are still to be applied, of some and those that they need, and notes that they are.
    func plan(_ wanted: [any Locator.Module], in transaction: Transaction) throws(InjectleError) -> [any Locator.Module]
    {
        while true {
            let seen = lock.withLock { modules?.applied ?? [] }
            var order = ModuleOrder(besides: seen.map(\.id))
            try order.add(wanted)
            let applied = order.ids.map(AppliedModule.init)
            let isNoted = lock.withLock {
                guard let modules, modules.applied.elementsEqual(seen, by: ===) else { return false }
                modules.applied += applied
                if modules.transaction === transaction { transaction.contents.applied += applied }
                return true
            }
            if isNoted { return order.modules }
        }
    }

    /// Notes that a phase failed, whoever catches the error.
    func note(_ error: any Error, in transaction: Transaction) {
        lock.withLock {
            if transaction === self.transaction, transaction.contents.failure == nil {
                transaction.contents.failure = error
            }
        }
    }

    // MARK: Noting. The lock is held.

    /// Notes a entry that was taken out, and counted down. True if what its record has is to stay.
    func setAside(_ entry: Entry, _ form: Instance?) -> Bool {
        guard let transaction else { return false }
        // What came with the transaction goes for good.
        if transaction.contents.added.remove(entry.order) != nil { return false }
        if transaction.isCurrent {
            transaction.contents.removed.append(Transaction.RemovedEntry(entry: entry, form: form))
            return true
        }
        // Another entry of it may be put back.
        return transaction.contents.removed.contains { $0.entry.record === entry.record }
    }

    /// Notes an instance that the core keeps. True if the closure that made it is to stay.
    func recordCreated(_ instance: Instance, in cell: OnceCell) -> Bool {
        guard let transaction = currentTransaction else { return false }
        transaction.contents.made.append(Transaction.Made(cell: cell, instance: instance))
        return true
    }

    /// Notes that the isolation is to become another.
    func recordChange(of policy: Locator.Isolation, to newValue: Locator.Isolation) {
        guard let transaction else { return }
        if transaction.isCurrent {
            if transaction.contents.policy == nil { transaction.contents.policy = policy }
        } else if transaction.contents.policy != nil {
            transaction.contents.policy = newValue
        }
    }

    /// Notes that the core is to be emptied. Returns the store that is to be emptied, too.
    func recordReset(_ retired: inout RetireList) -> ScopedCache? {
        guard let modules else { return scopedCache }
        if let transaction = currentTransaction {
            let own = transaction.contents.applied
            transaction.contents.forgotten += modules.applied.filter { module in !own.contains { $0 === module } }
            modules.applied = own
            transaction.contents.caches.append(scopedCache)
            scopedCache = nil
            return nil
        }
        for module in modules.applied { retired.add(module) }
        modules.applied = []
        guard let transaction else { return scopedCache }
        // What was taken out goes as if it were still there.
        let removed = transaction.contents.removed
        transaction.contents.removed = []
        for removed in removed {
            retired.add(removed.entry)
            retired.add(removed.form)
            release(removed.entry.record, &retired)
        }
        for module in transaction.contents.forgotten { retired.add(module) }
        transaction.contents.forgotten = []
        return scopedCache
    }

    // MARK: CloseOperation

    private func commit(_ transaction: Transaction) {
        let (contents, retired) = lock.withLock {
            var retired = RetireList()
            modules?.transaction = nil
            let contents = take(transaction)
            for removed in contents.removed { release(removed.entry.record, &retired) }
            for made in contents.made {
                let record = made.cell.record
                if !record.isResettable, made.cell.state.product != nil { record.release(&retired) }
            }
            return (contents, retired)
        }
        retired.dispose()
        for cache in contents.caches { cache?.end(withdrawing: true) }
        // It may be made of what is taken back yet.
        let made = transaction.close()
        transaction.outer?.note(made)
        for waiter in contents.waiters { waiter.finish(with: nil) }
    }

    private func rollBack(_ transaction: Transaction) {
        var losers: (Set<Int>, at: Int)?
        var end: Rollback?
        while end == nil {
            let (conflicts, revision) = lock.withLock { () -> ([Conflict], Int) in
                if losers?.at != self.revision {
                    let conflicts = self.conflicts(in: transaction)
                    if !conflicts.isEmpty { return (conflicts, self.revision) }
                    losers = ([], self.revision)
                }
                end = rollBack(transaction, without: losers?.0 ?? [])
                return ([], self.revision)
            }
            // Keys are compared here, since that is code of a user.
            let lost = conflicts.filter { conflict in
                conflict.others.contains { $0.identity == conflict.entry.identity }
            }
            losers = (Set(lost.map { $0.entry.order }), revision)
        }
        guard let end else { return }
        end.retired.dispose()
        for (entry, made) in end.forms {
            if let form = made.cast(to: entry.identity.type) { keep(form, of: made, in: entry) }
        }
        for cache in end.caches { cache.end(withdrawing: true) }
        for made in transaction.close() { made.cache.drop(made.made) }
        for waiter in end.contents.waiters { waiter.finish(with: nil) }
    }

    /// A entry that was taken out, and those that may have come in its place.
    private struct Conflict {
        let entry: Entry
        let others: [Entry]
    }

    /// What is left to do when all is as it was.
    private struct Rollback {
        let contents: Transaction.Contents
        let retired: RetireList
        /// The entries that showed an instance, and that instance as it was made.
        let forms: [(Entry, Instance)]
        /// What the core kept besides, since it was emptied.
        let caches: [ScopedCache]
    }

    private func take(_ transaction: Transaction) -> Transaction.Contents {
        defer { transaction.contents = Transaction.Contents() }
        return transaction.contents
    }

    /// The entries that were taken out, where others that came later may be of the same identity.
    private func conflicts(in transaction: Transaction) -> [Conflict] {
        transaction.contents.removed.compactMap { removed in
            let entry = removed.entry
            // One of a list replaces nothing.
            if entry.identity.isContribution { return nil }
            let tag = entry.identity.tag
            let others = index.entries(tagged: tag).filter { other in
                other.role == .registered && !transaction.contents.added.contains(other.order)
            }
            let later = (others + transaction.contents.removed.map(\.entry)).filter {
                $0.order > entry.order && $0.identity.tag == tag
            }
            return later.isEmpty ? nil : Conflict(entry: entry, others: later)
        }
    }

    /// Takes all back, but for entries in whose place others are. The lock is held.
    private func rollBack(_ transaction: Transaction, without losers: Set<Int>) -> Rollback {
        var retired = RetireList()
        modules?.transaction = nil
        let contents = take(transaction)
        revision += 1
        let added = index.all.filter { $0.role == .registered && contents.added.contains($0.order) }
        for entry in added.sorted(by: { $0.order < $1.order }) {
            index.remove(entry)
            if let userKey = entry.identity.userKey { removeKeyAliases(under: userKey, &retired) }
            retire(entry, &retired)
        }
        // What was made may be made of these.
        for made in contents.made where cells[ObjectIdentifier(made.cell.record)] === made.cell {
            if made.cell.state.product === made.instance { discard(made.cell, &retired) }
        }
        var forms: [(Entry, Instance)] = []
        for removed in contents.removed where !isTerminated && !losers.contains(removed.entry.order) {
            let entry = putBack(removed, &retired)
            if removed.form != nil, let made = cells[ObjectIdentifier(entry.record)]?.state.product {
                forms.append((entry, made))
            }
        }
        for removed in contents.removed { release(removed.entry.record, &retired) }
        if let policy = contents.policy { enforce(policy, &retired) }
        var caches: [ScopedCache] = []
        if let first = contents.caches.first {
            caches = (contents.caches.dropFirst() + [scopedCache]).compactMap(\.self)
            scopedCache = first
        }
        if let modules {
            let cached = modules.applied.filter { module in !contents.applied.contains { $0 === module } }
            modules.applied = contents.forgotten + cached
        }
        return Rollback(contents: contents, retired: retired, forms: forms, caches: caches)
    }

    /// Puts an equal entry in the place of one that was taken out.
    private func putBack(_ removed: Transaction.RemovedEntry, _ retired: inout RetireList) -> Entry {
        let record = removed.entry.record
        let entry = Entry.make(
            identity: removed.entry.identity,
            record: record,
            core: self,
            order: removed.entry.order
        )
        if let userKey = entry.identity.userKey { removeKeyAliases(under: userKey, &retired) }
        record.entries += 1
        put(entry, replacing: nil, &retired)
        _ = Unmanaged.passRetained(entry)
        // What is given is never another.
        if let form = removed.form, record.given != nil { publish(form, in: entry) }
        return entry
    }
}
