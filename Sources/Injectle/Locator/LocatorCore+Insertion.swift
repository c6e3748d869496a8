internal import CInjectle

// How registrations get into a core.

extension LocatorCore {
    /// Inserts registrations as one step: either all of them or, if one is refused, none.
    ///
    /// `check` is called without the lock for each identity, and again for one that changed before the lock was taken,
    /// so that of two who both saw it free only one goes on.
    func insert<Refusal: Error>(
        _ records: [RegistrationRecord],
        check: (ServiceKey) throws(Refusal) -> Void,
        refuse: (InjectleError) throws(Refusal) -> Never
    ) throws(Refusal) {
        if isClosing, let identity = records.first?.identities.first {
            let error = InjectleError.closed(self, "\(identity) cannot be registered in", identity)
            // Where it cannot be thrown, it is not worth the end of a program that ends.
            if error is Refusal { try refuse(error) }
        }
        var insertions = try PendingInsertion.insertions(of: records, refuse: refuse)
        var snapshot = attempt(insertions, at: nil)
        while let seen = snapshot {
            for (index, candidates) in seen.taken.enumerated() {
                let identity = insertions[index].identity
                // Keys are compared here, since that is code of a user.
                let taken = candidates.filter { $0.identity.userKey == identity.userKey }
                let isAnswered =
                    insertions[index].checked.map { taken.elementsEqual($0) { $0.order == $1.order } } ?? false
                // One of a list replaces nothing.
                if identity.isContribution { continue }
                if !isAnswered {
                    insertions[index].checked = taken
                    try check(identity)
                }
                let present = taken.first { $0.identity == identity }
                if let present, present.record.isFinal { try refuse(.forbidden(identity, in: self, taken: present)) }
                insertions[index].present = present
            }
            snapshot = attempt(insertions, at: seen.revision)
        }
    }

    /// Inserts all insertions if nothing has changed since a revision. Returns what is there if something has.
    private func attempt(_ insertions: [PendingInsertion], at revision: Int?) -> PendingInsertion.ConflictSnapshot? {
        let (snapshot, retired): (PendingInsertion.ConflictSnapshot?, RetireList) = lock.withLock {
            var retired = RetireList()
            guard revision == self.revision else {
                let taken = insertions.map { index.taken(under: $0.identity) }
                return (PendingInsertion.ConflictSnapshot(revision: self.revision, taken: taken), retired)
            }
            if !isTerminated { insert(insertions, &retired) }
            return (nil, retired)
        }
        retired.dispose()
        return snapshot
    }

    /// Inserts a registration that has one identity, if that is new and nothing is asked about it, which most are.
    /// False if it takes more than that.
    func insertNew(_ record: RegistrationRecord) -> Bool {
        guard let identity = record.soleIdentity else { return false }
        let form = record.given
        if let form, form.type != identity.type { return false }
        var retired = RetireList()
        let isInserted = lock.withLock {
            guard !isTerminated, identity.isContribution || !index.isTaken(identity) else { return false }
            revision += 1
            _ = insert(record, as: identity, form: form, replacing: nil, &retired)
            if isObserved { retired.add(PendingEvent(kind: .didRegister, record: record, core: self)) }
            return true
        }
        retired.dispose()
        return isInserted
    }

    private func insert(_ insertions: [PendingInsertion], _ retired: inout RetireList) {
        revision += 1
        var inserted: [Entry] = []
        for insertion in insertions {
            let present = insertion.earlier.map { inserted[$0] } ?? insertion.present
            inserted.append(
                insert(insertion.record, as: insertion.identity, form: insertion.form, replacing: present, &retired)
            )
        }
        if isObserved { reportRegistration(insertions, &retired) }
    }

    private func insert(
        _ record: RegistrationRecord,
        as identity: ServiceKey,
        form: Instance?,
        replacing present: Entry?,
        _ retired: inout RetireList
    ) -> Entry {
        registered += 1
        if record.entries == 0 {
            record.serial = Int32(truncatingIfNeeded: registered)
            if record.hasDisposers {
                hasDisposables = true
                if let given = record.given { Disposal.keep(given: given, of: record, in: self) }
            }
        }
        let entry = Entry.make(identity: identity, record: record, core: self, order: registered)
        if let userKey = identity.userKey { removeKeyAliases(under: userKey, &retired) }
        record.entries += 1
        put(entry, replacing: present, &retired)
        if let form { publish(form, in: entry) }
        if let present { retire(present, &retired) }
        if transaction != nil { recordInsertion(of: entry) }
        return entry
    }

    /// Inserts an entry, which the index retains, or replaces another one by it. The lock is held.
    func put(_ entry: Entry, replacing old: Entry?, _ retired: inout RetireList) {
        _ = Unmanaged.passRetained(entry)
        retired.add(block: index.put(entry, replacing: old))
        injectle_store(&header.pointee.table, index.block)
    }
}
