// The changes that a core logs in its open transaction, and their undo.

extension LocatorCore {
    // MARK: Running

    /// Runs the phases of modules and their required modules, in the transaction that the calling code belongs to or
    /// in a new one. A thread waits until the transaction of another thread is closed.
    ///
    /// - Parameter identity: The identity that errors name.
    func apply(
        _ wanted: [any Locator.Module],
        for identity: Locator.Identity,
        _ runPhases: ([any Locator.Module]) throws -> Void
    ) throws {
        let node = Frame.currentNode
        let new = Transaction(of: self, node ?? WaitNode())
        while true {
            var waiter: OnceCell.ThreadWaiter?
            let open = lock.withLock { () -> Transaction? in
                let open = transaction ?? new
                transaction = open
                if open === new || open.isCurrent { return open }
                if let node, !node.begin(waitingFor: open.node) { return nil }
                let next = OnceCell.ThreadWaiter(node: node, creator: open.node)
                open.log.waiters.append(next)
                waiter = next
                return nil
            }
            if let waiter {
                MainActorBridge.wait(for: waiter)
                continue
            }
            guard let open else { throw InjectleError.deadlock(ofModules: identity, in: self) }
            func apply() throws {
                let modules = try plan(wanted, in: open)
                do {
                    try runPhases(modules)
                } catch {
                    lock.withLock { open.failure = open.failure ?? error }
                    throw error
                }
            }
            return open === new ? try run(new, apply) : try apply()
        }
    }

    /// Runs `body`, and then commits or rolls back.
    private func run(_ transaction: Transaction, _ body: () throws -> Void) throws {
        Transaction.countOpen(adding: 1)
        defer { Transaction.countOpen(adding: -1) }
        do {
            try Transaction.$current.withValue(transaction, operation: body)
            if let failure = lock.withLock({ transaction.failure }) { throw failure }
        } catch {
            rollBack(transaction)
            throw error
        }
        commit(transaction)
    }

    /// The modules of `wanted`, and those that they require, that are not applied yet. Records them as applied.
    private func plan(
        _ wanted: [any Locator.Module],
        in transaction: Transaction
    ) throws(InjectleError) -> [any Locator.Module] {
        while true {
            let (applied, revision) = lock.withLock { (appliedModules + transaction.log.applied, modulesRevision) }
            // Ids are hashed and compared here, without the lock.
            var order = ModuleOrder(besides: applied)
            try order.add(wanted)
            let isRecorded = lock.withLock {
                guard modulesRevision == revision else { return false }
                modulesRevision += 1
                if self.transaction === transaction {
                    transaction.log.applied += order.ids
                } else {
                    appliedModules += order.ids
                }
                return true
            }
            if isRecorded { return order.modules }
        }
    }

    // MARK: Logging. The lock is held.

    /// The open transaction, if the calling code belongs to it.
    var currentTransaction: Transaction? {
        guard let transaction, transaction.isCurrent else { return nil }
        return transaction
    }

    /// Logs that an entry has left the tables. Returns whether its record keeps its instance and its closures.
    func recordRemoval(of entry: Entry) -> Bool {
        guard let transaction, transaction.log.inserted.remove(entry.order) == nil else { return false }
        if transaction.isCurrent {
            transaction.log.removed.append(entry)
            return true
        }
        // A rollback may put another entry of the record back.
        return transaction.log.removed.contains { $0.record === entry.record }
    }

    /// Logs that the core is reset. Returns the scoped cache if the caller empties it.
    func recordReset(_ retired: inout RetireList) -> ScopedCache? {
        modulesRevision += 1
        defer { appliedModules = [] }
        if let transaction = currentTransaction, transaction.log.beforeReset == nil {
            transaction.log.beforeReset = (scopedCache, appliedModules)
            scopedCache = nil
            return nil
        }
        retired.add(unreachable: appliedModules)
        guard let transaction, !transaction.isCurrent else { return scopedCache }
        // The reset also removes what the phases have removed, and forgets the modules.
        retired.add(unreachable: transaction.log)
        for entry in transaction.log.removed { release(removed: entry, &retired) }
        transaction.log.removed = []
        transaction.log.applied = []
        transaction.log.beforeReset?.modules = []
        return scopedCache
    }

    /// Releases the record of a removed entry that the log has retained, unless it has other entries. The entry is retired
    /// again, since it retained the record for longer than readers could use it.
    private func release(removed entry: Entry, _ retired: inout RetireList) {
        release(entry.record, &retired)
        retired.add(entry)
    }

    /// Whether a record is registered here.
    func hasEntry(of record: RegistrationRecord) -> Bool {
        record.identities.contains { identity in
            index.entries(tagged: identity.tag).contains { $0.role == .registered && $0.record === record }
        }
    }

    // MARK: Closing

    /// Closes a transaction, and returns its log. The lock is held.
    private func close(_ transaction: Transaction) -> Transaction.Log {
        self.transaction = nil
        defer { transaction.log = Transaction.Log() }
        return transaction.log
    }

    /// Closes a transaction, and releases what its log has retained.
    private func commit(_ transaction: Transaction) {
        // One list, so that all instances are disposed of in reverse order of creation.
        var retired = RetireList()
        // In a read section, since the cells of the former cache may not retain their records: see `dropCachedInstances`.
        let log = withReadSection {
            let log = lock.withLock {
                let log = close(transaction)
                appliedModules += log.applied
                for entry in log.removed { release(removed: entry, &retired) }
                return log
            }
            if let cache = log.beforeReset?.cache { retired.add(cache.removeAll(forGood: true)) }
            return log
        }
        retired.dispose()
        for waiter in log.waiters { waiter.finish(with: nil) }
    }

    /// Closes a transaction, and undoes its changes. An entry that another thread has replaced stays replaced.
    private func rollBack(_ transaction: Transaction) {
        // Whether a later entry has the identity of an earlier one, by their orders: each key is compared once.
        var compared: [Int: [Int: Bool]] = [:]
        func isReplaced(_ entry: Entry, by later: Entry) -> Bool {
            guard later.order > entry.order, later.identity.isAlike(entry.identity) else { return false }
            if let isReplaced = compared[entry.order]?[later.order] { return isReplaced }
            let isReplaced = later.identity.userKey == entry.identity.userKey
            compared[entry.order, default: [:]][later.order] = isReplaced
            return isReplaced
        }
        while true {
            let (removed, seen) = lock.withLock { (transaction.log.removed, rivals(of: transaction)) }
            let byTag = Dictionary(grouping: seen, by: \.identity.tag)
            // Keys are compared here, without the lock.
            let returning = removed.filter { entry in
                entry.identity.isContribution
                    || byTag[entry.identity.tag]?.contains { isReplaced(entry, by: $0) } != true
            }
            // One list, so that all instances are disposed of in reverse order of creation.
            var retired = RetireList()
            // As in `commit`.
            let closed: Transaction.Log? = withReadSection {
                let closed: Transaction.Log? = lock.withLock {
                    guard rivals(of: transaction).map(\.order) == seen.map(\.order) else { return nil }
                    return undo(transaction, restoring: returning, &retired)
                }
                if let cache = closed?.beforeReset?.cache { retired.add(cache.removeAll(forGood: true)) }
                return closed
            }
            guard let closed else { continue }
            for (cell, instance, cache) in closed.created { cache?.drop(instance, in: cell, &retired) }
            retired.dispose()
            for waiter in closed.waiters { waiter.finish(with: nil) }
            return
        }
    }

    /// The removed entries, and the entries of other code that can have replaced them, in order of registration. The
    /// lock is held.
    private func rivals(of transaction: Transaction) -> [Entry] {
        let (removed, inserted) = (transaction.log.removed, transaction.log.inserted)
        let present = Set(removed.map(\.identity.tag)).flatMap { index.entries(tagged: $0) }
            .filter { $0.role == .registered && !inserted.contains($0.order) }
        return (removed + present).sorted { $0.order < $1.order }
    }

    /// Closes a transaction, and undoes its changes. Returns its log, with the scoped cache that came after a reset. The
    /// lock is held.
    ///
    /// - Parameter returning: The removed entries that no other thread has replaced.
    private func undo(
        _ transaction: Transaction,
        restoring returning: [Entry],
        _ retired: inout RetireList
    ) -> Transaction.Log {
        var log = close(transaction)
        for (cell, instance, cache) in log.created where cache == nil && cell.state.product === instance {
            if cells[ObjectIdentifier(cell.record)] === cell { discard(cell, &retired) }
        }
        if !isTerminated {
            for entry in returning { unsafe addEntry(entry.identity, entry.record, order: entry.order, &retired) }
        }
        // Once the entries that they have replaced are back, so that readers always find one.
        let inserted = index.all.filter { $0.role == .registered && log.inserted.contains($0.order) }
        for entry in inserted.sorted(by: { $0.order > $1.order }) { takeOut(entry, &retired) }
        // Once all of its entries that return are back.
        for entry in log.removed { release(removed: entry, &retired) }
        if let former = log.beforeReset {
            log.beforeReset = (scopedCache, appliedModules)
            (scopedCache, appliedModules) = former
            modulesRevision += 1
        }
        return log
    }
}
