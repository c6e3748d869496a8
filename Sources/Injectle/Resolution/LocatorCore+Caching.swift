// The instances that a core caches, and the entries that show them to readers.

extension LocatorCore: InstanceCache {
    func withCell(
        of record: RegistrationRecord,
        for caller: LocatorCore,
        given key: Arguments.Key?,
        _ body: (OnceCell) -> Void
    ) -> Bool {
        lock.withLock {
            guard record.entries > 0 else { return false }
            let id = ObjectIdentifier(record)
            if let cell = cells[id] {
                body(cell)
            } else {
                let cell = OnceCell(for: record, given: record.given)
                cells[id] = cell
                body(cell)
            }
            return true
        }
    }

    /// The closure of a singleton, until that is released.
    func singletonFactory(of record: RegistrationRecord) -> Factory? {
        unsafe lock.withLock { record.singletonFactory }
    }

    /// The async closure of a singleton, until that is released.
    func asyncFactory(of record: RegistrationRecord) -> AsyncFactory? {
        lock.withLock { record.asyncFactory }
    }

    /// The instance of a record, or the prototype of a factory, if it exists.
    func instance(of record: RegistrationRecord) -> Instance? {
        let (cached, cache) = lock.withLock {
            (record.given ?? cells[ObjectIdentifier(record)]?.state.product, scopedCache)
        }
        // The locator can have a weak reference, and its scoped cache the instance.
        return cached?.revived(as: record.serviceType)
            ?? cache?.instance(of: record)?.revived(as: record.serviceType)
    }

    /// Whether this locator caches an instance of a record, or several that arguments distinguish.
    func hasInstance(of record: RegistrationRecord) -> Bool {
        if instance(of: record) != nil { return true }
        return existingScopedCache?.instances(of: record).contains { $0.revived(as: record.serviceType) != nil }
            ?? false
    }

    /// The scoped cache of this locator, if it has one.
    var existingScopedCache: ScopedCache? { lock.withLock { scopedCache } }

    /// The scoped cache of this locator, which is created on first use.
    func makeScopedCache() -> ScopedCache {
        lock.withLock {
            if let scopedCache { return scopedCache }
            let cache = ScopedCache(of: self, isTerminated: isTerminated)
            scopedCache = cache
            return cache
        }
    }

    /// Ends the scoped cache of a locator that no one else refers to: see the invariant of `ScopedCache`. Returns its contents.
    func endScopedCache() -> ScopedCache.Ended? {
        defer { scopedCache = nil }
        return scopedCache?.end()
    }

    func succeed(_ cell: OnceCell, with instance: Instance) -> OnceCell.Ended {
        let record = cell.record
        // A cast can call user code, so it comes before the lock.
        let forms = record.isShared ? record.identities.map { instance.cast(to: $0.type) } : []
        return lock.withRetireList { retired in
            let ended = cell.state.succeed(with: instance)
            guard ended.isKept else { return ended }
            for (identity, form) in zip(record.identities, forms) {
                guard let form else { continue }
                for entry in index.entries(tagged: identity.tag) where entry.record === record {
                    publish(form, in: entry)
                }
            }
            return ended
        }
    }

    func forEachCell(_ body: (OnceCell) -> Void) {
        lock.withLock { cells.values.forEach(body) }
    }

    func fail(_ cell: OnceCell) -> OnceCell.Ended {
        lock.withLock { cell.state.fail() }
    }

    func leave(_ cell: OnceCell, _ waiter: OnceCell.Waiter) -> Bool {
        lock.withLock { cell.state.leave(waiter) }
    }

    func drop(_ record: RegistrationRecord, given key: Arguments.Key?, _ retired: inout RetireList) {
        lock.withLock {
            if let cell = cells[ObjectIdentifier(record)] { discard(cell, &retired) }
        }
    }

    /// Drops the instance of a cell. The lock is held.
    func discard(_ cell: OnceCell, _ retired: inout RetireList) {
        retired.add(cached: cell.state.discard())
        // An entry never shows another instance, so readers get new entries.
        for identity in cell.record.identities {
            for entry in index.entries(tagged: identity.tag) where entry.record === cell.record {
                renew(entry, &retired)
            }
            if let userKey = identity.userKey { removeKeyAliases(under: userKey, &retired) }
        }
    }

    // MARK: Publishing

    /// Shows an instance to readers, if they may read it without further checks. The lock is held.
    func publish(_ form: Instance, in entry: Entry) {
        let isFound = unsafe entry.withUnsafeMutablePointerToHeader { header in
            // An identity that is decorated is read by its decorator alone.
            unsafe form.type == header.pointee.identity.type && header.pointee.identity.keyPart?.decorated == nil
        }
        guard isFound else { return }
        let isReadable = entry.withRecord { record in
            record.isShared || entry.role == .perLocatorInstance
        }
        if isReadable { entry.publish(form) }
    }

    /// Shows an instance as another type to readers.
    ///
    /// - Parameter instance: The instance of the cell, unless that has been dropped since.
    func publish(_ form: Instance, of instance: Instance, in entry: Entry) {
        lock.withLock {
            let cell = cells[ObjectIdentifier(entry.record)]
            guard !entry.isDetached, cell?.state.product === instance else { return }
            publish(form, in: entry)
        }
    }

    /// Shows readers the instance that this locator has of a registration with a lifetime per locator.
    func publishPerLocatorInstance(_ form: Instance, of record: RegistrationRecord, _ retired: inout RetireList) {
        let identity = Locator.Identity(type: form.type, keyPart: nil)
        lock.withLock {
            if isTerminated { return }
            let present = perLocatorEntry(of: record, as: form.type)
            let entry =
                present ?? .make(identity: identity, record: record, core: self, order: 0, role: .perLocatorInstance)
            if present == nil { put(entry, &retired) }
            publish(form, in: entry)
        }
    }

    /// Hides that instance from readers.
    func withdrawPerLocatorInstance(of record: RegistrationRecord, _ retired: inout RetireList) {
        lock.withLock {
            for identity in record.identities {
                guard let entry = perLocatorEntry(of: record, as: identity.type) else { continue }
                index.remove(entry)
                retire(entry, &retired)
            }
        }
    }

    private func perLocatorEntry(of record: RegistrationRecord, as type: Any.Type) -> Entry? {
        let tag = unsafe EntryHeader.tagOfOwn(.passUnretained(record), as: type)
        return index.entries(tagged: tag).first { $0.role == .perLocatorInstance && $0.leads(to: record) }
    }
}
