internal import CInjectle

// How registrations are inserted into a core.

extension LocatorCore {
    /// An identity of a record that is about to be inserted.
    private struct PendingInsertion {
        let record: RegistrationRecord
        /// A preconstructed instance as a value of the identity's type.
        let form: Instance?
        /// The position of an earlier insertion of the same step, which this one replaces.
        let earlier: Int?
        /// The entries with its key.
        var conflicts: ConflictSnapshot
        /// The entries that the check was called for, by their order.
        var checked: [Int]?

        var identity: Locator.Identity { conflicts.identity }
        /// The entry that this one replaces. A contribution replaces none.
        var present: Entry? { identity.isContribution ? nil : conflicts.taken.first { $0.identity.isAlike(identity) } }
    }

    /// Inserts registrations as one step: either all of them or, if one is refused, none.
    ///
    /// Casts, comparisons of keys and `check` are user code, and run without the lock. The insert is a
    /// compare-and-swap: they run again for the entries of these identities that have come meanwhile.
    func insert<Refusal: Error>(
        _ records: [RegistrationRecord],
        check: (Locator.Identity) throws(Refusal) -> Void,
        refuse: (InjectleError) throws(Refusal) -> Never
    ) throws(Refusal) {
        if isClosing, let identity = records.first?.identities.first {
            let error = InjectleError.closed(self, "\(identity) cannot be registered in", identity)
            // A caller that cannot throw does not trap while the program ends.
            if error is Refusal { try refuse(error) }
        }
        var pending: [PendingInsertion] = []
        for record in records {
            for identity in record.identities {
                let form = record.given?.cast(to: identity.type)
                if form == nil, record.given != nil { try refuse(.wrongType(record, origin: identity)) }
                let earlier = identity.isContribution ? nil : pending.lastIndex { $0.identity.isExactly(identity) }
                let conflicts = ConflictSnapshot(of: identity)
                pending.append(PendingInsertion(record: record, form: form, earlier: earlier, conflicts: conflicts))
            }
        }
        repeat {
            let candidates = lock.withLock { pending.map { index.candidates(for: $0.identity) } }
            for (position, candidates) in candidates.enumerated() where !pending[position].identity.isContribution {
                pending[position].conflicts.update(to: candidates)
                let (identity, orders) = (pending[position].identity, pending[position].conflicts.taken.map(\.order))
                if pending[position].checked != orders {
                    pending[position].checked = orders
                    try check(identity)
                }
                if let present = pending[position].present, present.record.isFinal {
                    try refuse(.forbidden(identity, in: self, taken: present))
                }
            }
        } while !insert(pending, of: records)
    }

    /// Inserts all. Returns false if an entry with the key of one has come or gone since these were compared.
    private func insert(_ pending: [PendingInsertion], of records: [RegistrationRecord]) -> Bool {
        lock.withRetireList { retired in
            if isTerminated { return true }
            guard pending.allSatisfy({ $0.identity.isContribution || $0.conflicts.isCurrent(in: index) }) else {
                return false
            }
            var inserted: [Entry] = []
            for insertion in pending {
                let present = insertion.earlier.map { inserted[$0] } ?? insertion.present
                let entry = unsafe insert(
                    insertion.record,
                    as: insertion.identity,
                    form: insertion.form,
                    replacing: present,
                    &retired
                )
                inserted.append(unsafe entry.takeUnretainedValue())
            }
            for insertion in pending {
                for entry in entriesDeclaringOthers(than: insertion) { takeOut(entry, &retired) }
            }
            for record in records { reportRegistration(record, &retired) }
            return true
        }
    }

    /// The entries of an earlier layer that declare arguments and have the identity of an inserted one. The lock is held.
    private func entriesDeclaringOthers(than insertion: PendingInsertion) -> [Entry] {
        let identity = insertion.identity
        if layer == 0 || identity.isContribution { return [] }
        // With a key, the snapshot has all entries of the key, since comparing these is user code.
        let hasKey = identity.userKey != nil
        let entries = hasKey ? insertion.conflicts.taken : index.entries(tagged: identity.tagDeclaringArguments)
        return entries.filter { entry in
            entry.order <= layer && entry.record.declared != nil && !entry.record.isFinal && !entry.isDetached
                && entry.identity.type == identity.type && !entry.identity.isContribution
                && (entry.identity.userKey != nil) == hasKey
        }
    }

    /// Inserts a registration with one identity, if nothing is registered under that: the common case, in one step.
    /// Returns false in other cases.
    func insertNew(_ record: RegistrationRecord) -> Bool {
        guard record.hasOneIdentity else { return false }
        if record.hasKey || record.isGiven {
            let (identity, form) = (record.identity, record.given)
            return (form?.type ?? identity.type) == identity.type && insertNew(record, as: identity, form)
        }
        // Without copies of references that are nil.
        return insertNew(record, as: Locator.Identity(type: record.identity.type, keyPart: nil), nil)
    }

    private func insertNew(_ record: RegistrationRecord, as identity: Locator.Identity, _ form: Instance?) -> Bool {
        var retired = RetireList()
        let isInserted = lock.withLock {
            guard !isTerminated, identity.isContribution || layer == 0 && !index.isTaken(identity) else { return false }
            unsafe insert(record, as: identity, form: form, &retired)
            return true
        }
        // As an effect of the list would be, but without memory for it.
        if isInserted, observes(.didRegister) { send(.didRegister, of: record, as: record.identity) }
        (consume retired).dispose()
        return isInserted
    }

    /// Inserts a registration, unless one of its identities is registered here. Returns whether it did.
    func insertIfAbsent(_ record: RegistrationRecord) -> Bool {
        struct Present: Error {}
        if insertNew(record) { return true }
        do {
            try insert([record]) { identity throws(Present) in
                if ownEntry(identity) != nil { throw Present() }
            } refuse: { error throws(Present) in
                fatalError(error.description)
            }
            return true
        } catch {
            return false
        }
    }

    /// Registers the default of a key in the root, if the key has one, for the key and its own type. Returns whether the
    /// look-up has to be repeated.
    func registerDefault(for identity: Locator.Identity) -> Bool {
        guard let key = identity.userKey?.value?.base as? any AnyServiceKey, let record = key.makeDefault(),
            terminated == nil
        else { return false }
        let own = Locator.Identity(type: unwrapped(key.serviceType), keyPart: identity.userKey)
        guard entriesDeclaringArguments(as: own).isEmpty else { return false }
        record.list(own)
        // If not, another thread has registered it, or a registration has another identity of the default.
        return root.insertIfAbsent(record) || own == identity && root.ownEntry(own) != nil
    }

    /// Returns the new entry, which the index retains. The lock is held.
    @discardableResult
    func insert(
        _ record: RegistrationRecord,
        as identity: Locator.Identity,
        form: Instance? = nil,
        replacing present: Entry? = nil,
        _ retired: inout RetireList
    ) -> Unmanaged<Entry> {
        registered += 1
        if _fastPath(record.entries == 0) {
            record.serial = Int32(truncatingIfNeeded: registered)
            if record.hasDisposers || record.usesOtherCaches { mustBeEmptied = true }
            if record.hasDisposers, let given = record.given {
                Disposal.keep(given, madeOf: record, in: self, isGiven: true)
            }
        }
        let order = registered
        let entry = unsafe addEntry(identity, record, order: order, replacing: present, &retired)
        if let form { unsafe entry._withUnsafeGuaranteedRef { publish(form, in: $0) } }
        if let present { retire(present, isReplaced: true, &retired) }
        return unsafe entry
    }

    /// Adds an entry of a registration, which the index retains. The lock is held.
    @discardableResult
    func addEntry(
        _ identity: Locator.Identity,
        _ record: RegistrationRecord,
        order: Int,
        replacing present: Entry? = nil,
        _ retired: inout RetireList
    ) -> Unmanaged<Entry> {
        let entry = unsafe Entry.makeRetained(identity: identity, record: record, core: self, order: order)
        if let userKey = identity.userKey { removeKeyAliases(under: userKey, &retired) }
        record.entries += 1
        unsafe put(retained: entry, replacing: present, &retired)
        return unsafe entry
    }

    /// Inserts an entry, which the index retains, or replaces another one by it. The lock is held.
    func put(_ entry: Entry, replacing old: Entry? = nil, _ retired: inout RetireList) {
        unsafe put(retained: .passRetained(entry), replacing: old, &retired)
    }

    /// The same for an entry that the index takes over with its reference.
    private func put(retained entry: Unmanaged<Entry>, replacing old: Entry? = nil, _ retired: inout RetireList) {
        unsafe retired.add(block: index.put(entry, replacing: old))
        unsafe injectle_store(&header.pointee.table, index.block)
    }

    /// Makes readers find no entry. The lock is held.
    func hideEntries() {
        unsafe injectle_store(&header.pointee.table, nil)
    }
}

/// The entries whose keys are equal to the key of an identity.
///
/// Comparing keys runs user code, so it needs the lock released, and happens once for each entry. Code that changes
/// entries first compares, and then checks under the lock that the snapshot is current.
struct ConflictSnapshot {
    let identity: Locator.Identity
    /// The entries whose keys have the same hash.
    private var candidates: [Entry] = []
    /// The candidates with an equal key: with any type and role if there is a key, else of this type.
    private(set) var taken: [Entry] = []

    init(of identity: Locator.Identity) {
        self.identity = identity
    }

    /// Compares the candidates that are not in the snapshot yet. No lock is held.
    mutating func update(to candidates: [Entry]) {
        // A renewed entry has the order of the former one.
        let (compared, equal) = (Set(self.candidates.map(\.order)), Set(taken.map(\.order)))
        let userKey = identity.userKey
        // With few keys, this is faster.
        let isEqual = candidates.count < 8 ? { $0 == userKey } : userKey?.comparison() ?? { _ in false }
        taken = candidates.filter { entry in
            if compared.contains(entry.order) { return equal.contains(entry.order) }
            guard let other = entry.identity.userKey else { return userKey == nil }
            return isEqual(other)
        }
        self.candidates = candidates
    }

    /// Whether no candidate has come or gone. The lock is held.
    func isCurrent(in index: EntryIndex) -> Bool { index.areCandidates(candidates, for: identity) }
}
