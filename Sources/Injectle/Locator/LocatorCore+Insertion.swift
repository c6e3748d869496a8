internal import CInjectle

// How registrations are inserted into a core.

extension LocatorCore {
    /// An identity of a record that is about to be inserted.
    private typealias Insertion = (
        record: RegistrationRecord,
        identity: ServiceKey,
        /// A preconstructed instance as a value of the identity's type.
        form: Instance?,
        /// The position of an earlier insertion of the same step, which this one replaces.
        earlier: Int?,
        /// The entries that the check was called for.
        checked: [Entry]?,
        /// The entry that this one replaces.
        present: Entry?
    )

    /// Inserts registrations as one step: either all of them or, if one is refused, none.
    ///
    /// Casts, comparisons of keys and `check` are code of users, and run without the lock. The insert is a
    /// compare-and-swap: if the core has changed meanwhile, they run again for the identities that have changed.
    func insert<Refusal: Error>(
        _ records: [RegistrationRecord],
        check: (ServiceKey) throws(Refusal) -> Void,
        refuse: (InjectleError) throws(Refusal) -> Never
    ) throws(Refusal) {
        if isClosing, let identity = records.first?.identities.first {
            let error = InjectleError.closed(self, "\(identity) cannot be registered in", identity)
            // A caller that cannot throw does not trap while the program ends.
            if error is Refusal { try refuse(error) }
        }
        var insertions: [Insertion] = []
        for record in records {
            for identity in record.identities {
                let form = record.given?.cast(to: identity.type)
                if form == nil, record.given != nil { try refuse(.wrongType(record, origin: identity)) }
                let earlier = identity.isContribution ? nil : insertions.lastIndex { $0.identity == identity }
                insertions.append((record, identity, form, earlier, nil, nil))
            }
        }
        var seen = insert(insertions, of: records, ifUnchangedSince: nil)
        while let (revision, taken) = seen {
            for (index, candidates) in taken.enumerated() {
                let identity = insertions[index].identity
                // A contribution replaces nothing.
                if identity.isContribution { continue }
                let taken = candidates.filter { $0.identity.userKey == identity.userKey }
                if insertions[index].checked?.elementsEqual(taken, by: { $0.order == $1.order }) != true {
                    insertions[index].checked = taken
                    try check(identity)
                }
                let present = taken.first { $0.identity == identity }
                if let present, present.record.isFinal { try refuse(.forbidden(identity, in: self, taken: present)) }
                insertions[index].present = present
            }
            seen = insert(insertions, of: records, ifUnchangedSince: revision)
        }
    }

    /// Inserts all, or returns the current revision and the entries that each of them can replace.
    private func insert(
        _ insertions: [Insertion],
        of records: [RegistrationRecord],
        ifUnchangedSince revision: Int?
    ) -> (revision: Int, taken: [[Entry]])? {
        lock.withRetireList { retired in
            guard revision == self.revision else {
                return (self.revision, insertions.map { index.taken(under: $0.identity) })
            }
            if isTerminated { return nil }
            self.revision += 1
            var inserted: [Entry] = []
            for insertion in insertions {
                let present = insertion.earlier.map { inserted[$0] } ?? insertion.present
                inserted.append(
                    insert(insertion.record, as: insertion.identity, form: insertion.form, replacing: present, &retired)
                )
            }
            for record in records { reportRegistration(record, &retired) }
            return nil
        }
    }

    /// Inserts a registration with one identity, if nothing is registered under that: the common case, in one step.
    /// Returns false in other cases.
    func insertNew(_ record: RegistrationRecord) -> Bool {
        guard let identity = record.soleIdentity else { return false }
        let form = record.given
        if let form, form.type != identity.type { return false }
        return lock.withRetireList { retired in
            guard !isTerminated, identity.isContribution || !index.isTaken(identity) else { return false }
            revision += 1
            _ = insert(record, as: identity, form: form, replacing: nil, &retired)
            reportRegistration(record, &retired)
            return true
        }
    }

    /// The lock is held.
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
                if let given = record.given { Disposal.keep(given, madeOf: record, in: self, isGiven: true) }
            }
        }
        let entry = addEntry(identity, record, order: registered, replacing: present, &retired)
        if let form { publish(form, in: entry) }
        if let present { retire(present, &retired) }
        currentTransaction?.log.inserted.insert(entry.order)
        return entry
    }

    /// Adds an entry of a registration. The lock is held.
    func addEntry(
        _ identity: ServiceKey,
        _ record: RegistrationRecord,
        order: Int,
        replacing present: Entry? = nil,
        _ retired: inout RetireList
    ) -> Entry {
        let entry = Entry.make(identity: identity, record: record, core: self, order: order)
        if let userKey = identity.userKey { removeKeyAliases(under: userKey, &retired) }
        record.entries += 1
        put(entry, replacing: present, &retired)
        return entry
    }

    /// Inserts an entry, which the index retains, or replaces another one by it. The lock is held.
    func put(_ entry: Entry, replacing old: Entry? = nil, _ retired: inout RetireList) {
        _ = unsafe Unmanaged.passRetained(entry)
        unsafe retired.add(block: index.put(entry, replacing: old))
        unsafe injectle_store(&header.pointee.table, index.block)
    }
}
