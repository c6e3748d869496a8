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
    /// The copy has no parent, so a service that is registered in it reaches each service that it creates. It resolves
    /// what the other locator resolves at this moment; later registrations there do not reach it. Keys, lists,
    /// arguments, decorators, hooks, applied modules and `.final()` are copied; behaviors and children are not.
    ///
    /// A registration in the copy replaces a copied one under all of its identities: under those that the new service
    /// is of, it is found, and under the others nothing is. Registrations that declare other arguments are replaced,
    /// too.
    ///
    /// Both share the values of `.eager` registrations, which the copy does not dispose of; their hooks run again in
    /// the copy. A service per locator with the name of a copied locator is one of the copy. The copy of a closed
    /// locator is empty.
    ///
    /// - Parameters:
    ///   - other: The locator to copy.
    ///   - name: The name in error texts, and for ``Lifetime/perLocator(named:)``.
    /// - Complexity: O(*n*) in the number of registrations.
    public convenience init(copying other: Locator, _ name: Name? = nil) {
        self.init(name)
        mainActorTimeout = other.mainActorTimeout
        core.insertCopies(of: other.core)
    }
}

extension LocatorCore {
    /// Lets later registrations override the present ones.
    func makePresentOverridable() {
        state.withLock { state in
            forEachRecord(in: state) { $0.isOverridable = true }
            setHasOverridable()
        }
    }

    /// Inserts copies of the registrations of another locator and of its ancestors. No other thread has this core.
    fileprivate func insertCopies(of original: LocatorCore) {
        let chain = Array(original.chain)
        var copies = Copies(for: self)
        for found in chain.reversed().flatMap(\.registrations) where original.isVisible(found) {
            insertCopy(copies.copy(of: found.record), as: found.listing)
        }
        state.withLock { state in
            for core in chain {
                let (names, modules) = core.copiedState
                state.ensuredExtras.copiedNames.formUnion(names)
                state.ensuredExtras.appliedModules += modules.map { AppliedModule(id: $0.id, call: .ended) }
            }
        }
    }

    /// The names and the modules that a copy has, too.
    private var copiedState: (names: Set<String>, modules: [AppliedModule]) {
        state.withLock { state in
            let names = (state.extras?.copiedNames ?? []).union(name.map { [$0] } ?? [])
            return (names, state.extras?.appliedModules ?? [])
        }
    }

    private func insertCopy(_ copy: AnyRecord, as listing: Locator.Listing) {
        let value = copy.readyInstance?.cast(to: listing.identity.type)
        let keyed = listing.identity.keyed == nil ? nil : entry(listing.identity)
        state.withLock { state in
            // Nothing is replaced, since the copy is new.
            var removed = Removed()
            copy.isOverridable = true
            setHasOverridable()
            if copy.order == 0 {
                state.insertionCount += 1
                copy.order = state.insertionCount
            }
            put(copy, at: listing, keyed, value, &state, &removed)
        }
    }
}

/// The copies of registrations for one locator.
private struct Copies {
    private let core: LocatorCore
    private var copies: [ObjectIdentifier: AnyRecord] = [:]

    init(for core: LocatorCore) {
        self.core = core
    }

    /// The copy of a registration, which disposes of its own creations, and not of an instance that it received.
    mutating func copy(of record: AnyRecord) -> AnyRecord {
        if let present = copies[ObjectIdentifier(record)] { return present }
        let copy =
            if let decorated = record.decorated {
                record.decorating(self.copy(of: decorated, by: record))
            } else {
                record.copied()
            }
        if record.traits.lifetime.isSupplied { copy.traits.hasDisposers = false }
        copy.prepare(for: core)
        core.state.withLock { core.addWrapped(of: copy, &$0) }
        copies[ObjectIdentifier(record)] = copy
        return copy
    }

    /// What a decorator wraps in the copy, which has no parent.
    private mutating func copy(of decorated: DecoratedService, by decorator: AnyRecord) -> DecoratedService {
        let found =
            switch decorated {
            case .registration(let found): found
            case .inherited: decorator.core.parent?.find(decorator.traits.identity).found
            }
        guard let found else { return .inherited(nil) }
        let entry = Entry(core, found.entry.identity, isWrapped: true)
        return .registration(Found(entry: entry, record: copy(of: found.record)))
    }
}
