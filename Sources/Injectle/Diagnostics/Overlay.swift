extension Locator {
    /// Creates a child that has its own instance of each inherited singleton that needs a service of the child.
    ///
    /// ```swift
    /// locator.register(.lazy { LiveAPIClient() }, for: (any APIClient).self)
    /// locator.register(.initializer(UserStore.init))
    /// let overlay = locator.overlay("mocks") { overlay in
    ///     overlay.register(.lazy { MockAPIClient() }, for: (any APIClient).self)
    /// }
    /// print(try overlay.resolve(UserStore.self).api.host)  // Prints "mock"
    /// print(try locator.resolve(UserStore.self).api.host)  // Prints "api.example.com"
    /// ```
    ///
    /// A singleton of a locator keeps the dependencies from that locator, so a plain child shares it as it is. An overlay
    /// registers a copy of each inherited registration that needs one of the overlay's services, directly or through others.
    /// All other services, and the instances of the parent, are shared.
    ///
    /// Dependencies are known from initializers, from ``Registration/depending(on:)``, and from earlier creations while
    /// ``recordsDependencies`` is on. What a closure resolves without these is not known. The elements of a list are copied
    /// together. The overlay compares the registrations when a service is registered in it, so register in the parent first.
    ///
    /// - Parameters:
    ///   - name: The name of the child.
    ///   - build: Registers services in the child.
    /// - Returns: The child, which retains this locator.
    /// - Throws: The error of `build`.
    /// - Complexity: O(*n* + *m*) in the number of registrations and dependencies, for each registration in the overlay.
    public func overlay(_ name: String? = nil, _ build: (Locator) throws -> Void) rethrows -> Locator {
        let overlay = overlay(name)
        try build(overlay)
        return overlay
    }

    /// Creates a child that has its own instance of each inherited singleton that needs a service of the child.
    ///
    /// ```swift
    /// let overlay = locator.overlay("mocks")
    /// overlay.register(.lazy { MockAPIClient() }, for: (any APIClient).self)
    /// ```
    ///
    /// - Parameter name: The name of the child.
    /// - Returns: The child, which retains this locator.
    public func overlay(_ name: String? = nil) -> Locator {
        let overlay = Locator(name, parent: self)
        overlay.add(OverlayUpdate(of: overlay.core), observesDescendants: false)
        return overlay
    }
}

/// Updates an overlay after each registration in it.
private struct OverlayUpdate: Locator.Behavior {
    let observedKinds: Set<Locator.Event.Kind> = [.didRegister]
    /// Retains the behavior.
    unowned let core: LocatorCore

    init(of core: LocatorCore) { self.core = core }

    func handle(_ event: Locator.Event) { core.updateOverlay() }
}

extension LocatorCore {
    /// Registers a copy of each inherited registration that needs a service of this locator, and that an ancestor creates.
    fileprivate func updateOverlay() {
        let graph = DependencyGraph(of: self)
        // In the order of registration, from the root.
        let inherited = graph.entries.filter { $0.core !== self }
        let ancestors = Array(chain.dropFirst()).reversed()
        let entries = ancestors.flatMap { core in inherited.filter { $0.core === core } }
        let needing = recordsNeedingOwnServices(of: entries, graph)
        var identities: [(record: RegistrationRecord, entry: Entry, identities: [Locator.Identity])] = []
        func add(_ entry: Entry) {
            if let index = identities.firstIndex(where: { $0.record === entry.record }) {
                identities[index].identities.append(entry.identity)
            } else {
                identities.append((entry.record, entry, [entry.identity]))
            }
        }
        for entry in entries where entry.creator(for: self) !== self {
            // A list of a child hides the parent's, so its elements are copied together.
            let isNeeding = needing.contains(ObjectIdentifier(entry.record))
            let isInNeedingList =
                entry.identity.isContribution
                && entries.contains {
                    $0.identity.isExactly(entry.identity) && needing.contains(ObjectIdentifier($0.record))
                }
            if isNeeding || isInNeedingList { add(entry) }
        }
        for (_, entry, identities) in identities { insert(entry.copiedForOverlay(), as: identities) }
    }

    /// The inherited registrations that need a service of this locator, directly or through others.
    private func recordsNeedingOwnServices(of entries: [Entry], _ graph: DependencyGraph) -> Set<ObjectIdentifier> {
        var needing: Set<ObjectIdentifier> = []
        var pending: [ObjectIdentifier] = []
        var users: [ObjectIdentifier: [ObjectIdentifier]] = [:]
        var seen: Set<ObjectIdentifier> = []
        for entry in entries where seen.insert(ObjectIdentifier(entry.record)).inserted {
            let record = ObjectIdentifier(entry.record)
            for dependency in graph.dependencies(of: entry.record, in: self) {
                if dependency.core === self {
                    if needing.insert(record).inserted { pending.append(record) }
                } else {
                    users[ObjectIdentifier(dependency.record), default: []].append(record)
                }
            }
        }
        while let record = pending.popLast() {
            for user in users[record] ?? [] where needing.insert(user).inserted { pending.append(user) }
        }
        return needing
    }

    /// Inserts a copy under the identities that are still free.
    private func insert(_ record: RegistrationRecord, as identities: [Locator.Identity]) {
        for identity in identities {
            var conflicts = ConflictSnapshot(of: identity)
            repeat {
                // Comparing keys is user code, so it needs the lock released.
                conflicts.update(to: lock.withLock { index.candidates(for: identity) })
                if !identity.isContribution, conflicts.taken.contains(where: { $0.identity.isAlike(identity) }) {
                    break
                }
            } while !insert(record, as: identity, ifStill: conflicts)
        }
    }

    /// Inserts a copy under an identity. Returns false if an entry with its key has come or gone since they were compared.
    private func insert(
        _ record: RegistrationRecord,
        as identity: Locator.Identity,
        ifStill conflicts: ConflictSnapshot
    ) -> Bool {
        lock.withRetireList { retired in
            if isTerminated { return true }
            guard identity.isContribution || conflicts.isCurrent(in: index) else { return false }
            // Counts as a cache of a given instance until the copy does, so that the parent does not dispose of it in
            // between. If the parent has disposed of it, nothing is copied.
            let given = record.hasDisposers ? record.given : nil
            if let given, !Disposal.keep(given, madeOf: record, in: self) { return true }
            unsafe insert(record, as: identity, &retired)
            retired.add(cached: given)
            return true
        }
    }
}

extension DependencyGraph {
    /// The entries that the declared and recorded dependencies of a registration lead to in a locator.
    fileprivate func dependencies(of record: RegistrationRecord, in core: LocatorCore) -> [Entry] {
        var targets: [Target] = []
        var requests = record.dependencies.map { ($0.type, $0.keyPart) }
        var entries: [Entry] = []
        for recorded in core.dependencyRecorder?.dependencies(of: record) ?? [] {
            let identity = recorded.identity
            if identity.isContribution {
                entries += core.contributions(to: identity.type, userKey: identity.userKey)
            } else {
                requests.append((identity.type, identity.requestedPart))
            }
        }
        for (type, keyPart) in requests {
            let request = ResolveRequest(
                type: type,
                keyPart: keyPart,
                location: record.location,
                isOptional: true
            )
            // A dependency that is not registered leads nowhere.
            try? find(request, in: core, .required, acceptsArguments: true, &targets)
        }
        return entries + targets.map(\.entry)
    }
}

extension Entry {
    /// A copy of the registration, which throws if the locator has released its factory closure.
    fileprivate func copiedForOverlay() -> RegistrationRecord {
        let (record, identity, location) = (record, identity, record.location)
        let fail: Factory = { _, _, _ in InjectleError.notCopied(identity, registeredIn: location) }
        return core.lock.withLock {
            let hasFactory = unsafe record.singletonFactory != nil || record.asyncFactory != nil
            let isReleased = record.isSingleton && record.given == nil && !hasFactory
            return isReleased ? unsafe record.copied(make: fail) : record.copied()
        }
    }
}

extension InjectleError {
    /// An overlay needs its own instance of a service whose factory closure is released.
    fileprivate static func notCopied(_ identity: Locator.Identity, registeredIn location: SourceLocation)
        -> InjectleError
    {
        let fix = "create the overlay before the service, or register it again: it was registered in \(location)"
        return InjectleError(.invalidRegistration, identity, fix: fix) {
            "\($0.identity) needs a service of the overlay, and was created before it, so it cannot be created again."
        }
    }
}
