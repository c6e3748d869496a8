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
}
