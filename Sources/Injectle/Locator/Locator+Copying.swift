extension Locator {
    /// Creates a locator with the registrations of another one and of its parents, and none of their instances.
    ///
    /// ```swift
    /// locator.register(.lazy { LiveAPIClient() }, for: (any APIClient).self)
    /// locator.register(.initializer(UserStore.init))
    /// let copy = Locator(copying: locator, "mocks")
    /// copy.register(.lazy { MockAPIClient() }, for: (any APIClient).self)
    /// print(try copy.resolve(UserStore.self).api.host)  // Prints "mock"
    /// print(try locator.resolve(UserStore.self).api.host)  // Prints "api.example.com"
    /// ```
    ///
    /// The copy has no parent, so a service that is registered in it reaches each service that it creates. It resolves what
    /// the other locator resolves at this moment; later registrations there do not reach it. Keys, lists, arguments,
    /// decorators, hooks, applied modules and `.final()` are copied; behaviors and children are not.
    ///
    /// Both share the values of `.eager` registrations, which the copy does not dispose of; their hooks run again in the copy.
    /// A service per locator with the name of a copied locator is one of the copy. The copy of a closed locator is empty.
    ///
    /// - Parameters:
    ///   - other: The locator to copy.
    ///   - name: The name in error texts, and for ``Lifetime/perLocator(named:)``.
    /// - Complexity: O(*n*) in the number of registrations.
    public convenience init(copying other: Locator, _ name: String? = nil) {
        self.init(name)
        mainActorTimeout = other.mainActorTimeout
        core.insertCopies(of: other.core)
    }
}

/// A registration of the original: the identity that its copy gets, and the copy.
private typealias EntryCopy = (identity: Locator.Identity, record: AnyRecord)

extension LocatorCore {
    /// Lets later registrations replace the present ones whichever arguments these declare.
    func beginLayer() { state.withLock { $0.layer = $0.registered } }

    /// Inserts copies of the registrations of another locator and of its ancestors. No other thread has this core.
    fileprivate func insertCopies(of original: LocatorCore) {
        let chain = Array(original.chain)
        // In order of registration, from the root.
        let copies = withoutUnusedDecorated(chain.reversed().reduce([]) { $1.entryCopies(after: $0) })
        let modules = chain.flatMap { core in core.state.withLock { $0.appliedModules.map { (id: $0.id, call: -1) } } }
        for copy in copies { insert(copy) }
        state.withLock { state in
            (state.copiedNames, state.appliedModules) = (Set(chain.compactMap(\.name)), modules)
            state.layer = state.registered
        }
    }

    private func insert(_ copy: EntryCopy) {
        let form = copy.record.given?.cast(to: copy.identity.type)
        if copy.record.core == nil { copy.record.prepare(for: self) }
        let base = copy.identity.decorated == nil ? baseEntry(of: copy.identity) : nil
        let isPlain = copy.identity.role == nil
        let entry =
            isPlain
            ? base : base?.variants.first { !copy.identity.isContribution && $0.identity.isAlike(copy.identity) }
        let place = entry ?? Entry(self, copy.identity)
        state.withLock { state in
            // Nothing, since the copy is new.
            var removed: Removed = ([], [])
            if copy.identity.decorated != nil { state.decorated.append(place) }
            insert(copy.record, at: place, in: base, form, &state, &removed)
        }
    }

    /// The entries of ancestors that this locator does not hide, and its own.
    private func entryCopies(after inherited: [EntryCopy]) -> [EntryCopy] {
        let own = ownEntryCopies
        let nearer = Dictionary(grouping: own.filter { $0.identity.decorated == nil }, by: \.identity)
        let decorated = Set(own.compactMap { $0.identity.decorated.map(ObjectIdentifier.init) })
        /// What a decorator wraps that requests an inherited registration.
        func inheritedPart(_ copy: EntryCopy) -> Locator.Identity.Decorated? {
            copy.record.decorated.flatMap { decorated.contains(ObjectIdentifier($0)) ? nil : $0 }
        }
        let visible = inherited.compactMap { copy -> EntryCopy? in
            if copy.identity.decorated != nil { return copy }
            let hiding = nearer[copy.identity]?.first { other in
                if copy.identity.isContribution || other.identity.isContribution {
                    return copy.identity.isContribution && other.identity.isContribution
                }
                return other.identity.isAlike(copy.identity)
                    || copy.record.traits.declared != nil && inheritedPart(other) == nil
            }
            guard let hiding else { return copy }
            return inheritedPart(hiding).map {
                (Locator.Identity(copy.identity.type, copy.identity.keyed, .decorated($0)), copy.record)
            }
        }
        return visible + own
    }

    /// Copies of the registrations of this locator, in order of registration.
    private var ownEntryCopies: [EntryCopy] {
        var records: [ObjectIdentifier: AnyRecord] = [:]
        return registrations.compactMap { entry in
            guard let record = entry.record else { return nil }
            let copy = records[ObjectIdentifier(record)] ?? record.copiedForLocator()
            records[ObjectIdentifier(record)] = copy
            return (entry.identity, copy)
        }
    }
}

/// Copies without the registrations whose decorators were replaced.
private func withoutUnusedDecorated(_ copies: [EntryCopy]) -> [EntryCopy] {
    let used = Set(copies.compactMap { $0.record.decorated.map(ObjectIdentifier.init) })
    let kept = copies.filter { $0.identity.decorated.map { used.contains(ObjectIdentifier($0)) } ?? true }
    return kept.count == copies.count ? kept : withoutUnusedDecorated(kept)
}

extension AnyRecord {
    /// A copy for another locator, which disposes of what it creates, and not of an instance that it received.
    fileprivate func copiedForLocator() -> AnyRecord {
        let copy = copied()
        if traits.lifetime.isGiven { copy.traits.hasDisposers = false }
        return copy
    }
}
