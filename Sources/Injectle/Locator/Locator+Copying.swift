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

/// A registered entry of the original: a copy of its registration, and the identity that this gets.
private struct EntryCopy {
    var identity: Locator.Identity
    let record: RegistrationRecord

    /// Whether only a decorator requests it.
    var isDecorated: Bool { identity.keyPart?.decorated != nil }
}

extension LocatorCore {
    /// Lets later registrations replace the present ones whichever arguments these declare.
    func beginLayer() { lock.withLock { layer = registered } }

    /// Whether this locator has a name, or is a copy of a locator that has it.
    func isNamed(_ name: String?) -> Bool { self.name == name || name.map(copiedNames.contains) ?? false }

    /// Inserts copies of the registrations of another locator and of its ancestors. No other thread has this core.
    fileprivate func insertCopies(of original: LocatorCore) {
        let chain = Array(original.chain)
        copiedNames = Set(chain.compactMap(\.name))
        // In order of registration, from the root.
        let copies = chain.reversed().reduce(into: []) { $0 = $1.entryCopies(after: $0) }.withoutUnusedDecorated()
        // A cast can call user code, so it comes before the lock.
        let forms = copies.map { $0.record.given?.cast(to: $0.identity.type) }
        let modules = chain.flatMap { core in core.lock.withLock { core.appliedModules.map { (id: $0.id, call: -1) } } }
        lock.withRetireList { retired in
            for (copy, form) in zip(copies, forms) {
                unsafe insert(copy.record, as: copy.identity, form: form, &retired)
            }
            appliedModules = modules
            layer = registered
        }
    }

    /// The entries of ancestors that this locator does not hide, and its own.
    private func entryCopies(after inherited: [EntryCopy]) -> [EntryCopy] {
        let own = ownEntryCopies
        let nearer = Dictionary(grouping: own.filter { !$0.isDecorated }, by: \.identity)
        let parts = Set(own.compactMap { $0.isDecorated ? $0.identity.keyPart.map(ObjectIdentifier.init) : nil })
        /// The part by which a decorator requests an inherited registration.
        func inheritedPart(_ copy: EntryCopy) -> Locator.Identity.KeyPart? {
            copy.record.decoratedPart.flatMap { parts.contains(ObjectIdentifier($0)) ? nil : $0 }
        }
        let visible = inherited.compactMap { copy -> EntryCopy? in
            if copy.isDecorated { return copy }
            let hiding = nearer[copy.identity]?.first { other in
                if copy.identity.isContribution || other.identity.isContribution {
                    return copy.identity.isContribution && other.identity.isContribution
                }
                return other.identity.isAlike(copy.identity)
                    || copy.record.declared != nil && inheritedPart(other) == nil
            }
            guard let hiding else { return copy }
            return inheritedPart(hiding).map {
                EntryCopy(identity: Locator.Identity(type: copy.identity.type, keyPart: $0), record: copy.record)
            }
        }
        return visible + own
    }

    /// Copies of the registrations of this locator, in order of registration.
    private var ownEntryCopies: [EntryCopy] {
        let copies = lock.withLock {
            var records: [ObjectIdentifier: RegistrationRecord] = [:]
            return index.all.filter { $0.role == .registered }.map { entry in
                let record = records[ObjectIdentifier(entry.record)] ?? entry.record.copiedForLocator()
                records[ObjectIdentifier(entry.record)] = record
                return (entry.order, EntryCopy(identity: entry.identity, record: record))
            }
        }
        return copies.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

extension [EntryCopy] {
    /// Without the registrations whose decorators were replaced.
    fileprivate func withoutUnusedDecorated() -> [EntryCopy] {
        let used = Set(compactMap { $0.record.decoratedPart.map(ObjectIdentifier.init) })
        let kept = filter { !$0.isDecorated || $0.identity.keyPart.map { used.contains(ObjectIdentifier($0)) } ?? true }
        return kept.count == count ? kept : kept.withoutUnusedDecorated()
    }
}

extension RegistrationRecord {
    /// A copy for another locator, which disposes of what it creates, and not of an instance that it received.
    fileprivate func copiedForLocator() -> Self {
        let copy = copied()
        if isInstanceGiven { copy.rareFields?.disposers = [] }
        return copy
    }
}
