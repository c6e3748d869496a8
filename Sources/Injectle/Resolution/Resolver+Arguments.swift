// Resolving with arguments, and resolving several services at once, as a locator does.

extension Locator.Resolver {
    /// The service of a type that is made of arguments, as
    /// ``Locator/resolve(_:key:arguments:_:isolation:fileID:line:)`` finds it. What this resolver has itself is not
    /// passed on.
    ///
    /// - Throws: ``InjectleError`` if it is not registered, cannot be made, or is being made already.
    @inlinable
    public func resolve<Service, First, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        defer { withExtendedLifetime(core) {} }
        let call = Call(type, isolation, fileID, line, isOptional: false)
        return required(try CoreHead.resolve(type, key, Arguments(first, repeat each rest), call, core.head))
    }

    /// The service of a type that is made of arguments, or nil if none is registered.
    ///
    /// - Throws: ``InjectleError`` if it is registered and cannot be made.
    @inlinable
    public func resolveOptional<Service, First, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        defer { withExtendedLifetime(core) {} }
        let call = Call(type, isolation, fileID, line, isOptional: true)
        return try CoreHead.resolve(type, key, Arguments(first, repeat each rest), call, core.head)
    }

    /// All services that contribute to the list of a type, as ``Locator/resolveAll(_:key:isolation:fileID:line:)``
    /// finds them.
    ///
    /// - Throws: ``InjectleError`` if one of them cannot be made.
    @inlinable
    public func resolveAll<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> [Service] {
        defer { withExtendedLifetime(core) {} }
        let call = Call([Service].self, isolation, fileID, line, isOptional: false)
        return try CoreHead.resolveAll(type, key, nil, call, core.head)
    }

    /// All services that contribute to the list of a type, each made of the same arguments.
    ///
    /// - Throws: ``InjectleError`` if one of them cannot be made.
    @inlinable
    public func resolveAll<Service, First, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> [Service] {
        defer { withExtendedLifetime(core) {} }
        let call = Call([Service].self, isolation, fileID, line, isOptional: false)
        return try CoreHead.resolveAll(type, key, Arguments(first, repeat each rest), call, core.head)
    }
}
