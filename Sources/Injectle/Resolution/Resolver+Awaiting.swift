// Resolving for closures that can await, as a locator does.

extension Locator.Resolver {
    /// The service of a type, awaited, as ``Locator/resolveAsync(_:key:isolation:fileID:line:)->Service`` finds it.
    ///
    /// ```swift
    /// locator.register(.lazy { locator in
    ///     Repository(database: try await locator.resolveAsync())
    /// })
    /// ```
    ///
    /// - Throws: ``InjectleError`` if it is not registered, cannot be made, or is being made already.
    public func resolveAsync<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service {
        if key == nil, let given = given(type) { return given }
        let call = Call(type, isolation, fileID, line, isOptional: false)
        return required(try await core.resolveAsync(type, key, nil, call, isolation))
    }

    /// The service that an optional type wraps, awaited, or nil if none is registered.
    ///
    /// - Throws: ``InjectleError`` if it is registered and cannot be made.
    public func resolveAsync<Service>(
        _ type: Service?.Type = Service?.self,
        key: AnyHashable? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service? {
        try await resolveOptionalAsync(Service.self, key: key, isolation: isolation, fileID: fileID, line: line)
    }

    /// The service of a type that is made of arguments, awaited. What this resolver has itself is not passed on.
    ///
    /// - Throws: ``InjectleError`` if it is not registered, cannot be made, or is being made already.
    public func resolveAsync<Service, First, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service {
        let call = Call(type, isolation, fileID, line, isOptional: false)
        let arguments = Arguments(first, repeat each rest)
        return required(try await core.resolveAsync(type, key, arguments, call, isolation))
    }

    /// The service of a type, awaited, or nil if none is registered.
    ///
    /// - Throws: ``InjectleError`` if it is registered and cannot be made.
    public func resolveOptionalAsync<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service? {
        if key == nil, let given = given(Service?.self) { return given }
        let call = Call(type, isolation, fileID, line, isOptional: true)
        return try await core.resolveAsync(type, key, nil, call, isolation)
    }

    /// The service of a type that is made of arguments, awaited, or nil if none is registered.
    ///
    /// - Throws: ``InjectleError`` if it is registered and cannot be made.
    public func resolveOptionalAsync<Service, First, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service? {
        let call = Call(type, isolation, fileID, line, isOptional: true)
        let arguments = Arguments(first, repeat each rest)
        return try await core.resolveAsync(type, key, arguments, call, isolation)
    }

    /// All services that contribute to the list of a type, in order of registration, one awaited after the other.
    ///
    /// - Throws: ``InjectleError`` if one of them cannot be made.
    public func resolveAllAsync<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> [Service] {
        let call = Call([Service].self, isolation, fileID, line, isOptional: false)
        return try await core.resolveAllAsync(type, key, nil, call, isolation)
    }

    /// All services that contribute to the list of a type, each made of the same arguments, one awaited after the
    /// other.
    ///
    /// - Throws: ``InjectleError`` if one of them cannot be made.
    public func resolveAllAsync<Service, First, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> [Service] {
        let call = Call([Service].self, isolation, fileID, line, isOptional: false)
        return try await core.resolveAllAsync(type, key, Arguments(first, repeat each rest), call, isolation)
    }
}
