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

    /// Lets go of an instance, but not of its registration: whoever asks next has another one made.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.resettable())
    /// let old = try locator.resolve(Garage.self)
    /// try locator.resetInstance(of: Garage.self)
    /// print(try locator.resolve(Garage.self) === old)  // Prints "false"
    /// ```
    ///
    /// It is the instance that this locator would be given: of a service that is kept for each locator, this one's; of
    /// one that is kept for each list of arguments, all of them; of a factory, the prototype. Who holds an instance
    /// keeps it, as does a property that has a volatile, weak or graph one, or a copy; other properties are given the
    /// new one.
    ///
    /// - Parameters:
    ///   - type: The type it is resolved as.
    ///   - key: The key it is resolved by.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Throws: ``InjectleError/missing`` if there is no such registration; ``InjectleError/notResettable`` if there
    ///   is nothing to make another instance by, because a lazy one or a factory is not ``Registration/resettable()``,
    ///   or is an eager one; ``InjectleError/locatorNotFound`` if no locator of the lifetime's name is found; what the
    ///   ``CustomLifetime`` throws that is asked for its scope, as ``InjectleError/factoryFailed``. Where there is
    ///   only a list of that type, all of it is meant.
    /// - Complexity: O(1) on average, besides one step for each parent that is searched, or O(*k*) where *k* instances
    ///   go.
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
