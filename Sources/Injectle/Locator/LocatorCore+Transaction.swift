// The steps that a core records in its open transaction, and their undo.

extension LocatorCore {
    // MARK: Running

    /// Runs the phases of modules, and of those that they require, in the transaction that the calling code belongs to or
    /// in one of its own. A thread waits until the transaction of another thread is closed.
    ///
    /// - Parameter identity: The identity that errors name.
    func apply(
        _ wanted: [any Locator.Module],
        for identity: ServiceKey,
        _ runPhases: ([any Locator.Module]) throws -> Void
    ) throws {
        let node = Frame.currentNode
        let new = Transaction(of: self, node ?? WaitNode())
        while true {
            let admission = lock.withLock { () -> (transaction: Transaction, waiter: OnceCell.ThreadWaiter?)? in
                guard let transaction else {
                    new.start = registered
                    self.transaction = new
                    return (new, nil)
                }
                if transaction.isCurrent { return (transaction, nil) }
                if let node, !node.begin(waitingFor: transaction.node) { return nil }
                let waiter = OnceCell.ThreadWaiter(node: node, creator: transaction.node)
                transaction.waiters.append(waiter)
                return (transaction, waiter)
            }
            guard let (transaction, waiter) = admission else {
                throw InjectleError.deadlock(ofModules: identity, in: self)
            }
            if let waiter {
                MainActorBridge.wait(for: waiter)
                continue
            }
            func apply() throws {
                let modules = try plan(wanted, in: transaction)
                do {
                    try runPhases(modules)
                } catch {
                    lock.withLock { if transaction.failure == nil { transaction.failure = error } }
                    throw error
                }
            }
            return transaction === new ? try run(new, apply) : try apply()
        }
    }

    /// Runs `body`, and then commits or rolls back.
    private func run(_ transaction: Transaction, _ body: () throws -> Void) throws {
        try Transaction.counting {
            do {
                try Transaction.$current.withValue(transaction, operation: body)
                if let failure = lock.withLock({ transaction.failure }) { throw failure }
            } catch {
                rollBack(transaction)
                throw error
            }
            commit(transaction)
        }
    }

    /// The modules of `wanted`, and those that they require, that are not applied yet. Records them as applied.
    func plan(_ wanted: [any Locator.Module], in transaction: Transaction) throws(InjectleError) -> [any Locator.Module]
    {
        while true {
            let (applied, revision) = lock.withLock { (appliedModules(in: transaction), modulesRevision) }
            // Ids are hashed and compared here, without the lock.
            var order = ModuleOrder(besides: applied)
            try order.add(wanted)
            let isRecorded = lock.withLock {
                guard modulesRevision == revision else { return false }
                modulesRevision += 1
                if self.transaction === transaction {
                    transaction.steps.append(.applied(order.ids))
                } else {
                    appliedModules += order.ids
                }
                return true
            }
            if isRecorded { return order.modules }
        }
    }

    private func appliedModules(in transaction: Transaction) -> [AnyHashable] {
        transaction.steps.reduce(into: appliedModules) { if case .applied(let ids) = $1 { $0 += ids } }
    }

    // MARK: Recording. The lock is held.

    /// The open transaction, if the calling code belongs to it.
    private var currentTransaction: Transaction? {
        guard let transaction, transaction.isCurrent else { return nil }
        return transaction
    }

    func recordInsertion(of entry: Entry) {
        currentTransaction?.steps.append(.inserted(entry))
    }

    /// Records that an entry has left the tables. Returns whether its record keeps its instance and its closures.
    func recordRemoval(of entry: Entry, showing form: Instance?) -> Bool {
        guard let transaction else { return false }
        if entry.order > transaction.start {
            let insertion = transaction.steps.lastIndex { step in
                if case .inserted(let inserted) = step { inserted.order == entry.order } else { false }
            }
            if let insertion {
                transaction.steps.remove(at: insertion)
                return false
            }
        }
        if transaction.isCurrent {
            transaction.steps.append(.removed(entry, form: form))
            return true
        }
        // A rollback may put another entry of the record back.
        return transaction.steps.contains { step in
            if case .removed(let removed, _) = step { removed.record === entry.record } else { false }
        }
    }

    /// Records that the core keeps a new instance. Returns whether the record keeps its closures.
    func recordCreation(of instance: Instance, in cell: OnceCell) -> Bool {
        guard let transaction = currentTransaction else { return false }
        transaction.steps.append(.created(cell, instance, nil))
        return true
    }

    /// Records that the isolation changes.
    func recordIsolation() {
        guard let transaction else { return }
        if transaction.isCurrent {
            transaction.steps.append(.changedIsolation(from: policy))
        } else {
            transaction.steps.removeAll { if case .changedIsolation = $0 { true } else { false } }
        }
    }

    /// Records that the core is reset. Returns the scoped cache if the caller empties it.
    func recordReset(_ retired: inout RetireList) -> ScopedCache? {
        modulesRevision += 1
        defer { appliedModules = [] }
        if let transaction = currentTransaction {
            transaction.steps.append(.reset(scopedCache, modules: appliedModules))
            scopedCache = nil
            return nil
        }
        retired.add(closure: appliedModules)
        guard let transaction else { return scopedCache }
        // The reset also removes what the phases have removed, and forgets the modules.
        retired.add(closure: transaction.steps)
        transaction.steps = transaction.steps.compactMap { step in
            switch step {
            case .removed(let entry, _):
                release(entry.record, &retired)
                return nil
            case .applied: return nil
            case .reset(let cache, _): return .reset(cache, modules: [])
            default: return step
            }
        }
        return scopedCache
    }

    // MARK: Closing

    /// Closes a transaction, and returns its log and the threads that wait for it. The lock is held.
    private func close(_ transaction: Transaction) -> (steps: [Transaction.Step], waiters: [OnceCell.Waiter]) {
        self.transaction = nil
        defer { (transaction.steps, transaction.waiters) = ([], []) }
        return (transaction.steps, transaction.waiters)
    }

    /// Closes a transaction, and releases what its log has retained.
    private func commit(_ transaction: Transaction) {
        var retired = RetireList()
        let (steps, waiters) = lock.withLock {
            let closed = close(transaction)
            for step in closed.steps {
                switch step {
                case .removed(let entry, _): release(entry.record, &retired)
                case .created(let cell, _, nil) where !cell.record.isResettable && cell.state.product != nil:
                    cell.record.release(&retired)
                case .applied(let ids): appliedModules += ids
                default: break
                }
            }
            return closed
        }
        retired.dispose()
        for case .reset(let cache?, _) in steps { cache.end(withdrawing: true) }
        // The phases of the outer transaction have created these, too.
        transaction.outer?.append(steps.filter { if case .created(_, _, _?) = $0 { true } else { false } })
        for waiter in waiters { waiter.finish(with: nil) }
    }

    /// Closes a transaction, and undoes its steps, the last one first. An entry that another thread has replaced stays
    /// replaced.
    private func rollBack(_ transaction: Transaction) {
        var (seen, rivals) = lock.withLock { (revision, self.rivals(in: transaction)) }
        while true {
            // Keys are compared here, without the lock.
            let replaced = rivals.filter { entry, rivals in rivals.contains { $0.identity == entry.identity } }
            let orders = Set(replaced.map(\.entry.order))
            var retired = RetireList()
            var forms: [(Entry, Instance)] = []
            var caches: [ScopedCache] = []
            let closed = lock.withLock { () -> (steps: [Transaction.Step], waiters: [OnceCell.Waiter])? in
                guard revision == seen else {
                    (seen, rivals) = (revision, self.rivals(in: transaction))
                    return nil
                }
                let closed = close(transaction)
                for step in closed.steps.reversed() {
                    if case .removed(let entry, _) = step, isTerminated || orders.contains(entry.order) { continue }
                    undo(step, &retired, &forms, &caches)
                }
                // Once all of its entries that return are back.
                for case .removed(let entry, _) in closed.steps { release(entry.record, &retired) }
                revision += 1
                return closed
            }
            guard let closed else { continue }
            retired.dispose()
            for (entry, instance) in forms {
                // Casts may call code of users.
                if let form = instance.cast(to: entry.identity.type) { publish(form, of: instance, in: entry) }
            }
            for cache in caches { cache.end(withdrawing: true) }
            for case .created(let cell, let instance, let cache?) in closed.steps { cache.drop(instance, in: cell) }
            for waiter in closed.waiters { waiter.finish(with: nil) }
            return
        }
    }

    /// The removed entries of single services, each with the later entries whose identities may be equal. The lock is
    /// held.
    private func rivals(in transaction: Transaction) -> [(entry: Entry, rivals: [Entry])] {
        var removed: [UInt: [Entry]] = [:]
        var inserted: Set<Int> = []
        for step in transaction.steps {
            switch step {
            case .removed(let entry, _) where !entry.identity.isContribution:
                removed[entry.identity.tag, default: []].append(entry)
            case .inserted(let entry): inserted.insert(entry.order)
            default: break
            }
        }
        return removed.flatMap { tag, entries in
            let present = index.entries(tagged: tag).filter { entry in
                entry.role == .registered && !inserted.contains(entry.order)
            }
            return entries.map { entry in (entry, (present + entries).filter { $0.order > entry.order }) }
        }
    }

    /// Undoes a step. The lock is held.
    ///
    /// - Parameters:
    ///   - forms: The entries that showed an instance, with the instance that they show again.
    ///   - caches: The scoped caches that came after a reset.
    private func undo(
        _ step: Transaction.Step,
        _ retired: inout RetireList,
        _ forms: inout [(Entry, Instance)],
        _ caches: inout [ScopedCache]
    ) {
        switch step {
        case .inserted(let entry):
            if let entry = current(entry) { takeOut(entry, &retired) }
        case .removed(let removed, let form):
            let record = removed.record
            let entry = addEntry(removed.identity, record, order: removed.order, &retired)
            guard let form else { return }
            // A preconstructed instance stays the same.
            if record.given != nil { publish(form, in: entry) }
            if let instance = cells[ObjectIdentifier(record)]?.state.product { forms.append((entry, instance)) }
        case .created(let cell, let instance, nil):
            let isCached = cells[ObjectIdentifier(cell.record)] === cell && cell.state.product === instance
            if isCached { discard(cell, &retired) }
        case .changedIsolation(let isolation):
            enforce(isolation, &retired)
        case .reset(let cache, let modules):
            if let scopedCache { caches.append(scopedCache) }
            scopedCache = cache
            retired.add(closure: appliedModules)
            appliedModules = modules
            modulesRevision += 1
        case .created, .applied: break
        }
    }
}
