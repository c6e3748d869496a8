// How a core looks a service up. None of it touches what is guarded, but through what `LocatorCore` offers.

extension LocatorCore {
    /// The entry that a service is found by: one that declares arguments such as are given; else under its identity,
    /// from here up to the root; else under its key alone, in the same order, and then the latest.
    ///
    /// - Parameter byKeyAlone: Whether a key alone is enough.
    func find(_ identity: ServiceKey, given arguments: Arguments? = nil, byKeyAlone: Bool = true) -> Entry? {
        if let arguments, let entry = entry(declaring: arguments, as: identity) { return entry }
        guard let userKey = identity.userKey else { return entry(tagged: identity.tag) }
        let tag = identity.tag
        for core in chain {
            // A entry that was derived counts in a locator without a parent, where nothing can stand behind it.
            // With arguments, one that declares them may stand before it.
            let countsDerived = core === self && core.parent == nil && byKeyAlone && arguments == nil
            let entry = core.entry(tagged: tag) { entry in
                (entry.role == .registered || countsDerived) && entry.identity == identity
            }
            if let entry { return entry }
        }
        return byKeyAlone ? entry(underAlone: userKey, as: identity, given: arguments) : nil
    }

    /// The entries of those that contribute to the list of a type: those of the nearest locator that has any, in order of
    /// registration.
    func contributions(to type: Any.Type, userKey: ServiceKey.KeyPart?) -> [Entry] {
        let identity = ServiceKey(type: type, keyPart: ServiceKey.KeyPart(.contributing, userKey: userKey))
        for core in chain {
            let entries = core.entries(equalTo: identity)
            if !entries.isEmpty { return entries }
        }
        return []
    }

    /// The entries that declare arguments and are of a type and key, or else of the key alone, from here up to the root;
    /// in each locator, the latest first.
    func entriesDeclaringArguments(as identity: ServiceKey) -> [Entry] {
        let entries = chain.flatMap { $0.ownEntriesDeclaringArguments(as: identity) }
        guard entries.isEmpty, let userKey = identity.userKey else { return entries }
        return chain.flatMap { core in
            core.entries(under: userKey).filter { $0.record.declared != nil && !$0.identity.isContribution }.reversed()
        }
    }

    private func ownEntriesDeclaringArguments(as identity: ServiceKey) -> [Entry] {
        entries(tagged: identity.tagDeclaringArguments).filter { entry in
            entry.role == .registered && entry.record.declared != nil && entry.identity.type == identity.type
                && entry.identity.userKey == identity.userKey
        }.sorted { $0.order > $1.order }
    }

    /// The entry that declares arguments such as are given, in the nearest locator that has one or has the service
    /// without arguments, which hides what its parents have.
    private func entry(declaring arguments: Arguments, as identity: ServiceKey) -> Entry? {
        let tag = identity.tagDeclaringArguments
        for core in chain {
            let candidate = withReadSection {
                LocatorHeader.findOwn(tag, in: core.header)?.takeUnretainedValue()
            }
            // One that declares just these types is the only one of its kind.
            if let candidate, candidate.identity.type == identity.type, candidate.identity.userKey == identity.userKey,
                let declared = candidate.record.declared, arguments.fit(declared) == .exact
            {
                return candidate
            }
            if candidate != nil, let entry = fitting(arguments, in: core.ownEntriesDeclaringArguments(as: identity)) {
                return entry
            }
            if core.parent != nil, core.ownEntry(identity) != nil { return nil }
        }
        return nil
    }

    private func fitting(_ arguments: Arguments, in entries: [Entry]) -> Entry? {
        let fits = entries.map { entry in entry.record.declared.map(arguments.fit) ?? .unfit }
        guard let best = fits.max(), best != .unfit else { return nil }
        return fits.firstIndex(of: best).map { entries[$0] }
    }

    /// The entry that is found by its key alone, whatever it was registered as.
    private func entry(
        underAlone userKey: ServiceKey.KeyPart,
        as identity: ServiceKey,
        given arguments: Arguments?
    ) -> Entry? {
        for core in chain {
            let entries = core.entries(under: userKey).filter { !$0.identity.isContribution }
            let declaring = arguments.flatMap { fitting($0, in: entries.reversed()) }
            guard let entry = declaring ?? entries.last(where: { $0.record.declared == nil }) else { continue }
            let canBeDerived = core === self && core.parent == nil && entry.record.declared == nil
            if canBeDerived, let keyAlias = remember(identity, from: entry) { return keyAlias }
            return Entry.make(
                identity: identity,
                record: entry.record,
                core: core,
                order: entry.order,
                role: .temporary
            )
        }
        return nil
    }

    /// The entry of an identity without a key, from here up to the root.
    private func entry(tagged tag: UInt) -> Entry? {
        withReadSection {
            LocatorHeader.find(tag, from: header)?.takeUnretainedValue()
        }
    }

    /// The first entry of this locator alone that has a tag and is the one that is looked for. The question may run code
    /// of a user, so it is asked of each candidate after the read that found it.
    private func entry(tagged tag: UInt, where isWanted: (Entry) -> Bool) -> Entry? {
        let candidate = withReadSection { LocatorHeader.findOwn(tag, in: header)?.takeUnretainedValue() }
        guard let candidate else { return nil }
        if isWanted(candidate) { return candidate }
        // Two identities with one tag: rare enough for the lock.
        return entries(tagged: tag).first(where: isWanted)
    }

    /// Lets go of the instance that a request would be given.
    func resetInstance(_ request: ResolveRequest) throws(InjectleError) {
        let identity = request.identity
        var entries = find(identity, given: request.arguments).map { [$0] } ?? []
        // Without arguments, those are meant, too, that were made of any.
        if request.arguments == nil { entries += entriesDeclaringArguments(as: identity) }
        if entries.isEmpty { entries = contributions(to: identity.type, userKey: identity.userKey) }
        if entries.isEmpty { throw .missing(request, in: self) }
        for entry in entries {
            let record = entry.record
            guard record.canRecreate else { throw .notResettable(request, entry) }
            let plan = record.copy == nil ? try LifetimePlan(for: entry, request, caller: self) : .prototype(of: entry)
            for candidate in plan.candidates { candidate.cache.drop(record, given: candidate.key) }
        }
    }
}
