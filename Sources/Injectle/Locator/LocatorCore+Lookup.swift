// How a core looks services up. Keys are compared, and arguments are matched, without the lock.

extension LocatorCore {
    // MARK: Entries of this locator

    /// The entries that share a tag, key aliases included.
    func entries(tagged tag: UInt) -> [Entry] {
        lock.withLock { index.entries(tagged: tag) }
    }

    /// The entries that are registered under a key, in order of registration.
    func entries(under userKey: Locator.Identity.KeyPart) -> [Entry] {
        lock.withLock { index.entries(under: userKey) }.registered { $0.identity.userKey == userKey }
    }

    /// The entries that are registered under an identity, in order of registration: at most one, unless they are
    /// contributions.
    func entries(equalTo identity: Locator.Identity) -> [Entry] {
        entries(tagged: identity.tag).registered { $0.identity.isExactly(identity) }
    }

    func ownEntry(_ identity: Locator.Identity) -> Entry? { entries(equalTo: identity).first }

    /// The entries that are registered as a type with a key or without one: with any arguments, and contributions.
    func entries(as type: Any.Type, userKey: Locator.Identity.KeyPart?) -> [Entry] {
        let identity = Locator.Identity(type: unwrapped(type), keyPart: userKey)
        let list = Locator.Identity(
            type: identity.type,
            keyPart: Locator.Identity.KeyPart(.contributing, userKey: userKey)
        )
        return [identity.tag, identity.tagDeclaringArguments, list.tag].flatMap(entries(tagged:))
            .registered { $0.identity == identity }
    }

    /// All registered entries, in order of registration.
    var ownEntries: [Entry] { lock.withLock { index.all }.registered() }

    /// The entries with declared arguments of an identity, latest first.
    private func ownEntriesDeclaringArguments(as identity: Locator.Identity) -> [Entry] {
        entries(tagged: identity.tagDeclaringArguments)
            .registered { $0.record.declared != nil && $0.identity == identity }.reversed()
    }

    // MARK: Entries of this locator and its ancestors

    /// The entry of a service: one whose declared arguments match; else the one with the identity, in the nearest locator;
    /// else the latest one with the key alone, in the nearest locator.
    ///
    /// - Parameter byKeyAlone: Whether a key alone is enough.
    func find(_ identity: Locator.Identity, given arguments: Arguments? = nil, byKeyAlone: Bool = true) -> Entry? {
        if let decorated = identity.keyPart?.decorated {
            return findDecorated(decorated, as: identity, given: arguments)
        }
        if let arguments, let entry = entry(declaring: arguments, as: identity) { return entry }
        guard let userKey = identity.userKey else {
            return withReadSection {
                unsafe LocatorHeader.find(identity.tag, from: header)?.takeUnretainedValue()
            }
        }
        for core in chain {
            // A key alias is valid only where no parent and no entry with declared arguments comes before it.
            let acceptsAlias = core === self && core.parent == nil && byKeyAlone && arguments == nil
            let entry = core.entry(tagged: identity.tag) { entry in
                (entry.role == .registered || acceptsAlias) && entry.identity.isExactly(identity)
            }
            if let entry { return entry }
        }
        // A registration of the type under the key, for other arguments, is not passed over.
        guard byKeyAlone, chain.allSatisfy({ $0.ownEntriesDeclaringArguments(as: identity).isEmpty }) else {
            return nil
        }
        return entry(underAlone: userKey, as: identity, given: arguments)
    }

    /// The first entry of this locator with a tag that matches. The predicate can run user code.
    private func entry(tagged tag: UInt, where matches: (Entry) -> Bool) -> Entry? {
        let candidate = withReadSection { unsafe LocatorHeader.findOwn(tag, in: header)?.takeUnretainedValue() }
        guard let candidate else { return nil }
        // Two identities rarely share a tag, so only that takes the lock.
        return matches(candidate) ? candidate : entries(tagged: tag).first(where: matches)
    }

    /// The contributions to the list of a type in the nearest locator that has any, in order of registration.
    func contributions(to type: Any.Type, userKey: Locator.Identity.KeyPart?) -> [Entry] {
        let identity = Locator.Identity(type: type, keyPart: Locator.Identity.KeyPart(.contributing, userKey: userKey))
        return chain.lazy.map { $0.entries(equalTo: identity) }.first { !$0.isEmpty } ?? []
    }

    /// Whether a request to this locator can find a registration by an identity, which no nearer one hides.
    func isVisible(_ record: RegistrationRecord, as identity: Locator.Identity) -> Bool {
        guard identity.isContribution else { return find(identity, byKeyAlone: false)?.record === record }
        return contributions(to: identity.type, userKey: identity.userKey).contains { $0.record === record }
    }

    /// The entries with declared arguments of an identity, or else of its key alone: nearest locator first, and in each
    /// the latest first.
    func entriesDeclaringArguments(as identity: Locator.Identity) -> [Entry] {
        let entries = chain.flatMap { $0.ownEntriesDeclaringArguments(as: identity) }
        guard entries.isEmpty, let userKey = identity.userKey else { return entries }
        return chain.flatMap { core in
            core.entries(under: userKey).filter { $0.record.declared != nil && !$0.identity.isContribution }.reversed()
        }
    }

    /// The entry whose declared arguments match, in the nearest locator that has the service: it hides its ancestors,
    /// whichever arguments they declare.
    private func entry(declaring arguments: Arguments, as identity: Locator.Identity) -> Entry? {
        for core in chain {
            let candidate = core.entry(tagged: identity.tagDeclaringArguments) { _ in true }
            // Only one entry declares exactly these types.
            if let candidate, candidate.identity == identity, let declared = candidate.record.declared,
                arguments.areExactly(declared)
            {
                return candidate
            }
            let declaring = candidate == nil ? [] : core.ownEntriesDeclaringArguments(as: identity)
            if let entry = fitting(arguments, in: declaring) { return entry }
            if core.parent != nil, !declaring.isEmpty || core.ownEntry(identity) != nil { return nil }
        }
        return nil
    }

    private func fitting(_ arguments: Arguments, in entries: [Entry]) -> Entry? {
        entries.first { $0.record.declared.map(arguments.areExactly) ?? false }
            ?? entries.first { $0.record.declared.map(arguments.convert) ?? false }
    }

    /// The latest entry with a key, whatever its type.
    private func entry(
        underAlone userKey: Locator.Identity.KeyPart,
        as identity: Locator.Identity,
        given arguments: Arguments?
    ) -> Entry? {
        for core in chain {
            let entries = core.entries(under: userKey).filter { !$0.identity.isContribution }
            let declaring = arguments.flatMap { fitting($0, in: entries.reversed()) }
            guard let entry = declaring ?? entries.last(where: { $0.record.declared == nil }) else { continue }
            // With the registered key, since the caller owns the requested one.
            let identity = Locator.Identity(type: identity.type, keyPart: entry.identity.userKey)
            func make(_ role: EntryHeader.Role) -> Entry {
                .make(identity: identity, record: entry.record, core: core, order: entry.order, role: role)
            }
            let canHaveAlias = core === self && parent == nil && entry.record.declared == nil
            let alias = canHaveAlias ? make(.keyAlias) : nil
            if let alias, add(alias, of: entry, under: userKey) { return alias }
            return make(.temporary)
        }
        return nil
    }

    /// Inserts an alias of an entry that was found by its key alone. It stays until an entry with that key changes.
    private func add(_ alias: Entry, of entry: Entry, under userKey: Locator.Identity.KeyPart) -> Bool {
        lock.withRetireList { retired in
            let isLatest = !entry.isDetached && !index.entries(under: userKey).contains { $0.order > entry.order }
            guard isLatest, index.entries(tagged: alias.identity.tag).isEmpty else { return false }
            put(alias, &retired)
            return true
        }
    }

    /// The entries of a registration, in order of registration.
    func entries(of handle: Locator.RegistrationHandle) -> [Entry] {
        lock.withLock {
            // Another registration may have replaced the first identity.
            index.entries(ofRecord: handle.serial, hash: handle.hash)
                ?? index.all.filter { handle.includes($0.record) }
        }.registered()
    }

    // MARK: Resetting

    /// Drops the instances that a request can return.
    func resetInstance(_ request: ResolveRequest) throws(InjectleError) {
        let identity = request.identity
        var entries = find(identity, given: request.arguments).map { [$0] } ?? []
        // Without arguments, the instances of all arguments.
        if request.arguments == nil { entries += entriesDeclaringArguments(as: identity) }
        if entries.isEmpty { entries = contributions(to: identity.type, userKey: identity.userKey) }
        if entries.isEmpty { throw .missing(request, in: self) }
        // With the services that its decorators wrap.
        var position = 0
        while position < entries.count {
            let (entry, part) = (entries[position], entries[position].record.decoratedPart)
            let decorated = part.flatMap { find(Locator.Identity(type: entry.identity.type, keyPart: $0)) }
            if let decorated { entries.append(decorated) }
            position += 1
        }
        var plans: [(record: RegistrationRecord, plan: LifetimePlan)] = []
        for entry in entries {
            let record = entry.record
            // The locator cannot create another instance, and returns this one again.
            if record.isInstanceGiven { continue }
            let creation = Creation(of: entry, for: request, from: self)
            plans.append((record, unsafe record.copy == nil ? try LifetimePlan(for: creation) : .prototype(of: entry)))
        }
        var retired = RetireList()
        for (record, plan) in plans {
            for candidate in plan.candidates { candidate.cache.drop(record, given: candidate.key, &retired) }
        }
        retired.dispose()
    }
}

extension [Entry] {
    /// The registered entries that match, in order of registration. The predicate can run user code.
    fileprivate func registered(where matches: (Entry) -> Bool = { _ in true }) -> [Entry] {
        let entries = filter { $0.role == .registered && matches($0) }
        if entries.count < 2 { return entries }
        // The numbers are sorted, and not the entries, which are scattered in memory.
        let orders = entries.map(\.order)
        let (first, last) = orders.reduce((Int.max, Int.min)) { (Swift.min($0.0, $1), Swift.max($0.1, $1)) }
        if last - first < 4 * entries.count {
            // With few gaps, each has a place: no two entries of a locator have the same number.
            var places = [Int32](repeating: -1, count: last - first + 1)
            for (index, order) in orders.enumerated() { places[order - first] = Int32(index) }
            return places.compactMap { $0 < 0 ? nil : entries[Int($0)] }
        }
        return orders.indices.sorted { orders[$0] < orders[$1] }.map { entries[$0] }
    }
}
