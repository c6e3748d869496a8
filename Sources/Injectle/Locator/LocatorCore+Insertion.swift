// How registrations are inserted into a core. Casts, comparisons of keys and checks are user code, and run without a lock.

extension LocatorCore {
    /// The place of an identity, for the insertion of a record.
    fileprivate struct Place {
        let identity: Locator.Identity
        /// A given instance as a value of the identity's type.
        let form: AnyInstance?
        /// The entry of the type and key.
        var base: Entry
        /// The entry that gets the record: the base, or a variant of it.
        var entry: Entry
        /// The registration of the entry when the place was found.
        var present: AnyRecord?
        /// The order of the registrations that the check was called for.
        var checked: [Int]?
    }

    /// Inserts a record under all its identities, or, if one is refused, under none.
    ///
    /// The insertion is a compare-and-swap of the locator's revision: if another thread has changed the registrations since the
    /// places were found, all is found again, and `check` runs again for an identity whose registration has changed.
    ///
    /// - Throws: The error of `check`, or an `InjectleError`.
    func insert(_ record: AnyRecord, check: ((Locator.Identity) throws -> Void)?) throws {
        if record.traits.serviceType == Void.self { throw InjectleError.nothing(record) }
        var revision = revision
        var places = [try place(record.traits.identity, of: record)]
        for identity in record.traits.otherIdentities {
            // An identity that is listed twice counts where it is listed last.
            places.removeAll { $0.isTaken(by: identity) }
            places.append(try place(identity, of: record))
        }
        while true {
            for index in places.indices {
                find(&places[index])
                if places[index].identity.isContribution { continue }
                if let check { try run(check, for: &places[index]) }
                if let present = places[index].present, present.traits.isFinal, !present.isEnded {
                    throw InjectleError.forbidden(
                        places[index].identity,
                        in: self,
                        taken: (places[index].entry, present)
                    )
                }
            }
            if insert(record, at: places, ifUnchangedSince: revision) { return }
            revision = self.revision
            for index in places.indices where isDetached(places[index].base) {
                places[index].base = baseEntry(of: places[index].identity)
            }
        }
    }

    private var revision: Int { state.withLock { $0.revision } }

    private func place(_ identity: Locator.Identity, of record: AnyRecord) throws(InjectleError) -> Place {
        let (given, base) = (record.given, baseEntry(of: identity))
        let form = given?.cast(to: identity.type)
        if form == nil, given != nil { throw .wrongType(record, origin: identity) }
        return Place(identity: identity, form: form, base: base, entry: base)
    }

    /// Runs the check of an identity, unless it has run for the present registrations.
    private func run(_ check: (Locator.Identity) throws -> Void, for place: inout Place) throws {
        let identity = place.identity
        let concerned = identity.keyed.map { self.registrations(under: $0) } ?? registrations(exactly: identity)
        let orders = concerned.map(\.order)
        if place.checked == orders { return }
        place.checked = orders
        try check(identity)
    }

    /// Inserts a record, unless one of its identities is registered here. Returns whether it did.
    func insertIfAbsent(_ record: AnyRecord) -> Bool {
        if isClosing { return false }
        do {
            try insert(record) { identity in
                if !self.registrations(exactly: identity).isEmpty { throw InjectleError.forbiddenReassignment }
            }
            return true
        } catch InjectleError.forbiddenReassignment {
            return false
        } catch {
            // An eager service can be of another type.
            fatalError("\(error)")
        }
    }

    /// Registers the default of a key in the root, if the key has one, for the key and its own type. Returns whether the
    /// look-up has to be repeated.
    func registerDefault(for identity: Locator.Identity) -> Bool {
        guard let key = identity.keyed?.value.value.base as? any AnyServiceKey, let record = key.makeDefault(),
            terminated == nil
        else { return false }
        let own = Locator.Identity(unwrapped(key.serviceType), identity.keyed)
        guard registrationsDeclaringArguments(as: own).isEmpty else { return false }
        let root = root
        record.traits.list(own)
        record.prepare(for: root)
        // If not, another thread has registered it, or a registration has another identity of the default.
        return root.insertIfAbsent(record) || own == identity && root.entry(own.type, own.keyed)?.isEmpty == false
    }

    // MARK: Places

    /// The entry of the type and key of an identity, which is created if there is none.
    func baseEntry(of identity: Locator.Identity) -> Entry {
        guard let key = identity.keyed else {
            if let entry = table.find(identity.type) { return entry }
            return state.withLock { _ in
                if let entry = table.find(identity.type) { return entry }
                let entry = Entry(self, Locator.Identity(identity.type, nil))
                table.insert(entry, for: identity.type)
                return entry
            }
        }
        // Comparing keys is user code, so others can have come when the lock is acquired. Each is compared once.
        var compared: Set<ObjectIdentifier> = []
        var match: Entry?
        while true {
            let candidates = candidates(for: key)
            for entry in candidates where compared.insert(ObjectIdentifier(entry)).inserted {
                if entry.identity.keyed == key, entry.identity.type == identity.type { match = entry }
            }
            let entry: Entry? = state.withLock { state in
                let present = state.keyed[key.hash] ?? []
                if let match, present.contains(where: { $0 === match }) { return match }
                guard present.elementsEqual(candidates, by: ===) else { return nil }
                let entry = Entry(self, Locator.Identity(identity.type, key))
                state.keyed[key.hash, default: []].append(entry)
                return entry
            }
            if let entry { return entry }
        }
    }

    /// Finds the entry of a place, and its registration.
    private func find(_ place: inout Place) {
        place.entry = place.base
        if place.identity.role != nil {
            place.entry =
                place.base.variants.first { !place.identity.isContribution && $0.identity.isAlike(place.identity) }
                ?? Entry(self, Locator.Identity(place.identity.type, place.base.identity.keyed, place.identity.role))
        }
        place.present = place.entry.record
    }

    /// Whether the entry of a key has left the locator, since it was empty.
    private func isDetached(_ entry: Entry) -> Bool {
        guard let key = entry.identity.keyed else { return false }
        return state.withLock { state in state.keyed[key.hash]?.contains { $0 === entry } != true }
    }

    // MARK: Inserting

    /// What an insertion or a removal has taken out of the locator: objects to be released without a lock, and registrations
    /// that have ended.
    typealias Removed = (objects: [AnyObject], records: [AnyRecord])

    /// Ends the removed registrations, after their events.
    func finish(_ removed: Removed, registering records: [AnyRecord] = []) {
        for record in removed.records { send(.didUnregister, of: record, as: record.traits.identity) }
        for record in records { send(.didRegister, of: record, as: record.traits.identity) }
        end(removed.records)
    }

    /// Inserts a record at all places. Returns false if the registrations have changed since these were found.
    private func insert(_ record: AnyRecord, at places: [Place], ifUnchangedSince revision: Int) -> Bool {
        var removed: Removed = ([], [])
        var isOpen = false
        let isInserted = state.withLock { state in
            if isTerminated { return true }
            isOpen = true
            guard state.revision == revision else { return false }
            for index in places.indices {
                insert(record, at: places[index].entry, in: places[index].base, places[index].form, &state, &removed)
            }
            for place in places where state.layer > 0 { removeEarlierLayer(at: place, &state, &removed) }
            return true
        }
        if isInserted { finish(removed, registering: isOpen ? [record] : []) }
        return isInserted
    }

    /// Inserts a record at an entry, and ends the former record if that was its last entry. The lock is held.
    func insert(
        _ record: AnyRecord,
        at entry: Entry,
        in base: Entry?,
        _ form: AnyInstance?,
        _ state: inout State,
        _ removed: inout Removed
    ) {
        state.registered += 1
        state.revision += 1
        if record.order == 0 { add(record, order: state.registered, &removed.objects) }
        let replaced = entry.replace(with: record, order: state.registered)
        if let base, base !== entry, !base.variants.contains(where: { $0 === entry }) { base.variants.append(entry) }
        record.entries.append(entry)
        record.liveEntries += 1
        if let form, entry.identity.decorated == nil, let given = record.given {
            entry.show(form, of: given, in: nil, of: record)
        }
        LocatorCore.add(replaced, to: &removed.objects)
        if let old = replaced.record { leave(old, isReplaced: true, state, &removed.records) }
    }

    /// Adds what an entry had, which is released without a lock.
    static func add(_ replaced: (record: AnyRecord?, form: AnyInstance?), to objects: inout [AnyObject]) {
        if let record = replaced.record { objects.append(record) }
        if let form = replaced.form { objects.append(form) }
    }

    /// Adds the instance of an eager record to the store.
    private func add(_ record: AnyRecord, order: Int, _ former: inout [AnyObject]) {
        record.order = order
        guard let given = record.given else { return }
        let cell = Cell(for: record, (nil, false), given)
        if record.traits.hasDisposers {
            if given.disposal == nil { given.disposal = Disposal(record, self) }
            if let ended = given.disposal?.retain(by: cell, givenBy: record) { former.append(ended) }
        }
        store.add(cell)
    }

    /// Counts an entry that no longer leads to a record, which ends with the last one. The lock is held.
    func leave(_ record: AnyRecord, isReplaced: Bool, _ state: State, _ ended: inout [AnyRecord]) {
        record.liveEntries -= 1
        // An ending that has begun reads this without the lock.
        guard record.liveEntries == 0, !record.isEnded else { return }
        record.isReplaced = isReplaced
        guard record.markEnded() else { return }
        ended.append(record)
        // The service that a decorator wraps ends with it.
        guard let decorated = record.decorated else { return }
        for entry in state.decorated where entry.identity.decorated === decorated {
            if let wrapped = entry.record { leave(wrapped, isReplaced: isReplaced, state, &ended) }
        }
    }

    /// Removes the registrations of an earlier layer that declare arguments and have the identity of an inserted one. The lock
    /// is held.
    private func removeEarlierLayer(at place: Place, _ state: inout State, _ removed: inout Removed) {
        if place.identity.isContribution { return }
        for variant in place.base.variants where variant !== place.entry && !variant.identity.isContribution {
            guard variant.order <= state.layer, let record = variant.record, !record.traits.isFinal else { continue }
            place.base.variants.removeAll { $0 === variant }
            removed.objects.append(variant)
            LocatorCore.add(variant.replace(with: nil, order: 0), to: &removed.objects)
            leave(record, isReplaced: true, state, &removed.records)
        }
    }
}

extension LocatorCore.Place {
    /// Whether a second identity of a record is at the same place.
    fileprivate func isTaken(by identity: Locator.Identity) -> Bool {
        !identity.isContribution && self.identity.isExactly(identity)
    }
}
