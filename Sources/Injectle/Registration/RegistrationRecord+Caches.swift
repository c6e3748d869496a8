// The scoped caches that have instances of a registration.

extension RegistrationRecord {
    /// Adds a cache that has cells of this registration. False once it is withdrawn.
    func join(_ cache: ScopedCache) -> Bool {
        // A withdrawal that follows finds the cell, since it takes the lock of the cache.
        if isCachedPerLocator { return !isWithdrawn }
        return rareFields?.caches?.withCaches { caches in
            caches?[ObjectIdentifier(cache)] = cache
            return caches != nil
        } ?? false
    }

    /// Whether its last entry was removed. Retains nothing that all requests share.
    private var isWithdrawn: Bool {
        guard let fields = unsafe rareFields.map({ unsafe Unmanaged.passUnretained($0) }) else { return true }
        return unsafe fields._withUnsafeGuaranteedRef { $0.isWithdrawn }
    }

    /// Adds the cache of an ancestor of the registering locator, before it has a cell of this registration.
    func list(_ cache: ScopedCache) {
        rareFields?.caches?.withCaches { $0?[ObjectIdentifier(cache)] = cache }
    }

    /// Removes a cache that has no more cells of this registration.
    func leave(_ cache: ScopedCache) {
        if isCachedPerLocator { return }
        rareFields?.caches?.withCaches { _ = $0?.removeValue(forKey: ObjectIdentifier(cache)) }
    }

    /// Drops the instances of all caches, after the last entry of its locator was removed.
    ///
    /// If that was replaced, the code of a descendant, such as a request, may still use an instance that has disposers. So
    /// the descendant's cache keeps the instance until the descendant ends, and no request finds it.
    ///
    /// The cells of a lifetime per locator do not retain the record. They are in caches of the locator and its
    /// descendants, and the caller retains the record until all of them are dropped, or retain it. A descendant that leaves
    /// its parent's list meanwhile has emptied its cache before, or does so in a read section, which delays the release of
    /// the entry that retains the record.
    func dropCachedInstances(of core: LocatorCore, _ retired: inout RetireList) {
        rareFields?.isWithdrawn = true
        var caches = rareFields?.caches?.withdraw() ?? []
        if isCachedPerLocator {
            for core in [core] + core.descendants {
                if let cache = core.existingScopedCache { caches.append(cache) }
            }
        }
        for cache in caches {
            if isReplaced, hasDisposers, cache.isOfDescendant(of: core) {
                cache.retain(self)
            } else {
                cache.drop(self, given: nil, &retired)
            }
        }
    }

    /// The listed caches with cells of this registration.
    var caches: [ScopedCache] { (rareFields?.caches?.withCaches { $0 } ?? [:]).map(\.value) }
}
