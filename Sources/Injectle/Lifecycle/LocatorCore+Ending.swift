// How registrations leave a locator. The instances of a registration end before its entries are emptied, so that a disposer or
// a `deinit` finds what still exists.

extension LocatorCore {
    /// Removes registrations from some of their identities. Those that have no other one end.
    func remove(_ found: [Found]) {
        var removed = Removed()
        state.withLock { state in
            for record in found.map(\.record) where !record.isEnded {
                let entries = found.filter { $0.record === record }.map(\.entry)
                if entries.count >= record.entries.count {
                    if record.markEnded() { removed.records.append(record) }
                    countChange(&state)
                    continue
                }
                for entry in entries {
                    empty(entry, of: record, &state, &removed.objects)
                    record.remove(entry)
                }
            }
        }
        finish(removed)
    }

    /// Removes a registration from all its identities, and no other one that has replaced it there.
    func remove(_ record: AnyRecord) {
        let entries = state.withLock { _ in record.entries.all }
        remove(entries.map { Found(entry: $0, record: record) })
    }

    /// Hides the instance of a record from reads.
    ///
    /// - Parameter released: Gets the objects to be released without a lock.
    func hide(_ record: AnyRecord, _ released: inout [AnyObject]) {
        for entry in state.withLock({ _ in record.entries.all }) {
            if let instance = entry.hide(record) { released.append(instance) }
        }
    }

    /// Ends the instances of registrations that are marked as ended, and empties their entries.
    func end(_ records: [AnyRecord]) {
        if records.isEmpty { return }
        Ending.run { records.flatMap { membersHere(of: $0) + membersElsewhere(of: $0) } }
    }

    /// Removes all registrations, and releases all instances of the locator. Returns the number of insertions before.
    @discardableResult
    func reset() -> Int {
        forgetModules()
        let (records, registered) = markAllEnded()
        for record in records { send(.didUnregister, of: record, as: record.traits.identity) }
        Ending.run { records.flatMap { membersHere(of: $0) + membersElsewhere(of: $0) } + inheritedMembers }
        return registered
    }

    /// Ends the locator permanently: its registrations, instances and behaviors. Later registrations are ignored.
    func end() {
        state.withLock { _ in setEnding() }
        // A disposer and a `deinit` can register services.
        while true {
            let registered = reset()
            let isEnded = state.withLock { state in
                if state.registered == registered { setTerminated() }
                return isTerminated
            }
            if isEnded { break }
        }
        Ending.run { inheritedMembers }
        removeBehaviors()
    }

    // MARK: Members of an ending

    /// A registration that has ended, and its instances in this locator. Its entries are emptied after the last of these.
    func membersHere(of record: AnyRecord) -> [Ending.Member] {
        var members = endCells(of: record)
        if members.count == 1, record.traits.lifetime.isShared {
            members[0].emptiesEntries = true
        } else {
            let order = members.isEmpty ? record.given?.order ?? 0 : 0
            members.append(Ending.Member(record: record, order: order, emptiesEntries: true))
        }
        return members
    }

    /// The instances of inherited registrations, in this locator.
    private var inheritedMembers: [Ending.Member] {
        let cells = state.withLock { $0.inheritedCells.isEmpty ? [] : $0.inheritedCells.values.flatMap(\.all) }
        return cells.compactMap(endCell)
    }

    /// The cells of a registration in other holders, which have an instance and end.
    ///
    /// If it was replaced, the code of a descendant, such as a request, may still use an instance that has disposers. So the
    /// descendant keeps the instance until it ends, and no request finds it.
    func membersElsewhere(of record: AnyRecord) -> [Ending.Member] {
        var members = record.scopes?.current.values.flatMap { $0.endCells(of: record) } ?? []
        guard record.traits.lifetime.usesOtherLocators else { return members }
        members += parent?.chain.flatMap { $0.endCells(of: record) } ?? []
        if record.isReplaced, record.traits.hasDisposers { return members }
        return members + descendants.flatMap { $0.endCells(of: record) }
    }

    /// Marks all registrations as ended. Returns those that no other ending removes, and the number of insertions.
    private func markAllEnded() -> (records: [AnyRecord], registered: Int) {
        state.withLock { state in (records(in: state).filter { $0.markEnded() }, state.registered) }
    }

    // MARK: Emptying entries

    /// Empties the entries that lead to a registration that has ended.
    func empty(_ record: AnyRecord, _ released: inout [AnyObject]) {
        state.withLock { state in
            for entry in record.removeEntries().all { empty(entry, of: record, &state, &released) }
        }
    }

    /// Removes a registration from an entry, and an empty entry with a key from the locator. The lock is held.
    private func empty(_ entry: Entry, of record: AnyRecord, _ state: inout State, _ released: inout [AnyObject]) {
        countChange(&state)
        released.append(entry)
        let isEmpty = entry.state.withLock { state in
            if state.record === record {
                state.record = nil
                state.reference = nil
                if let instance = state.instance.take() { released.append(instance) }
            }
            state.declaring.removeAll { $0 === record }
            state.contributions.removeAll { $0 === record }
            return state.isEmpty && state.contributions.isEmpty
        }
        guard isEmpty, let key = entry.identity.keyed else { return }
        state.keyedRevision += 1
        state.keyed[key.hash]?.removeAll { $0 === entry }
        if state.keyed[key.hash]?.isEmpty == true { state.keyed[key.hash] = nil }
    }
}
