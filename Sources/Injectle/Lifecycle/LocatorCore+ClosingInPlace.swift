internal import CInjectle

// The close of a locator for which no code has to run, as of most requests.
//
// The tables and caches leave the core as they are, and are freed with it. Nobody can be reading then, so the close needs no
// process-wide barrier. Late reads find the instances in what remains.

extension LocatorCore {
    /// The tables and caches of a core that was closed in place.
    ///
    /// Invariant: each instance in it is one that late reads return.
    struct Remains {
        fileprivate(set) var index: EntryIndex
        fileprivate let cells: [ObjectIdentifier: OnceCell]
        let cache: ScopedCache?

        /// Adds all, which readers may still use, to a list.
        mutating func retire(_ retired: inout RetireList) {
            let (entries, blocks) = unsafe index.removeAll()
            for entry in entries {
                retired.add(entry.withdraw())
                unsafe retired.add(Unmanaged.passUnretained(entry).takeRetainedValue())
            }
            unsafe blocks.forEach { unsafe retired.add(block: $0) }
            retired.add(unreachable: cells)
            retired.add(unreachable: cache)
        }

        /// Frees all, once there are no readers.
        mutating func destroy() { index.destroy() }
    }

    /// Closes this locator, unless a close has begun, code has to run or be waited for, or late reads would not return all of
    /// its instances. Returns whether it is closed.
    ///
    /// - Parameter closing: The close that has begun to close this locator and its descendants, if one has.
    func closeInPlace(as closing: CloseOperation? = nil) -> Bool {
        var retired = RetireList()
        let isClosed =
            if let cache = existingScopedCache {
                cache.terminate { cells in closeInPlace(as: closing, cache, cells, &retired) }
            } else {
                closeInPlace(as: closing, nil, [], &retired)
            }
        if !retired.isEmpty { retired.dispose() }
        return isClosed
    }

    /// The lock of the cache is held, if there is one.
    private func closeInPlace(
        as closing: CloseOperation?,
        _ cache: ScopedCache?,
        _ cached: [OnceCell],
        _ retired: inout RetireList
    ) -> Bool {
        lock.withLock {
            guard self.closing === closing, scopedCache === cache, !isTerminated, !mustBeEmptied,
                behaviors == nil, !observes(.didUnregister),
                starts == 0,
                transaction == nil, closing != nil || !hasChildren,
                lateReads == .lastInstance, lastInstances.isEmpty,
                cells.values.allSatisfy({ $0.state.product != nil }),
                areReturnedLate(cached)
            else { return false }
            var canClose = true
            index.forEach { entry in
                if entry.role == .registered, !entry.withRecord(\.canCloseInPlace) { canClose = false }
            }
            guard canClose else { return false }
            if closing == nil { begin(.ended) }
            set(LocatorHeader.terminated, true)
            hideEntries()
            index.forEach { entry in
                entry.hide()
                if entry.role == .registered { entry.withRecord { $0.releaseFactories(&retired) } }
            }
            if !appliedModules.isEmpty {
                retired.add(unreachable: appliedModules)
                appliedModules = []
                modulesRevision += 1
            }
            var (index, cells) = (EntryIndex(), [ObjectIdentifier: OnceCell]())
            swap(&index, &self.index)
            swap(&cells, &self.cells)
            remains = Remains(index: index, cells: cells, cache: scopedCache.take())
            return true
        }
    }

    /// Whether late reads return the instances of all cells of the scoped cache. False if that takes longer to find out.
    private func areReturnedLate(_ cells: [OnceCell]) -> Bool {
        // Without a retain of a cell, which the array retains, or of its record, to which all requests would write. Code that
        // removes the registration takes the cell from the cache before it releases the record, and so waits for the lock.
        cells.indices.allSatisfy { position in
            unsafe Unmanaged.passUnretained(cells[position])._withUnsafeGuaranteedRef { cell in
                cell.state.product != nil && cell.withRecord { isReturnedLate($0) }
            }
        }
    }

    /// Whether late reads return the instance that the scoped cache has of a record.
    private func isReturnedLate(_ record: RegistrationRecord) -> Bool {
        guard record.isCachedPerLocator else { return false }
        let address = unsafe Unmanaged.passUnretained(record).toOpaque()
        func finds(_ tag: UInt) -> Bool {
            guard let found = unsafe LocatorHeader.find(tag, from: header) else { return false }
            return unsafe found.withHeader { unsafe $0.pointee.record.toOpaque() } == address
        }
        if record.hasOneIdentity { return !record.hasKey && withReadSection { finds(record.tag) } }
        let identities = record.identities
        return withReadSection { identities.allSatisfy { $0.keyPart == nil && finds($0.tag) } }
    }

    /// The instances that late reads of this locator return, in order of registration.
    var allLastInstances: [LastInstance] {
        var (last, cached, cache): ([LastInstance], [(Entry, Instance)], ScopedCache?) = lock.withLock {
            guard let remains else { return (lastInstances, [], nil) }
            let entries = remains.index.all.filter { $0.role == .registered }.sorted { $0.order < $1.order }
            let cached = entries.compactMap { entry in
                (entry.record.given ?? remains.cells[ObjectIdentifier(entry.record)]?.state.product).map { (entry, $0) }
            }
            return ([], cached, remains.cache)
        }
        func add(_ instance: Instance, of record: RegistrationRecord, as identity: Locator.Identity) {
            guard let form = instance.cast(to: identity.type) else { return }
            last.append(LastInstance(identity: identity, record: record, instance: form))
        }
        for (entry, instance) in cached { add(instance, of: entry.record, as: entry.identity) }
        for (record, instance) in cache?.products ?? [] {
            for identity in record.identities { add(instance, of: record, as: identity) }
        }
        return last
    }
}

extension RegistrationRecord {
    /// Whether late reads return each instance that its locator has of it, and no code disposes of it.
    fileprivate var canCloseInPlace: Bool { declared == nil && !hasDisposers && isReturnedLate }
}
