internal import CInjectle

// How registrations get into a core.

extension Core {
    /// Inserts registrations as one step: either all of them or, if one is refused, none.
    ///
    /// `check` is called without the lock for each identity, and again for one that changed before the lock was taken,
    /// so that of two who both saw it free only one goes on.
    func insert<Refusal: Error>(
        _ records: [Record],
        check: (ServiceKey) throws(Refusal) -> Void,
        refuse: (InjectleError) throws(Refusal) -> Never
    ) throws(Refusal) {
        if isClosing, let identity = records.first?.identities.first {
            let error = InjectleError.closed(self, "\(identity) cannot be registered in", identity)
            // Where it cannot be thrown, it is not worth the end of a program that ends.
            if error is Refusal { try refuse(error) }
        }
        var entries = try Insertion.entries(of: records, refuse: refuse)
        var survey = attempt(entries, at: nil)
        while let seen = survey {
            for (index, candidates) in seen.taken.enumerated() {
                let identity = entries[index].identity
                // Keys are compared here, since that is code of a user.
                let taken = candidates.filter { $0.identity.label == identity.label }
                let isAnswered =
                    entries[index].checked.map { taken.elementsEqual($0) { $0.order == $1.order } } ?? false
                // One of a list replaces nothing.
                if identity.isContribution { continue }
                if !isAnswered {
                    entries[index].checked = taken
                    try check(identity)
                }
                let present = taken.first { $0.identity == identity }
                if let present, present.record.isFinal { try refuse(.forbidden(identity, in: self, taken: present)) }
                entries[index].present = present
            }
            survey = attempt(entries, at: seen.revision)
        }
    }

    /// Inserts all entries if nothing has changed since a revision. Returns what is there if something has.
    private func attempt(_ entries: [Insertion], at revision: Int?) -> Insertion.Survey? {
        let (survey, garbage): (Insertion.Survey?, Garbage) = lock.withLock {
            var garbage = Garbage()
            guard revision == self.revision else {
                let taken = entries.map { index.taken(under: $0.identity) }
                return (Insertion.Survey(revision: self.revision, taken: taken), garbage)
            }
            if !isGone { insert(entries, &garbage) }
            return (nil, garbage)
        }
        garbage.dispose()
        return survey
    }

    /// Inserts a registration that has one identity, if that is new and nothing is asked about it, which most are.
    /// False if it takes more than that.
    func insertNew(_ record: Record) -> Bool {
        guard let identity = record.soleIdentity else { return false }
        let form = record.given
        if let form, form.type != identity.type { return false }
        var garbage = Garbage()
        let isInserted = lock.withLock {
            guard !isGone, identity.isContribution || !index.isTaken(identity) else { return false }
            revision += 1
            _ = insert(record, as: identity, form: form, replacing: nil, &garbage)
            if isWatched { garbage.add(News(.didRegister, record, in: self)) }
            return true
        }
        garbage.dispose()
        return isInserted
    }

    private func insert(_ entries: [Insertion], _ garbage: inout Garbage) {
        revision += 1
        var inserted: [Unmanaged<Slot>] = []
        for entry in entries {
            let present = entry.earlier.map { inserted[$0].takeUnretainedValue() } ?? entry.present
            inserted.append(insert(entry.record, as: entry.identity, form: entry.form, replacing: present, &garbage))
        }
        if isWatched { noteInserted(entries, &garbage) }
    }

    private func insert(
        _ record: Record,
        as identity: ServiceKey,
        form: Instance?,
        replacing present: Slot?,
        _ garbage: inout Garbage
    ) -> Unmanaged<Slot> {
        registered += 1
        journalHere?.contents.added.insert(registered)
        if record.slots == 0 {
            record.serial = Int32(truncatingIfNeeded: registered)
            if record.isDisposed {
                isOfDisposed = true
                if let given = record.given { Disposal.keep(given: given, of: record, in: self) }
            }
        }
        let slot = Slot.make(identity: identity, record: record, core: self, order: registered)
        if let label = identity.label { forgetDerived(under: label, &garbage) }
        record.slots += 1
        put(slot, replacing: present, &garbage)
        if let form { publish(form, in: slot) }
        if let present { retire(present, &garbage) }
        // Retained for being in the index.
        return .passRetained(slot)
    }

    /// Puts a slot into the index, in the place of another. The lock is held.
    func put(_ slot: Slot, replacing old: Slot?, _ garbage: inout Garbage) {
        garbage.add(block: index.put(slot, replacing: old))
        injectle_store(&head.pointee.table, index.block)
    }
}
