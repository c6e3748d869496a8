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

extension LocatorCore {
    /// Lets later registrations replace the present ones whichever arguments these declare.
    func beginLayer() { state.withLock { $0.layer = $0.registered } }

    /// Inserts copies of the registrations of another locator and of its ancestors. No other thread has this core.
    fileprivate func insertCopies(of original: LocatorCore) {
        let chain = Array(original.chain)
        var copies: [ObjectIdentifier: AnyRecord] = [:]
        for (identity, record) in original.reachable {
            let copy = copies[ObjectIdentifier(record)] ?? record.copied(for: self)
            copies[ObjectIdentifier(record)] = copy
            insert(copy, as: identity)
        }
        let modules = chain.flatMap { core in core.state.withLock { $0.appliedModules.map { (id: $0.id, call: -1) } } }
        state.withLock { state in
            (state.copiedNames, state.appliedModules) = (Set(chain.compactMap(\.name)), modules)
            state.layer = state.registered
        }
    }

    private func insert(_ record: AnyRecord, as identity: Locator.Identity) {
        let form = record.given?.cast(to: identity.type)
        let base = identity.decorated == nil ? baseEntry(of: identity) : nil
        let entry = (identity.role == nil ? base : nil) ?? Entry(self, identity)
        state.withLock { state in
            // Nothing, since the copy is new.
            var removed: Removed = ([], [])
            if identity.decorated != nil { state.decorated.append(entry) }
            insert(record, at: entry, in: base, form, &state, &removed)
        }
    }

    /// The registrations that requests and decorators find, in order of registration, from the root. What a decorator wraps
    /// has the identity that the decorator requests.
    private var reachable: [(identity: Locator.Identity, record: AnyRecord)] {
        chain.reversed().flatMap(\.registrations).compactMap { LocatorCore.found($0) }
            .filter { $0.entry.identity.decorated == nil && isVisible($0) }
            .flatMap { found in
                let (visible, records) = (found.entry.identity, sequence(first: found, next: wrapped).map(\.record))
                let identities = records.compactMap(\.decorated).map {
                    Locator.Identity(visible.type, visible.keyed, .decorated($0))
                }
                return zip([visible] + identities, records).reversed()
            }
    }
}

extension AnyRecord {
    /// A copy for another locator, which disposes of its own creations, and not of an instance that it received.
    fileprivate func copied(for core: LocatorCore) -> AnyRecord {
        let copy = copied()
        if traits.lifetime.isGiven { copy.traits.hasDisposers = false }
        copy.prepare(for: core)
        return copy
    }
}
