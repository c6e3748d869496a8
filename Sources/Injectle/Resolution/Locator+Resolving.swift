extension Locator {
    /// Tells whether a service is registered here or in a parent, without creation it.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: (any Car).self, key: "unknown")
    /// print(locator.isRegistered((any Car).self, key: "unknown"))  // Prints "true"
    /// print(locator.isRegistered(DeLorean.self, key: "unknown"))  // Prints "false"
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type it would be resolved as.
    ///   - key: The key it would be resolved by. Unlike resolving, this asks for exactly this type.
    /// - Returns: Whether there is a registration for type and key, whichever arguments it declares. What contributes
    ///   to a list does not count.
    /// - Complexity: O(1) on average for each locator that is searched, or O(*k*) where *k* registrations contribute to
    ///   the list of the type.
    public func isRegistered<Service>(_ type: Service.Type, key: AnyHashable? = nil) -> Bool {
        let userKey = key.map(ServiceKey.KeyPart.init)
        return core.chain.contains { core in
            core.entries(as: type, userKey: userKey).contains { !$0.identity.isContribution }
        }
    }

    /// Releases an instance and keeps its registration, so that the next resolve creates another one.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.resettable())
    /// let old = try locator.resolve(Garage.self)
    /// try locator.resetInstance(of: Garage.self)
    /// print(try locator.resolve(Garage.self) === old)  // Prints "false"
    /// ```
    ///
    /// It resets the instance that this locator would resolve: the locator's own instance of a service per locator, the
    /// prototype of a factory, and without arguments all instances of a service per argument. If the type only has a
    /// list of contributions, it resets all of them. A property with a volatile, weak, graph or copied instance keeps
    /// it; other properties return the new one.
    ///
    /// - Parameters:
    ///   - type: The type by which the service is resolved.
    ///   - key: The key by which it is resolved.
    ///   - argument: The arguments of the instance, for a service that is cached per argument.
    /// - Throws: ``InjectleError/missing`` if no registration is found; ``InjectleError/notResettable`` for an eager
    ///   instance, and for a lazy service or a factory without ``Registration/resettable()``;
    ///   ``InjectleError/locatorNotFound`` if no locator has the lifetime's name; ``InjectleError/factoryFailed`` with
    ///   the error of a ``CustomLifetime``.
    /// - Complexity: O(1) on average for each searched locator, or O(*k*) where *k* instances are released.
    public func resetInstance<Service, each Argument>(
        of type: Service.Type,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) {
        let call = ResolveRequest(type, nil, fileID, line, isOptional: false)
        let arguments = Arguments.list(repeat each argument)
        try core.resetInstance(call.with(key, arguments, requester: .resetInstance))
    }

    /// What is registered in this locator itself, in order of registration.
    ///
    /// Nothing is made.
    ///
    /// - Complexity: O(*n* log *n*) in the number of registrations.
    public var registrations: [RegistrationInfo] {
        let core = core
        return core.ownEntries.map { entry in
            let isCreated = core.instance(of: entry.record) != nil
            return RegistrationInfo(identity: entry.identity, lifetime: entry.record.lifetime, isCreated: isCreated)
        }
    }

    /// What can be said of a registration without creation its service.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() })
    /// for registration in locator.registrations { print(registration) }  // Prints "App.Garage: lazy"
    /// ```
    ///
    /// It has no service in it, so it can be kept, and handed to any thread. It says what was so when it was asked for.
    public struct RegistrationInfo: Sendable, CustomStringConvertible {
        /// What it is found by.
        ///
        /// A registration with several identities is listed once for each.
        public let identity: ServiceKey
        /// When instances are made, and who keeps them.
        public let lifetime: Lifetime
        /// Whether the locator has its instance, or a factory its prototype.
        public let isCreated: Bool

        /// The identity and the lifetime in one line: "App.Garage: lazy, created".
        public var description: String { "\(identity): \(lifetime)\(isCreated ? ", created" : "")" }
    }
}
