// How a core looks registrations up. Keys are compared, and arguments are matched, without a lock.

extension LocatorCore {
    /// A registration and the place where it is found.
    typealias Found = (entry: Entry, record: AnyRecord)

    // MARK: Entries of this locator

    /// The entry of a type and key, which can be empty.
    func entry(_ type: Any.Type, _ key: Locator.Key?) -> Entry? {
        guard let key else { return table.find(type) }
        return candidates(for: key).first { $0.identity.type == type && $0.identity.keyed == key }
    }

    /// The entries whose keys have the hash of this one.
    func candidates(for key: Locator.Key) -> [Entry] { state.withLock { $0.keyed[key.hash] ?? [] } }

    // A registration whose instances are being released is none any more, but a lookup still finds it.

    /// The registrations with a key: with any type, role and arguments, in order of registration.
    func registrations(under key: Locator.Key, includingEnded: Bool = false) -> [Entry] {
        LocatorCore.registered(candidates(for: key).filter { $0.identity.keyed == key }, includingEnded)
    }

    /// The registrations of a type and key: with any arguments, and contributions, in order of registration.
    func registrations(as identity: Locator.Identity, includingEnded: Bool = false) -> [Entry] {
        LocatorCore.registered(entry(identity.type, identity.keyed).map { [$0] } ?? [], includingEnded)
    }

    /// The registrations of exactly an identity, in order of registration: at most one, unless they are contributions.
    func registrations(exactly identity: Locator.Identity, includingEnded: Bool = false) -> [Entry] {
        if identity.decorated != nil { return state.withLock { $0.decorated }.filter { $0.identity.isAlike(identity) } }
        return registrations(as: identity, includingEnded: includingEnded).filter { $0.identity.isAlike(identity) }
    }

    /// All registrations, in order of registration.
    var registrations: [Entry] {
        LocatorCore.registered(state.withLock { allEntries(in: $0) }, false)
    }

    /// All entries but variants. The lock is held.
    func allEntries(in state: State) -> [Entry] {
        state.keyed.isEmpty && state.decorated.isEmpty
            ? table.entries : table.entries + state.keyed.values.joined() + state.decorated
    }

    /// The entries with a registration among some entries and their variants, in order of registration.
    private static func registered(_ entries: [Entry], _ includingEnded: Bool) -> [Entry] {
        let registered = (entries + entries.flatMap(\.variants)).compactMap { entry in
            entry.state.withLock { state in
                state.record.map { includingEnded || !$0.isEnded } ?? false ? (order: state.order, entry: entry) : nil
            }
        }
        return registered.sorted { $0.order < $1.order }.map(\.entry)
    }

    /// The registrations of a type and key that declare arguments, the latest first.
    private func declaring(_ identity: Locator.Identity) -> [Found] {
        let variants = entry(identity.type, identity.keyed)?.variants.filter(\.identity.isDeclaring) ?? []
        return (variants.count < 2 ? variants : LocatorCore.registered(variants, true).reversed())
            .compactMap { LocatorCore.found($0) }
    }

    /// The registration of an entry, if it has one.
    static func found(_ entry: Entry?) -> Found? {
        guard let entry, let record = entry.record else { return nil }
        return (entry, record)
    }

    // MARK: Entries of this locator and its ancestors

    /// The registration of a service: one whose declared arguments match; else the one of the identity, in the nearest
    /// locator; else the latest one with the key alone, in the nearest locator.
    ///
    /// - Parameter byKeyAlone: Whether a key alone is enough.
    func find(_ identity: Locator.Identity, given arguments: Arguments? = nil, byKeyAlone: Bool = true) -> Found? {
        if let decorated = identity.decorated { return find(decorated, as: identity, given: arguments) }
        if let arguments, let found = find(identity, declaring: arguments) { return found }
        if let found = findPlain(identity) { return found }
        // A registration of the type under the key, for other arguments, is not passed over.
        guard byKeyAlone, let key = identity.keyed, chain.allSatisfy({ $0.declaring(identity).isEmpty }) else {
            return nil
        }
        return find(underAlone: key, as: identity, given: arguments)
    }

    /// The registration of exactly a type and key, in the nearest locator.
    private func findPlain(_ identity: Locator.Identity) -> Found? {
        if let found = LocatorCore.found(entry(identity.type, identity.keyed)) { return found }
        return parent?.findPlain(identity)
    }

    /// The registration whose declared arguments match, in the nearest locator that has the service: it hides its ancestors,
    /// whichever arguments they declare.
    private func find(_ identity: Locator.Identity, declaring arguments: Arguments) -> Found? {
        for core in chain {
            let declaring = core.declaring(identity)
            if let found = LocatorCore.fitting(arguments, in: declaring) { return found }
            let isHiding = !declaring.isEmpty || core.entry(identity.type, identity.keyed)?.isEmpty == false
            if core.parent != nil, isHiding { return nil }
        }
        return nil
    }

    private static func fitting(_ arguments: Arguments, in found: [Found]) -> Found? {
        found.first { $0.record.traits.declared.map(arguments.areExactly) ?? false }
            ?? found.first { $0.record.traits.declared.map(arguments.convert) ?? false }
    }

    /// The latest registration with a key, whatever its type.
    private func find(underAlone key: Locator.Key, as identity: Locator.Identity, given arguments: Arguments?) -> Found?
    {
        for core in chain {
            let all = core.registrations(under: key, includingEnded: true).filter { !$0.identity.isContribution }
                .compactMap { LocatorCore.found($0) }
            let declaring = arguments.flatMap { LocatorCore.fitting($0, in: all.reversed()) }
            guard let found = declaring ?? all.last(where: { $0.record.traits.declared == nil }) else { continue }
            // With the registered key, since the caller owns the requested one.
            let identity = Locator.Identity(identity.type, found.entry.identity.keyed)
            return (Entry(core, identity, foundByKeyAlone: found.record), found.record)
        }
        return nil
    }

    /// A registration that a decorator wraps: in this locator or an ancestor, or else the one of the parent of the decorator's.
    private func find(
        _ decorated: Locator.Identity.Decorated,
        as identity: Locator.Identity,
        given arguments: Arguments?
    ) -> Found? {
        for core in chain {
            let entry = core.state.withLock { $0.decorated }.first { $0.identity.decorated === decorated }
            // An `Optional` of the type is composed of it.
            if let found = LocatorCore.found(entry) { return found.entry.identity.type == identity.type ? found : nil }
            guard ObjectIdentifier(core) == decorated.core else { continue }
            let inherited = Locator.Identity(identity.type, decorated.identity.keyed)
            return core.parent?.find(inherited, given: arguments, byKeyAlone: false)
        }
        return nil
    }

    /// The contributions to the list of a type and key in the nearest locator that has any, in order of registration.
    func contributions(to identity: Locator.Identity) -> [Entry] {
        let list = Locator.Identity(identity.type, identity.keyed, .contributing)
        return chain.lazy.map { $0.registrations(exactly: list, includingEnded: true) }.first { !$0.isEmpty } ?? []
    }

    /// Whether no nearer registration hides one of this locator or of an ancestor.
    func isVisible(_ found: Found) -> Bool {
        let identity = found.entry.identity
        if identity.decorated != nil { return find(identity)?.record === found.record }
        let nearest = chain.first { core in
            core.registrations(as: identity).map(\.identity).contains { other in
                // Whichever arguments a registration declares, it hides those that declare any.
                identity.role == nil ? other.role == nil : other.isContribution == identity.isContribution
            }
        }
        return nearest === found.entry.core
    }

    /// The registration that a decorator requests. Nil for other registrations.
    func wrapped(by decorator: Found) -> Found? {
        decorator.record.decorated.flatMap {
            find(Locator.Identity(decorator.entry.identity.type, nil, .decorated($0)))
        }
    }

    /// The registrations of an identity that declare arguments, or else all with its key alone: nearest locator first, and in
    /// each the latest first.
    func registrationsDeclaringArguments(as identity: Locator.Identity) -> [Found] {
        let found = chain.flatMap { $0.declaring(identity) }
        guard found.isEmpty, let key = identity.keyed else { return found }
        return chain.flatMap { core in
            core.registrations(under: key).filter(\.identity.isDeclaring).reversed()
                .compactMap { LocatorCore.found($0) }
        }
    }
}
