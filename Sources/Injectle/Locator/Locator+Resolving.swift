public import CInjectle

extension Locator {
    /// The service of a type, with or without a key.
    ///
    /// ```swift
    /// let car = try locator.resolve((any Car).self, key: "unknown")
    /// let clock: Clock = try locator.resolve()
    /// ```
    ///
    /// Looks here and then in the parents. With a key, the service registered under type and key is taken, or else the
    /// latest one with that key, whatever it was registered as. A type of `T?` asks for `T`, and gets nil if there is none.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made now if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError``: ``InjectleError/missing``, ``InjectleError/wrongType``, ``InjectleError/cycle``,
    ///   ``InjectleError/deadlock``, ``InjectleError/tooDeep``, ``InjectleError/wrongIsolation``,
    ///   ``InjectleError/factoryFailed`` or ``InjectleError/cancelled``.
    /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched, without a lock.
    @inlinable
    public func resolve<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        // Not `key == nil`, which compares two keys.
        if case .none = key, let service = made(type) { return service }
        return try resolveSlowly(type, key, isolation, fileID, line)
    }

    /// The service of a type, with or without a key, or nil if none is registered.
    ///
    /// What is registered and cannot be made is an error, not nil.
    ///
    /// ```swift
    /// let cache = try locator.resolveOptional((any Cache).self)
    /// ```
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, or nil if nothing is registered under this type and key.
    /// - Throws: ``InjectleError`` as ``resolve(_:key:isolation:fileID:line:)``, but for ``InjectleError/missing``, which
    ///   can then only concern what the service itself needs.
    /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched.
    public func resolveOptional<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        // Not `key == nil`, which compares two keys.
        if case .none = key, let service = made(type) { return service }
        return try Resolution.serviceIfRegistered(type, Request(type, key, isolation, fileID, line), in: core)
    }

    /// Whether a service is registered here or in a parent, without making it.
    ///
    /// - Parameters:
    ///   - type: The type it would be resolved as.
    ///   - key: The key it would be resolved by. Unlike resolving, this asks for exactly this type.
    /// - Returns: Whether there is a registration for type and key.
    public func isRegistered<Service>(_ type: Service.Type, key: AnyHashable? = nil) -> Bool {
        let identity = ServiceKey(type, key: key)
        return core.chain.contains { $0.ownSlot(identity) != nil }
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

    /// The instance that is there already.
    @inlinable
    @inline(__always)
    func made<Service>(_ type: Service.Type) -> Service? {
        guard let head = own?.head else { return nil }
        let thread = injectle_enter()
        guard
            let slot = CoreHead.find(UInt(bitPattern: ObjectIdentifier(type)), from: head),
            let service = SlotHead.service(of: slot)
        else {
            injectle_leave(thread)
            return nil
        }
        let copy = service.assumingMemoryBound(to: Service.self).pointee
        injectle_leave(thread)
        return copy
    }

    @usableFromInline
    func resolveSlowly<Service>(
        _ type: Service.Type,
        _ key: AnyHashable?,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt
    ) throws(InjectleError) -> Service {
        try Resolution.service(type, Request(type, key, isolation, fileID, line), in: core)
    }
}
