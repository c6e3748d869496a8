// How registrations are inserted into a core. Casts, comparisons of keys and checks are user code, and run without a
// lock.

extension LocatorCore {
    /// What an insertion or a removal has taken out of the locator.
    struct Removed {
        /// Objects to be released without a lock.
        var objects: [AnyObject] = []
        /// Registrations that have ended.
        var records: [AnyRecord] = []
        /// Their ending, if there are disposers.
        var ending: Ending?
        /// Whether a type was inserted that neither the parent nor an earlier child has had.
        var isNewInParent = false

        var isEmpty: Bool { objects.isEmpty && records.isEmpty }
    }

    /// The result of one attempt to insert a registration.
    private enum InsertionResult {
        case inserted
        /// The locator has ended, and ignores registrations.
        case ignored
        /// Another thread has changed the registrations meanwhile.
        case changed
        /// A registration that may not be replaced.
        case refused(Found)
    }

    /// Inserts a record under all its identities, or, if one is refused, under none.
    ///
    /// Keys, casts and a check are user code, and run before the lock is acquired. If another thread has changed the
    /// registrations meanwhile, as `keyedRevision` tells for keys, and `revision` for a check and for an override, keys
    /// are compared again, and `check` runs again for an identity whose registration has changed.
    ///
    /// - Throws: The error of `check`, or an `InjectleError`.
    func insert(_ record: AnyRecord, check: ((Locator.Listing) throws -> Void)? = nil) throws {
        if record.traits.serviceType == Void.self { throw InjectleError.nothing(record) }
        let value = try value(of: record)
        let canOverride = hasOverridable && !record.isOverridable
        let checking = check.map { InsertionCheck(of: record, in: self, $0) }
        defer { checking?.end() }
        while true {
            if canOverride { record.traits.removeListingsByOverride() }
            try checking?.run()
            let override = canOverride ? override(by: record) : nil
            let hasKeys = record.traits.hasKeys
            let keyedRevision = hasKeys ? state.withLock { $0.keyedRevision } : 0
            let keyed = hasKeys ? record.traits.listings.map { entry($0.identity) } : []
            var removed = Removed()
            let result = state.withLock { state in
                if hasEnded { return InsertionResult.ignored }
                if hasKeys, state.keyedRevision != keyedRevision { return .changed }
                if let checking, !checking.accepts(state.revision) { return .changed }
                if let override { return insert(override, by: record, at: keyed, value, &state, &removed) }
                return insert(record, at: keyed, value, &state, &removed)
            }
            switch result {
            case .inserted: return finish(&removed, registering: record)
            case .ignored: return warn(aboutIgnored: record)
            case .changed: continue
            case .refused(let taken):
                throw InjectleError.forbidden(taken.entry.identity, in: self, taken: taken, by: record)
            }
        }
    }

    /// The value of an eager registration, of the type of its first identity. It has to be of the other types, too.
    private func value(of record: AnyRecord) throws(InjectleError) -> AnyInstance? {
        guard let ready = record.readyInstance else { return nil }
        for listing in record.traits.otherListings where ready.cast(to: listing.identity.type) == nil {
            throw .wrongType(record, origin: listing.identity)
        }
        guard let value = ready.cast(to: record.traits.identity.type) else {
            throw .wrongType(record, origin: record.traits.identity)
        }
        return value
    }

    /// The registrations for which a check has to run: with the key, or the one that the record would replace.
    func registrations(concerning record: AnyRecord, at listing: Locator.Listing) -> [Found] {
        if let key = listing.identity.keyed { return registrations(under: key) }
        guard let entry = entry(listing.identity), let present = entry.replaced(by: record), !present.isEnded else {
            return []
        }
        return [Found(entry: entry, record: present)]
    }

    /// Inserts a record, unless one of its identities is registered here. Returns whether it did.
    func insertIfAbsent(_ record: AnyRecord) -> Bool {
        if closeHasBegun { return false }
        do {
            try insert(record) { listing in
                if self.hasRegistration(replacedBy: record, at: listing) { throw InjectleError.forbiddenReassignment }
            }
            return true
        } catch InjectleError.forbiddenReassignment {
            return false
        } catch {
            // An eager service can be of another type.
            fatalError("\(error)")
        }
    }

    /// Whether a record would replace a registration of an identity.
    func hasRegistration(replacedBy record: AnyRecord, at listing: Locator.Listing) -> Bool {
        guard !listing.isContribution, let entry = entry(listing.identity) else { return false }
        if entry.replaced(by: record)?.isEnded == false { return true }
        // An overridable one is replaced whichever arguments it declares.
        if !hasOverridable { return false }
        let present = entry.registrations()
        return state.withLock { _ in present.contains { $0.record.isOverridable && !$0.isContribution } }
    }

    // MARK: The lock is held

    /// Inserts an override, and ends what it replaces.
    @inline(never)
    private func insert(
        _ override: Override,
        by record: AnyRecord,
        at keyed: [Entry?],
        _ value: AnyInstance?,
        _ state: inout State,
        _ removed: inout Removed
    ) -> InsertionResult {
        if override.revision != state.revision { return .changed }
        let result = insert(record, at: keyed, value, &state, &removed)
        if case .inserted = result { endRegistrations(replacedBy: override, &state, &removed) }
        return result
    }

    /// Inserts a record, unless it would replace a final one.
    ///
    /// - Parameters:
    ///   - keyed: The present entries of identities with keys.
    ///   - value: The instance that each request gets.
    private func insert(
        _ record: AnyRecord,
        at keyed: [Entry?],
        _ value: AnyInstance?,
        _ state: inout State,
        _ removed: inout Removed
    ) -> InsertionResult {
        for index in 0..<record.listingCount {
            let listing = record.listing(at: index)
            let entry = present(listing, keyed.isEmpty ? nil : keyed[index])
            if let final = final(replacedBy: record, at: listing, entry) { return .refused(final) }
        }
        state.insertionCount += 1
        countChange(&state)
        record.order = state.insertionCount
        if record.traits.hasDisposers, let cell = record.makeCellOfValue() { record.cells.add(cell) }
        for index in 0..<record.listingCount {
            let entry = keyed.isEmpty ? nil : keyed[index]
            put(record, at: record.listing(at: index), entry, index == 0 ? value : nil, &state, &removed)
        }
        return .inserted
    }

    /// The present entry of an identity. One with a key was looked up without the lock.
    private func present(_ listing: Locator.Listing, _ keyed: Entry?) -> Entry? {
        listing.identity.keyed == nil ? table.value(of: listing.identity.type) : keyed
    }

    /// Counts a change of entries, also for a check that runs on this thread or task.
    func countChange(_ state: inout State) {
        state.revision += 1
        if state.checks > 0 { InsertionCheck.current?.countChange(in: self) }
    }

    /// The registration that may not be replaced, if there is one at the place of a record.
    private func final(replacedBy record: AnyRecord, at listing: Locator.Listing, _ entry: Entry?) -> Found? {
        guard !listing.isContribution, let entry, let present = entry.replaced(by: record), present.traits.isFinal,
            !present.isEnded
        else { return nil }
        return Found(entry: entry, record: present)
    }

    /// Puts a record at the entry of an identity, which is created if there is none.
    func put(
        _ record: AnyRecord,
        at listing: Locator.Listing,
        _ keyed: Entry?,
        _ value: AnyInstance?,
        _ state: inout State,
        _ removed: inout Removed
    ) {
        let identity = listing.identity
        let entry = keyed ?? presentEntry(of: identity, in: state) ?? addEntry(of: identity, &state, &removed)
        record.add(entry)
        let replaced = entry.state.withLock { entryState in
            if listing.isContribution {
                entryState.contributions.append(record)
                return Entry.Replaced()
            }
            return entryState.insert(record, value)
        }
        if let instance = replaced.instance { removed.objects.append(instance) }
        for old in replaced.records {
            removed.objects.append(old)
            // It ends with its last entry.
            old.remove(entry)
            if old.entries.isEmpty { endRegistration(old, isReplaced: true, &state, &removed) }
        }
    }

    private func presentEntry(of identity: Locator.Identity, in state: State) -> Entry? {
        guard let key = identity.keyed else { return table.value(of: identity.type) }
        // The entry of an identity that the same registration has, too.
        return state.entriesByKeyHash[key.hash]?.first {
            $0.identity.keyed === key && $0.identity.type == identity.type
        }
    }

    private func addEntry(of identity: Locator.Identity, _ state: inout State, _ removed: inout Removed) -> Entry {
        let entry = Entry(self, identity)
        if let key = identity.keyed {
            state.entriesByKeyHash[key.hash, default: []].append(entry)
            state.keyedRevision += 1
        } else {
            table.insert(entry, for: identity.type)
            if table.isNewInParent(identity.type) { removed.isNewInParent = true }
        }
        return entry
    }

    /// Marks a registration as ended, and the registration that it decorates.
    func endRegistration(
        _ record: AnyRecord,
        isReplaced: Bool = false,
        _ state: inout State,
        _ removed: inout Removed
    ) {
        guard record.markEnded() else { return }
        record.isReplaced = isReplaced
        removed.records.append(record)
        if record.traits.hasDisposers, removed.ending == nil {
            removed.ending = Ending.add(to: self, &state)
        }
        endWrapped(of: record, isReplaced: isReplaced, &state, &removed)
    }

    // MARK: After the lock

    /// Ends the removed registrations, after their events.
    func finish(_ removed: inout Removed, registering record: AnyRecord? = nil) {
        sendRemovals(of: removed.records)
        if observes(.didRegister), let record { send(.didRegister, of: record, as: record.traits.identity) }
        if removed.isNewInParent, let record { noteInAncestors(record) }
        if let record, record.traits.isAsync { warn(about: record, replacing: removed.records) }
        if removed.isEmpty { return }
        // Before the ending, which releases the instances on their actor.
        removed.objects = []
        endInstances(of: removed.records, removed.ending)
    }
}

extension AnyRecord {
    fileprivate var listingCount: Int { 1 + traits.otherListings.count }

    fileprivate func listing(at index: Int) -> Locator.Listing {
        index == 0 ? traits.listing : traits.otherListings[index - 1]
    }
}

extension RegistrationTraits {
    fileprivate var hasKeys: Bool {
        listing.identity.keyed != nil || otherListings.contains { $0.identity.keyed != nil }
    }
}
