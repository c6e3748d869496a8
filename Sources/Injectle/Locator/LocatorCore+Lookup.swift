// How a core looks registrations up. Keys are compared, and arguments are matched, without a lock.

extension LocatorCore {
    // MARK: Entries of this locator

    /// The entry of a type and key, which can be empty.
    func entry(_ type: Any.Type, _ key: Locator.Key?) -> Entry? {
        guard let key else { return table.value(of: type) }
        return entries(withHashOf: key).first { $0.identity.type == type && $0.identity.keyed == key }
    }

    func entry(_ identity: Locator.Identity) -> Entry? { entry(identity.type, identity.keyed) }

    /// The entries whose keys have the hash of this one.
    private func entries(withHashOf key: Locator.Key) -> [Entry] {
        state.withLock { $0.entriesByKeyHash[key.hash] ?? [] }
    }

    // A registration whose instances are being released is none any more, but a lookup still finds it.

    /// The registrations with a key: with any type and arguments, in order of registration.
    func registrations(under key: Locator.Key, includingEnded: Bool = false) -> [Found] {
        entries(withHashOf: key).filter { $0.identity.keyed == key }
            .flatMap { $0.registrations(includingEnded: includingEnded) }
            .sorted { $0.record.order < $1.record.order }
    }

    /// The registrations of a type and key: with any arguments, and contributions, in order of registration.
    func registrations(as identity: Locator.Identity) -> [Found] { entry(identity)?.registrations() ?? [] }

    /// All registrations, in order of registration, once for each identity.
    var registrations: [Found] {
        // Of one moment: a registration with several identities is replaced under all of them at once.
        let all = state.withLock { state in allEntries(in: state).flatMap { $0.registrations() } }
        let byRecord = Dictionary(grouping: all) { ObjectIdentifier($0.record) }
        return byRecord.values.sorted { $0[0].record.order < $1[0].record.order }.flatMap { found in
            found.count == 1
                ? found
                : found[0].record.traits.listings.compactMap { listing in found.first { $0.listing == listing } }
        }
    }

    /// All entries. The lock is held.
    func allEntries(in state: State) -> [Entry] {
        state.entriesByKeyHash.isEmpty ? table.values : table.values + state.entriesByKeyHash.values.joined()
    }

    // MARK: Entries of this locator and its ancestors

    /// Finds the registration of a type and key, in the nearest locator that has any of these. The arguments decide
    /// which of its registrations.
    func find(_ identity: Locator.Identity, given arguments: Arguments? = nil) -> Lookup {
        for core in chain {
            guard let entry = core.entry(identity) else { continue }
            let lookup = entry.find(given: arguments)
            switch lookup {
            case .registration, .otherArguments: return lookup
            case .nothing: continue
            }
        }
        return .nothing
    }

    /// Finds the latest registration with a key that can be of a type, in the nearest locator that has one; else the
    /// latest with the key, whose service is not of the type.
    func findByKeyAlone(_ key: Locator.Key, as type: Any.Type, given arguments: Arguments?) -> Found? {
        var other: Found?
        for core in chain {
            let all = core.registrations(under: key, includingEnded: true).filter { !$0.isContribution }
            let matching = arguments.map { all.matching($0) } ?? []
            let fitting = matching + all.filter { $0.record.traits.declared == nil }.reversed()
            if fitting.isEmpty { continue }
            // If only one fits, it is taken, and the cast of its instance decides.
            let isOnly = fitting.count == 1 && core.parent == nil && other == nil
            if let found = isOnly ? fitting.first : fitting.first(where: { $0.record.isKnown(toBe: type) != false }) {
                return Found(entry: found.entry, record: found.record, as: type)
            }
            other = other ?? Found(entry: fitting[0].entry, record: fitting[0].record, as: type)
        }
        return other
    }

    /// The contributions to the list of a type and key in the nearest locator that has any, in order of registration.
    func contributions(to identity: Locator.Identity) -> [Found] {
        chain.lazy.map { $0.entry(identity)?.contributions ?? [] }.first { !$0.isEmpty } ?? []
    }

    /// Whether no nearer registration hides one of this locator or of an ancestor.
    func isVisible(_ found: Found) -> Bool {
        let nearest = chain.first { core in
            guard let entry = core.entry(found.entry.identity) else { return false }
            return entry.registrations().contains { $0.isContribution == found.isContribution }
        }
        return nearest === found.entry.core
    }

    /// The registrations of an identity that declare arguments, or else all with its key alone: nearest locator first,
    /// and in each the latest first.
    func registrationsWithArguments(as identity: Locator.Identity) -> [Found] {
        let found = chain.flatMap { $0.entry(identity)?.withArguments ?? [] }
        guard found.isEmpty, let key = identity.keyed else { return found }
        return chain.flatMap { core in
            core.registrations(under: key).filter { $0.record.traits.declared != nil && !$0.isContribution }.reversed()
        }
    }

    /// The nearest entry of a type and key with a registration, if a read may return its instance at once.
    @usableFromInline
    func readableEntry(of type: Any.Type, _ key: Locator.Key) -> Entry? {
        if !allowsFastReads { return nil }
        for core in chain {
            if let entry = core.entry(type, key), !entry.isEmpty { return entry }
        }
        return nil
    }

    /// Whether nothing of a type without a key is registered or composed, in this locator and its ancestors.
    @usableFromInline func hasNothing(of type: Any.Type) -> Bool {
        allowsFastReads && table.registered(type) == nil && ComposedTypes.isKnownToFail(type)
    }
}

extension [Found] {
    /// The registrations that declare these arguments, the latest first, and then those to whose arguments these
    /// convert.
    fileprivate func matching(_ arguments: Arguments) -> [Found] {
        func latest(_ matches: ([Any.Type]) -> Bool) -> [Found] {
            filter { $0.record.traits.declared.map(matches) ?? false }.reversed()
        }
        return latest(arguments.areExactly) + latest { arguments.convert(to: $0) && !arguments.areExactly($0) }
    }
}
