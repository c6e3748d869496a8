extension Locator {
    /// Returns whether a service is registered in this locator or a parent, without creating it.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: (any Car).self, key: "unknown")
    /// print(locator.isRegistered((any Car).self, key: "unknown"))  // Prints "true"
    /// print(locator.isRegistered(DeLorean.self, key: "unknown"))  // Prints "false"
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the service. Unlike `resolve`, a key alone does not find a registration, nor are the types
    ///     registered that a resolve composes, such as a list of contributions, ``Lazy``, ``Provider`` and
    ///     ``Resolver``.
    ///   - key: The key of the registration.
    /// - Returns: True for a registration with any arguments, false for contributions to a list.
    /// - Complexity: O(1) on average for each locator that is searched, or O(*k*) where *k* registrations contribute to
    ///   the list of the type.
    public func isRegistered<Service>(_ type: Service.Type, key: AnyHashable? = nil) -> Bool {
        let identity = Identity(type, key: key)
        return core.chain.contains { $0.entry(identity)?.registrations().contains { !$0.isContribution } ?? false }
    }

    /// Releases an instance and keeps its registration, so that the next resolve creates another one.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() })
    /// let old = try locator.resolve(Garage.self)
    /// try locator.resetInstance(of: Garage.self)
    /// print(try locator.resolve(Garage.self) === old)  // Prints "false"
    /// ```
    ///
    /// It resets the instance that this locator would resolve: the locator's own instance of a service per locator, the
    /// prototype of a factory, and without arguments all instances of a service per argument. If the type only has a
    /// list of contributions, it resets all of them. A property with a volatile, weak, graph or copied instance keeps
    /// it; other properties return the new one. An eager service stays as it is, since the locator did not create it.
    ///
    /// - Parameters:
    ///   - type: The type by which the service is resolved.
    ///   - key: The key by which it is resolved.
    ///   - argument: The arguments of the instance, for a service that is cached per argument.
    /// - Throws: ``InjectleError/missing`` if no registration is found; ``InjectleError/locatorNotFound`` if no locator
    ///   has the lifetime's name; ``InjectleError/factoryFailed`` with the error of a ``CustomLifetime``.
    /// - Complexity: O(1) on average for each searched locator, or O(*k*) where *k* instances are released.
    public func resetInstance<Service, each Argument>(
        of type: Service.Type,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) {
        let arguments = Arguments.list(repeat each argument)
        let location = SourceLocation(fileID, line)
        try core.resetInstance(Request(type, .make(key), arguments, "resetInstance", location))
    }

    /// The registrations of this locator, without its parents, in order of registration.
    ///
    /// - Complexity: O(*n* log *n*) in the number of registrations.
    public var registrations: [RegistrationInfo] {
        let core = core
        return core.registrations.map { found in
            let isCreated = core.hasInstance(of: found.record)
            return RegistrationInfo(
                identity: found.entry.identity,
                lifetime: found.record.traits.lifetime,
                isCreated: isCreated,
                title: found.title
            )
        }
    }

    /// A description of a registration.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() })
    /// for registration in locator.registrations { print(registration) }  // Prints "App.Garage: lazy"
    /// ```
    ///
    /// It has no reference to the service, and is the state at the time of the call.
    public struct RegistrationInfo: Sendable, CustomStringConvertible {
        /// The type and key.
        ///
        /// A registration with several identities is listed once for each.
        public let identity: Locator.Identity
        /// The lifetime of instances.
        public let lifetime: Lifetime
        /// Whether the locator has an instance, or the prototype of a factory.
        public let isCreated: Bool
        /// The identity, the arguments that the closure declares, and whether it contributes to a list.
        let title: String

        /// The identity and the lifetime in one line: "App.Garage: lazy, created".
        ///
        /// It also has the types of the arguments that the closure declares, and says of a contribution that it is one.
        ///
        /// ```swift
        /// locator.register(.volatile { (_, name: String) in User(name: name) })
        /// print(locator.registrations[0])  // Prints "App.User, with (String): volatile"
        /// ```
        public var description: String { "\(title): \(lifetime)\(isCreated ? ", created" : "")" }
    }
}

extension LocatorCore {
    /// The instance of a registration that this locator has, if no arguments distinguish several.
    func instance(of record: AnyRecord) -> AnyInstance? {
        if let ready = record.readyInstance { return ready }
        return presentCell(of: record)?.state.withLock { $0.instance }?.revived(by: record)
    }

    /// Whether this locator has an instance of a registration, or several that arguments distinguish. The instances of
    /// scopes belong to the registering locator.
    func hasInstance(of record: AnyRecord) -> Bool {
        if record.readyInstance != nil { return true }
        let scopes = record.core === self ? record.scopes?.withLock { Array($0.values) } ?? [] : []
        return cells(of: record).contains { $0.hasInstance }
            || scopes.contains { $0.cells(of: record).contains { $0.hasInstance } }
    }

    /// Ends the instances that a request can return, and keeps their registrations.
    fileprivate func resetInstance(_ request: Request) throws(InjectleError) {
        let identity = Locator.Identity(unwrapped(request.identity.type), request.identity.keyed)
        var found: [Found] = []
        switch find(identity, given: request.arguments) {
        case .registration(let registration): found.append(registration)
        case .otherArguments: break
        case .nothing:
            let alone = identity.keyed.flatMap { findByKeyAlone($0, as: identity.type, given: request.arguments) }
            if let alone { found.append(alone) }
        }
        if request.arguments == nil { found += registrationsWithArguments(as: identity) }
        if found.isEmpty { found = contributions(to: identity) }
        if found.isEmpty { throw .missing(request, in: self) }
        var due: [(record: AnyRecord, candidate: Candidate)] = []
        // The locator cannot create another eager instance, and returns this one again.
        for found in found.flatMap(withDecorated) where !found.record.traits.lifetime.isSupplied {
            let requested = try Acquisition(found, for: request, from: self)
            let acquisition = found.record.copiesPrototype ? requested.ofPrototype : requested
            due += acquisition.candidates.all.filter { !$0.isGraph }.map { (found.record, $0) }
        }
        Ending.run { items in
            items = due.flatMap { record, candidate in candidate.holder.endCells(of: record, for: candidate.key) }
            return nil
        }
    }

    /// A registration, and those that only it requests, as a decorator.
    private func withDecorated(_ found: Found) -> [Found] {
        var all = [found]
        while case .registration(let decorated)? = all[all.count - 1].record.decorated,
            state.withLock({ _ in decorated.record.isWrapped && decorated.record.entries.isSingle })
        {
            all.append(decorated)
        }
        return all
    }
}
