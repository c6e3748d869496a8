extension Locator {
    /// The service of a type.
    ///
    /// ```swift
    /// let clock: Clock = try locator.resolve()
    /// let car = try locator.resolve((any Car).self)
    /// ```
    ///
    /// Looks here and then in the parents. A type of `T?` asks for `T`, and gets nil if there is none.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made now if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError``: ``InjectleError/missing``, ``InjectleError/wrongType``, ``InjectleError/cycle``,
    ///   ``InjectleError/deadlock``, ``InjectleError/tooDeep``, ``InjectleError/wrongIsolation``,
    ///   ``InjectleError/factoryFailed`` or ``InjectleError/cancelled``.
    /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched, without a
    ///   lock.
    @inlinable
    public func resolve<Service>(
        _ type: Service.Type = Service.self,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        defer { withExtendedLifetime(self) {} }
        return required(try CoreHead.resolve(type, isolation, fileID, line, isOptional: false, readHead))
    }

    /// The service that an optional type wraps, or nil if none is registered: the same as
    /// ``resolveOptional(_:isolation:fileID:line:)``.
    ///
    /// ```swift
    /// let cache: (any Cache)? = try locator.resolve()
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``resolveOptional(_:isolation:fileID:line:)``.
    @inlinable
    public func resolve<Service>(
        _ type: Service?.Type = Service?.self,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        try resolveOptional(Service.self, isolation: isolation, fileID: fileID, line: line)
    }

    /// The service of a type that was registered with a key.
    ///
    /// ```swift
    /// let car = try locator.resolve((any Car).self, key: "unknown")
    /// ```
    ///
    /// The service registered under type and key is taken, from here or a parent; or else the latest one with that key,
    /// whatever it was registered as.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with; nil asks for the one without a key.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made now if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)->Service``.
    @inlinable
    @inline(never)
    @_disfavoredOverload
    public func resolve<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable?,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        defer { withExtendedLifetime(self) {} }
        let call = Call(type, isolation, fileID, line, isOptional: false)
        return required(try CoreHead.resolve(type, key, nil, call, readHead))
    }

    /// The service of a type that was registered with a key, as
    /// ``resolve(_:key:isolation:fileID:line:)-(_,AnyHashable?,_,_,_)`` finds it.
    ///
    /// Taken where the type of the key is known, as that of a string or of an enumeration's case is: it is the faster
    /// one.
    ///
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)->Service``.
    @inlinable
    public func resolve<Service, Key: Hashable>(
        _ type: Service.Type = Service.self,
        key: Key?,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        defer { withExtendedLifetime(self) {} }
        return required(
            try CoreHead.resolve(type, key, isolation, fileID, line, isOptional: false, readHead)
        )
    }

    /// The service of a type, or nil if none is registered.
    ///
    /// What is registered and cannot be made is an error, not nil.
    ///
    /// ```swift
    /// let cache = try locator.resolveOptional((any Cache).self)
    /// ```
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, or nil if nothing is registered under this type.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)->Service``, but for
    ///   ``InjectleError/missing``, which can then only concern what the service itself needs.
    /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched.
    @inlinable
    public func resolveOptional<Service>(
        _ type: Service.Type = Service.self,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        return try CoreHead.resolve(type, isolation, fileID, line, isOptional: true, readHead)
    }

    /// The service of a type that was registered with a key, or nil if none is.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with; nil asks for the one without a key.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, or nil if nothing is registered under this type and key, or under the key alone.
    /// - Throws: ``InjectleError`` as ``resolveOptional(_:isolation:fileID:line:)``.
    @inlinable
    @inline(never)
    @_disfavoredOverload
    public func resolveOptional<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable?,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        let call = Call(type, isolation, fileID, line, isOptional: true)
        return try CoreHead.resolve(type, key, nil, call, readHead)
    }

    /// The service of a type that was registered with a key, or nil if none is. As the other one, where the type of the
    /// key is known.
    ///
    /// - Throws: ``InjectleError`` as ``resolveOptional(_:isolation:fileID:line:)``.
    @inlinable
    public func resolveOptional<Service, Key: Hashable>(
        _ type: Service.Type = Service.self,
        key: Key?,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        return try CoreHead.resolve(type, key, isolation, fileID, line, isOptional: true, readHead)
    }

    /// Whether a service is registered here or in a parent, without making it.
    ///
    /// - Parameters:
    ///   - type: The type it would be resolved as.
    ///   - key: The key it would be resolved by. Unlike resolving, this asks for exactly this type.
    /// - Returns: Whether there is a registration for type and key, whichever arguments it declares. What contributes
    ///   to a list does not count.
    public func isRegistered<Service>(_ type: Service.Type, key: AnyHashable? = nil) -> Bool {
        let label = key.map(ServiceKey.Label.init)
        return core.chain.contains { core in
            core.slots(as: type, label: label).contains { !$0.identity.isContribution }
        }
    }

    /// Lets go of an instance, but not of its registration: whoever asks next has another one made.
    ///
    /// ```swift
    /// locator.register(.lazy { Account() }.resettable())
    /// try locator.resetInstance(of: Account.self)
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
    ///   or is an eager one. Where there is only a list of that type, all of it is meant.
    public func resetInstance<Service>(
        of type: Service.Type,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) {
        try core.resetInstance(
            Call(type, nil, fileID, line, isOptional: false).request(key, nil, asker: "resetInstance")
        )
    }

    /// Lets go of the instance that was made of some arguments, but not of its registration.
    ///
    /// - Throws: ``InjectleError`` as ``resetInstance(of:key:fileID:line:)``.
    public func resetInstance<Service, First, each Argument>(
        of type: Service.Type,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) {
        let call = Call(type, nil, fileID, line, isOptional: false)
        let arguments = Arguments(first, repeat each rest)
        try core.resetInstance(call.request(key, arguments, asker: "resetInstance"))
    }

    /// What is registered in this locator itself, in order of registration. Nothing is made.
    ///
    /// - Complexity: O(*n* log *n*) in the number of registrations.
    public var registrations: [Summary] {
        let core = core
        return core.ownSlots.map { slot in
            let isMade = core.instance(of: slot.record) != nil
            return Summary(identity: slot.identity, lifetime: slot.record.lifetime, isMade: isMade)
        }
    }

    /// What can be said of a registration without making its service.
    public struct Summary: Sendable, CustomStringConvertible {
        /// What it is found by. A registration with several identities is listed once for each.
        public let identity: ServiceKey
        /// When instances are made, and who keeps them.
        public let lifetime: Lifetime
        /// Whether the locator has its instance, or a factory its prototype.
        public let isMade: Bool

        /// The identity and the lifetime.
        public var description: String { "\(identity): \(lifetime)\(isMade ? ", made" : "")" }
    }
}
