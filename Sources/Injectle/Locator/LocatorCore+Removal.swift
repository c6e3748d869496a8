internal import CInjectle

// How registrations leave a core. An entry is retired when it leaves the tables; a record is released with its last entry.

extension LocatorCore {
    /// Removes entries, and the instances of records that lose their last entry.
    func remove(_ removed: [Entry]) {
        guard !removed.isEmpty else { return }
        lock.withRetireList { retired in
            for entry in removed.compactMap(current) { takeOut(entry, &retired) }
        }
    }

    /// Removes all entries. With `forGood`, later registrations are ignored.
    func empty(forGood: Bool = false) {
        var retired = RetireList()
        let cache = lock.withLock {
            if forGood { set(LocatorHeader.terminated, true) }
            hideEntries()
            retired.add(unreachable: appliedModules)
            appliedModules = []
            modulesRevision += 1
            let cache = scopedCache
            let (entries, blocks) = unsafe index.removeAll()
            for entry in entries { retire(entry, &retired) }
            unsafe blocks.forEach { unsafe retired.add(block: $0) }
            return cache
        }
        // With the same list, so that all instances are disposed of in reverse order of creation. A cache can have been
        // created since.
        let emptied = forGood ? existingScopedCache : cache
        if let emptied { retired.add(emptied.removeAll(forGood: forGood, withdrawing: !forGood)) }
        retired.dispose()
        if forGood { removeBehaviors() }
    }

    // MARK: The lock is held

    /// The entry that has replaced a renewed entry, or the entry itself. Nil if it has been removed.
    func current(_ entry: Entry) -> Entry? {
        guard entry.isDetached else { return entry }
        return index.entries(tagged: entry.tag).first { $0.order == entry.order && $0.role == entry.role }
    }

    /// Removes an entry from the index, and retires it.
    func takeOut(_ entry: Entry, _ retired: inout RetireList) {
        // With its decorator, it can have been taken out already.
        if entry.isDetached { return }
        index.remove(entry)
        if let userKey = entry.identity.userKey { removeKeyAliases(under: userKey, &retired) }
        retire(entry, &retired)
    }

    /// Detaches an entry that has left the index, and releases a record without entries.
    func retire(_ entry: Entry, isReplaced: Bool = false, _ retired: inout RetireList) {
        detach(entry, &retired)
        guard entry.role == .registered else { return }
        entry.record.entries -= 1
        entry.record.isReplaced = isReplaced
        if entry.record.entries == 0 { takeOutDecorated(by: entry.record, &retired) }
        release(entry.record, &retired)
    }

    /// Hides an entry from readers, and releases the index's reference.
    private func detach(_ entry: Entry, _ retired: inout RetireList) {
        retired.add(entry.detach())
        unsafe retired.add(Unmanaged.passUnretained(entry).takeRetainedValue())
    }

    /// Replaces an entry by an equal one, so that properties drop their reference to it.
    func renew(_ entry: Entry, _ retired: inout RetireList) {
        let renewed = Entry.make(
            identity: entry.identity,
            record: entry.record,
            core: self,
            order: entry.order,
            role: entry.role
        )
        put(renewed, replacing: entry, &retired)
        detach(entry, &retired)
    }

    /// Releases the closures and the instance of a record without entries.
    func release(_ record: RegistrationRecord, _ retired: inout RetireList) {
        guard record.entries == 0 else { return }
        reportUnregistration(record, &retired)
        let given = record.given
        // Each registration with disposers counts as a cache of its preconstructed instance.
        if record.hasDisposers { retired.add(cached: given) }
        record.release(&retired)
        retired.add(gone: record, from: self)
        guard let cell = cells.removeValue(forKey: ObjectIdentifier(record)) else { return }
        let product = cell.state.discard()
        if product !== given { retired.add(cached: product) }
        retired.add(cell)
    }

    func removeKeyAliases(under userKey: Locator.Identity.KeyPart, _ retired: inout RetireList) {
        for entry in index.entries(under: userKey, .keyAlias) {
            index.remove(entry)
            retire(entry, &retired)
        }
    }
}
