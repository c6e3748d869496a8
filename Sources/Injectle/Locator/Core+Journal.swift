// How what modules do to a core is kept or taken back. See `Journal`.

extension Core {
    /// The open journal.
    private var journal: Journal? { modules?.journal }

    /// The open journal, if what is done here belongs to it. The lock is held.
    var journalHere: Journal? {
        guard let journal, journal.isCurrent else { return nil }
        return journal
    }

    // MARK: Opening

    private enum Entry {
        case opened(Journal)
        case joined(Journal)
        case wait(Cell.ThreadWaiter)
        case deadlock
    }

    /// Runs phases under a journal: that which they belong to already, or else one of their own, one after the other.
    ///
    /// - Parameter identity: What errors name.
    func journalled(for identity: ServiceKey, _ body: (Journal) throws -> Void) throws {
        while true {
            switch enter() {
            case .joined(let journal):
                return try body(journal)
            case .opened(let journal):
                do {
                    try Journal.$current.withValue(journal) { try body(journal) }
                    if let failure = lock.withLock({ journal.contents.failure }) { throw failure }
                } catch {
                    rollBack(journal)
                    throw error
                }
                return commit(journal)
            case .wait(let waiter):
                MainActorDesk.wait(for: waiter)
            case .deadlock:
                throw InjectleError.deadlock(ofModules: identity, in: self)
            }
        }
    }

    private func enter() -> Entry {
        // Made before the lock, since that asks whose code it is.
        let strand = Frame.currentStrand
        let fresh = Journal()
        let entry = lock.withLock { () -> Entry in
            guard let journal else {
                let state = modules ?? ModuleState()
                state.journal = fresh
                modules = state
                return .opened(fresh)
            }
            if journal.isCurrent { return .joined(journal) }
            if let strand, !strand.begin(waitingFor: journal.strand) { return .deadlock }
            let waiter = Cell.ThreadWaiter(strand: strand, maker: journal.strand)
            journal.contents.waiters.append(waiter)
            return .wait(waiter)
        }
        if case .opened = entry { return entry }
        _ = fresh.close()
        return entry
    }

    /// The modules that are still to be applied, of some and those that they need, and notes that they are.
    func plan(_ wanted: [any Locator.Module], in journal: Journal) throws(InjectleError) -> [any Locator.Module] {
        while true {
            let seen = lock.withLock { modules?.applied ?? [] }
            var order = ModuleOrder(besides: seen.map(\.id))
            try order.add(wanted)
            let applied = order.ids.map(AppliedModule.init)
            let isNoted = lock.withLock {
                guard let modules, modules.applied.elementsEqual(seen, by: ===) else { return false }
                modules.applied += applied
                if modules.journal === journal { journal.contents.applied += applied }
                return true
            }
            if isNoted { return order.modules }
        }
    }

    /// Notes that a phase failed, whoever catches the error.
    func note(_ error: any Error, in journal: Journal) {
        lock.withLock {
            if journal === self.journal, journal.contents.failure == nil { journal.contents.failure = error }
        }
    }

    // MARK: Noting. The lock is held.

    /// Notes a slot that was taken out, and counted down. True if what its record has is to stay.
    func park(_ slot: Slot, _ form: Instance?) -> Bool {
        guard let journal else { return false }
        // What came with the journal goes for good.
        if journal.contents.added.remove(slot.order) != nil { return false }
        if journal.isCurrent {
            journal.contents.parked.append(Journal.Parked(slot: slot, form: form))
            return true
        }
        // Another slot of it may be put back.
        return journal.contents.parked.contains { $0.slot.record === slot.record }
    }

    /// Notes an instance that the core keeps. True if the closure that made it is to stay.
    func noteMade(_ instance: Instance, in cell: Cell) -> Bool {
        guard let journal = journalHere else { return false }
        journal.contents.made.append(Journal.Made(cell: cell, instance: instance))
        return true
    }

    /// Notes that the isolation is to become another.
    func noteChange(of policy: Locator.Isolation, to newValue: Locator.Isolation) {
        guard let journal else { return }
        if journal.isCurrent {
            if journal.contents.policy == nil { journal.contents.policy = policy }
        } else if journal.contents.policy != nil {
            journal.contents.policy = newValue
        }
    }

    /// Notes that the core is to be emptied. Returns the store that is to be emptied, too.
    func noteEmptying(_ garbage: inout Garbage) -> Store? {
        guard let modules else { return furtherStore }
        if let journal = journalHere {
            let own = journal.contents.applied
            journal.contents.forgotten += modules.applied.filter { module in !own.contains { $0 === module } }
            modules.applied = own
            journal.contents.stores.append(furtherStore)
            furtherStore = nil
            return nil
        }
        for module in modules.applied { garbage.add(module) }
        modules.applied = []
        guard let journal else { return furtherStore }
        // What was taken out goes as if it were still there.
        let parked = journal.contents.parked
        journal.contents.parked = []
        for parked in parked {
            garbage.add(parked.slot)
            garbage.add(parked.form)
            letGo(of: parked.slot.record, &garbage)
        }
        for module in journal.contents.forgotten { garbage.add(module) }
        journal.contents.forgotten = []
        return furtherStore
    }

    // MARK: Closing

    private func commit(_ journal: Journal) {
        let (contents, garbage) = lock.withLock {
            var garbage = Garbage()
            modules?.journal = nil
            let contents = take(journal)
            for parked in contents.parked { letGo(of: parked.slot.record, &garbage) }
            for made in contents.made {
                let record = made.cell.record
                if !record.isResettable, made.cell.state.product != nil { record.release(&garbage) }
            }
            return (contents, garbage)
        }
        garbage.dispose()
        for store in contents.stores { store?.end(withdrawing: true) }
        // It may be made of what is taken back yet.
        let made = journal.close()
        journal.outer?.note(made)
        for waiter in contents.waiters { waiter.finish(with: nil) }
    }

    private func rollBack(_ journal: Journal) {
        var losers: (Set<Int>, at: Int)?
        var end: Rollback?
        while end == nil {
            let (rivalries, revision) = lock.withLock { () -> ([Rivalry], Int) in
                if losers?.at != self.revision {
                    let rivalries = self.rivalries(in: journal)
                    if !rivalries.isEmpty { return (rivalries, self.revision) }
                    losers = ([], self.revision)
                }
                end = rollBack(journal, without: losers?.0 ?? [])
                return ([], self.revision)
            }
            // Keys are compared here, since that is code of a user.
            let lost = rivalries.filter { rivalry in
                rivalry.rivals.contains { $0.identity == rivalry.slot.identity }
            }
            losers = (Set(lost.map { $0.slot.order }), revision)
        }
        guard let end else { return }
        end.garbage.dispose()
        for (slot, made) in end.forms {
            if let form = made.cast(to: slot.identity.type) { keep(form, of: made, in: slot) }
        }
        for store in end.stores { store.end(withdrawing: true) }
        for made in journal.close() { made.store.drop(made.made) }
        for waiter in end.contents.waiters { waiter.finish(with: nil) }
    }

    /// A slot that was taken out, and those that may have come in its place.
    private struct Rivalry {
        let slot: Slot
        let rivals: [Slot]
    }

    /// What is left to do when all is as it was.
    private struct Rollback {
        let contents: Journal.Contents
        let garbage: Garbage
        /// The slots that showed an instance, and that instance as it was made.
        let forms: [(Slot, Instance)]
        /// What the core kept besides, since it was emptied.
        let stores: [Store]
    }

    private func take(_ journal: Journal) -> Journal.Contents {
        defer { journal.contents = Journal.Contents() }
        return journal.contents
    }

    /// The slots that were taken out, where others that came later may be of the same identity.
    private func rivalries(in journal: Journal) -> [Rivalry] {
        journal.contents.parked.compactMap { parked in
            let slot = parked.slot
            // One of a list replaces nothing.
            if slot.identity.isContribution { return nil }
            let tag = slot.identity.tag
            let others = index.slots(tagged: tag).filter { other in
                other.standing == .registered && !journal.contents.added.contains(other.order)
            }
            let later = (others + journal.contents.parked.map(\.slot)).filter {
                $0.order > slot.order && $0.identity.tag == tag
            }
            return later.isEmpty ? nil : Rivalry(slot: slot, rivals: later)
        }
    }

    /// Takes all back, but for slots in whose place others are. The lock is held.
    private func rollBack(_ journal: Journal, without losers: Set<Int>) -> Rollback {
        var garbage = Garbage()
        modules?.journal = nil
        let contents = take(journal)
        revision += 1
        let added = index.all.filter { $0.standing == .registered && contents.added.contains($0.order) }
        for slot in added.sorted(by: { $0.order < $1.order }) {
            index.remove(slot)
            if let label = slot.identity.label { forgetDerived(under: label, &garbage) }
            retire(slot, &garbage)
        }
        // What was made may be made of these.
        for made in contents.made where cells[ObjectIdentifier(made.cell.record)] === made.cell {
            if made.cell.state.product === made.instance { discard(made.cell, &garbage) }
        }
        var forms: [(Slot, Instance)] = []
        for parked in contents.parked where !isGone && !losers.contains(parked.slot.order) {
            let slot = putBack(parked, &garbage)
            if parked.form != nil, let made = cells[ObjectIdentifier(slot.record)]?.state.product {
                forms.append((slot, made))
            }
        }
        for parked in contents.parked { letGo(of: parked.slot.record, &garbage) }
        if let policy = contents.policy { enforce(policy, &garbage) }
        var stores: [Store] = []
        if let first = contents.stores.first {
            stores = (contents.stores.dropFirst() + [furtherStore]).compactMap(\.self)
            furtherStore = first
        }
        if let modules {
            let kept = modules.applied.filter { module in !contents.applied.contains { $0 === module } }
            modules.applied = contents.forgotten + kept
        }
        return Rollback(contents: contents, garbage: garbage, forms: forms, stores: stores)
    }

    /// Puts an equal slot in the place of one that was taken out.
    private func putBack(_ parked: Journal.Parked, _ garbage: inout Garbage) -> Slot {
        let record = parked.slot.record
        let slot = Slot.make(
            identity: parked.slot.identity,
            record: record,
            core: self,
            order: parked.slot.order
        )
        if let label = slot.identity.label { forgetDerived(under: label, &garbage) }
        record.slots += 1
        put(slot, replacing: nil, &garbage)
        _ = Unmanaged.passRetained(slot)
        // What is given is never another.
        if let form = parked.form, record.given != nil { publish(form, in: slot) }
        return slot
    }
}
