// How registrations leave a locator. The instances of a registration end before its entries are emptied, so that a
// disposer or a `deinit` finds what still exists.

extension LocatorCore {
    /// Removes registrations from some of their identities. Those that have no other one end.
    func remove(_ found: [Found]) {
        var removed = Removed()
        state.withLock { state in
            for record in found.map(\.record) where !record.isEnded {
                let entries = found.filter { $0.record === record }.map(\.entry)
                // An entry that has the registration as a service and as a contribution is found twice.
                if record.entries.all.allSatisfy({ entry in entries.contains { $0 === entry } }) {
                    endRegistration(record, &state, &removed)
                    countChange(&state)
                    continue
                }
                for entry in entries {
                    removed.objects.append(entry)
                    if let instance = empty(entry, of: record, &state) { removed.objects.append(instance) }
                    record.remove(entry)
                }
            }
        }
        finish(&removed)
    }

    /// Removes a registration from all its identities, and no other one that has replaced it there.
    func remove(_ record: AnyRecord) {
        let entries = state.withLock { _ in record.entries.all }
        remove(entries.map { Found(entry: $0, record: record) })
    }

    // MARK: Emptying entries

    /// Hides the instance of a record from reads.
    func hideInstance(of record: AnyRecord) -> [AnyInstance] {
        state.withLock { _ in record.entries.all }.compactMap { $0.hideInstance(of: record) }
    }

    /// Empties the entries that lead to a registration that has ended. Returns the objects to release without a lock.
    func empty(_ record: AnyRecord) -> Emptied {
        var emptied = Emptied()
        state.withLock { state in
            emptied.entries = record.removeEntries()
            emptied.cells = record.removeCells()
            emptied.entries.forEach { entry in
                if let instance = empty(entry, of: record, &state) { emptied.instances.append(instance) }
            }
        }
        return emptied
    }

    /// Empties the entries of a registration that has ended, if it has left this to the ending of its last instance.
    func emptyIfLeft(_ record: AnyRecord) -> Emptied? {
        let isLeft = state.withLock { _ in record.isLeftToEnding && record.cells.isEmpty }
        return isLeft ? empty(record) : nil
    }

    /// What an emptied registration has had.
    struct Emptied {
        var entries = Few<Entry>()
        var cells = CellSet()
        var instances = Few<AnyInstance>()
    }

    /// Removes a registration from an entry, and an empty entry with a key from the locator. Returns the instance of
    /// the entry. The lock is held.
    func empty(_ entry: Entry, of record: AnyRecord, _ state: inout State) -> AnyInstance? {
        countChange(&state)
        let (isEmpty, instance) = entry.state.withLock { entryState in
            var instance: AnyInstance?
            if entryState.record === record {
                entryState.record = nil
                entryState.reference = nil
                instance = entryState.instance.take()
            }
            if !entryState.withArguments.isEmpty { entryState.withArguments.removeAll { $0 === record } }
            if !entryState.contributions.isEmpty { entryState.contributions.removeAll { $0 === record } }
            return (entryState.isEmpty && entryState.contributions.isEmpty, instance)
        }
        if entry.isWrapped {
            state.extras?.wrapped.removeAll { $0 === entry }
        } else if isEmpty, let key = entry.identity.keyed {
            state.keyedRevision += 1
            state.entriesByKeyHash[key.hash]?.removeAll { $0 === entry }
            if state.entriesByKeyHash[key.hash]?.isEmpty == true { state.entriesByKeyHash[key.hash] = nil }
        }
        return instance
    }
}
