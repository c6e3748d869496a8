// What a core keeps of what it makes, and what of that readers see.

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

    func forEachCell(_ body: (OnceCell) -> Void) {
        lock.withLock { cells.values.forEach(body) }
    }

    /// The closure of a record that is kept here, as long as it has not been let go of.
    func make(of record: RegistrationRecord) -> Factory? {
        lock.withLock { record.singletonFactory }
    }

    /// The same of one that is made in a task.
    func asyncFactory(of record: RegistrationRecord) -> AsyncFactory? {
        lock.withLock { record.asyncFactory }
    }

    func succeed(_ cell: OnceCell, with instance: Instance) -> OnceCell.Ended {
        let record = cell.record
        // Casts may call the code that conforms a type; they are done before the lock is taken.
        let forms = record.isShared ? record.identities.map { instance.cast(to: $0.type) } : []
        var retired = RetireList()
        let ended = lock.withLock {
            let ended = cell.state.succeed(with: instance)
            guard ended.isKept else { return ended }
            for (identity, form) in zip(record.identities, forms) {
                guard let form else { continue }
                for entry in index.entries(tagged: identity.tag) where entry.record === record {
                    publish(form, in: entry)
                }
            }
            if !recordCreation(of: instance, in: cell), !record.isResettable { record.release(&retired) }
            return ended
        }
        retired.dispose()
        return ended
    }

    func fail(_ cell: OnceCell) -> OnceCell.Ended {
        lock.withLock { cell.state.fail() }
    }

    func leave(_ cell: OnceCell, _ waiter: OnceCell.Waiter) -> Bool {
        lock.withLock { cell.state.leave(waiter) }
    }

    func publish(_ form: Instance, in entry: Entry) {
        guard form.type == entry.identity.type, entry.record.isShared || entry.role == .own else { return }
        // In a strict locator, each read of what may not cross actors is looked at.
        if !entry.record.isSendable, policy == .strict, entry.record.isolation.isActor { return }
        entry.publish(form)
    }

    func drop(_ record: RegistrationRecord, given key: Arguments.Key?) {
        let retired = lock.withLock {
            var retired = RetireList()
            if let cell = cells[ObjectIdentifier(record)] { discard(cell, &retired) }
            return retired
        }
        retired.dispose()
    }

    /// Lets go of what was made in a cell. The lock is held.
    func discard(_ cell: OnceCell, _ retired: inout RetireList) {
        // Who is about to replace a entry looks at it again: it may be another now.
        revision += 1
        retired.add(cached: cell.state.discard())
        // What readers have seen is never replaced, so they get other entries to look into.
        for identity in cell.record.identities {
            for entry in index.entries(tagged: identity.tag) where entry.record === cell.record {
                renew(entry, &retired)
            }
            if let userKey = identity.userKey { removeKeyAliases(under: userKey, &retired) }
        }
    }

    /// What this locator keeps besides, for lifetimes that ask for it.
    var cache: ScopedCache {
        lock.withLock {
            if let scopedCache { return scopedCache }
            let cache = ScopedCache(of: self, isTerminated: isTerminated)
            scopedCache = cache
            return cache
        }
    }

    /// Keeps the form of a service that an identity asks for, for the next who read it.
    ///
    /// - Parameter made: The service as it was made, which may have been dropped since.
    func keep(_ form: Instance, of made: Instance, in entry: Entry) {
        lock.withLock {
            let cell = cells[ObjectIdentifier(entry.record)]
            guard !entry.isDetached, cell?.state.product === made else { return }
            publish(form, in: entry)
        }
    }

    /// Lets readers see what this locator has made for itself of a registration that each makes its own of.
    func publishOwn(_ form: Instance, of record: RegistrationRecord) -> RetireList {
        let identity = ServiceKey(type: form.type, keyPart: ServiceKey.KeyPart(.perLocator(ObjectIdentifier(record))))
        return lock.withLock {
            var retired = RetireList()
            if isTerminated { return retired }
            if let entry = ownEntry(of: record, tagged: identity.tag) {
                publish(form, in: entry)
                return retired
            }
            let entry = Entry.make(identity: identity, record: record, core: self, order: 0, role: .own)
            put(entry, replacing: nil, &retired)
            publish(form, in: entry)
            return retired
        }
    }

    /// Hides it again.
    func withdrawOwn(of record: RegistrationRecord) -> RetireList {
        let hash = Int(bitPattern: ObjectIdentifier(record))
        return lock.withLock {
            var retired = RetireList()
            for identity in record.identities {
                let tag = EntryTable.tag(of: identity.type, hash: hash)
                guard let entry = ownEntry(of: record, tagged: tag) else { continue }
                index.remove(entry)
                retire(entry, &retired)
            }
            return retired
        }
    }

    private func ownEntry(of record: RegistrationRecord, tagged tag: UInt) -> Entry? {
        index.entries(tagged: tag).first { $0.role == .own && $0.record === record }
    }
}
