// How registrations leave a locator. The instances of a registration end before its entries are emptied, so that a disposer or
// a `deinit` finds what still exists.

extension LocatorCore {
    /// Removes registrations from some of their identities. Those that have no other one end.
    func remove(_ entries: [Entry]) { remove { entries } }

    /// Removes a registration from all its identities, and no other one that has replaced it there.
    func remove(_ record: AnyRecord) { remove { record.entries.filter { $0.record === record } } }

    /// - Parameter entries: Returns the entries, under the lock.
    private func remove(_ entries: () -> [Entry]) {
        var removed: Removed = ([], [])
        state.withLock { state in
            for (record, entries) in grouped(entries()) {
                if record.liveEntries == entries.count {
                    for _ in entries { leave(record, isReplaced: false, state, &removed.records) }
                } else {
                    for entry in entries {
                        empty(entry, &state, &removed.objects)
                        record.entries.removeAll { $0 === entry }
                        leave(record, isReplaced: false, state, &removed.records)
                    }
                }
            }
        }
        finish(removed)
    }

    /// Hides the instance of a record from reads. Returns its forms, to be released without a lock.
    func hide(_ record: AnyRecord) -> [AnyInstance] {
        state.withLock { _ in record.entries }.compactMap { $0.hide(record) }
    }

    /// Entries by their present registrations.
    private func grouped(_ entries: [Entry]) -> [(record: AnyRecord, entries: [Entry])] {
        entries.reduce(into: []) { groups, entry in
            guard let record = entry.record, !record.isEnded else { return }
            if let index = groups.firstIndex(where: { $0.record === record }) {
                groups[index].entries.append(entry)
            } else {
                groups.append((record, [entry]))
            }
        }
    }

    /// Ends the instances of registrations that are marked as ended, and empties their entries.
    func end(_ records: [AnyRecord]) {
        if records.isEmpty { return }
        Ending.run { records.flatMap { store.end($0) + membersElsewhere(of: $0) } }
        empty(records)
    }

    /// Removes all registrations, and releases all instances of the locator. Returns the number of insertions before.
    @discardableResult
    func reset() -> Int {
        forgetModules()
        let (records, registered) = markAllEnded()
        for record in records { send(.didUnregister, of: record, as: record.traits.identity) }
        Ending.run {
            // A registration that another thread has added meanwhile keeps its instances.
            let members = store.end { $0.isEnded || $0.core !== self }
            return members + records.flatMap { membersElsewhere(of: $0) }
        }
        empty(records)
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
        Ending.run { store.end(forGood: true) }
        removeBehaviors()
        notifyOfEnd()
    }

    /// The cells of a registration in other stores, which have an instance and end.
    ///
    /// If it was replaced, the code of a descendant, such as a request, may still use an instance that has disposers. So the
    /// descendant's store keeps the instance until the descendant ends, and no request finds it.
    func membersElsewhere(of record: AnyRecord) -> [Ending.Member] {
        var members = record.scopes?.current.values.flatMap { $0.end(record) } ?? []
        guard record.traits.lifetime.usesOtherLocators else { return members }
        members += parent?.chain.flatMap { $0.store.end(record) } ?? []
        if record.isReplaced, record.traits.hasDisposers { return members }
        return members + descendants.flatMap { $0.store.end(record) }
    }

    // MARK: The lock is held, or acquired for a moment

    /// Marks all registrations as ended. Returns those that no other ending removes, and the number of insertions.
    private func markAllEnded() -> (records: [AnyRecord], registered: Int) {
        state.withLock { state in
            var records: [AnyRecord] = []
            for entry in allEntries(in: state) {
                if let record = entry.record, record.markEnded() { records.append(record) }
                for variant in entry.variants {
                    if let record = variant.record, record.markEnded() { records.append(record) }
                }
            }
            return (records, state.registered)
        }
    }

    /// Empties the entries that lead to ended registrations.
    private func empty(_ records: [AnyRecord]) {
        var former: [AnyObject] = []
        former.reserveCapacity(2 * records.count)
        // First those with arguments: a lookup that finds these alone would report wrong arguments.
        var records = records
        _ = records.partition { $0.traits.declared == nil }
        state.withLock { state in
            for record in records {
                for entry in record.entries {
                    if entry.record === record { empty(entry, &state, &former) } else { former.append(entry) }
                }
                record.entries = []
            }
        }
        withExtendedLifetime(former) {}
    }

    /// Empties an entry, and removes it from the lists of the locator, unless it is the one of a type.
    private func empty(_ entry: Entry, _ state: inout State, _ former: inout [AnyObject]) {
        state.revision += 1
        former.append(entry)
        LocatorCore.add(entry.replace(with: nil, order: 0), to: &former)
        switch entry.identity.role {
        case .decorated?: state.decorated.removeAll { $0 === entry }
        case .declaring?, .contributing?:
            guard let base = base(of: entry, in: state) else { return }
            base.variants.removeAll { $0 === entry }
            former.append(base)
            detachIfEmpty(base, &state)
        case nil: detachIfEmpty(entry, &state)
        }
    }

    /// The entry whose variant this is.
    private func base(of entry: Entry, in state: State) -> Entry? {
        guard let key = entry.identity.keyed else { return table.find(entry.identity.type) }
        return state.keyed[key.hash]?.first { base in base.variants.contains { $0 === entry } }
    }

    private func detachIfEmpty(_ entry: Entry, _ state: inout State) {
        guard let key = entry.identity.keyed, entry.isEmpty, entry.variants.isEmpty else { return }
        state.keyed[key.hash]?.removeAll { $0 === entry }
        if state.keyed[key.hash]?.isEmpty == true { state.keyed[key.hash] = nil }
    }
}
