// The ways to resolve by a key whose type is known. Each does the same as the one for a type and a key.

extension Locator.Resolving {
    /// Returns the service of a key, and creates it first if there is no instance.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: .fast)
    /// let car = try locator.resolve(.fast)
    /// print(car.name)  // Prints "DeLorean"
    /// ```
    ///
    /// Reading an existing instance takes no lock.
    ///
    /// - Parameter key: The key of the registration, which determines the type.
    /// - Throws: ``InjectleError`` as ``resolve(_:key:arguments:fileID:line:)``.
    /// - Complexity: O(1) for an existing instance, and one step for each parent that is searched.
    @inlinable
    public func resolve<Service>(
        _ key: ServiceKey<Service>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        try resolve(Service.self, key: key, fileID: fileID, line: line)
    }

    /// Returns the service of a key, created with arguments.
    @inlinable
    @_disfavoredOverload
    public func resolve<Service, each Argument>(
        _ key: ServiceKey<Service>,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        try resolve(
            Service.self,
            key: AnyHashable(key),
            arguments: repeat each argument,
            fileID: fileID,
            line: line
        )
    }

    /// Returns the service of a key, or nil if there is neither a registration nor a default.
    @inlinable
    public func resolveOptional<Service>(
        _ key: ServiceKey<Service>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        try resolveOptional(Service.self, key: key, fileID: fileID, line: line)
    }

    /// Returns all services that contribute to the list of a key's type, in order of registration.
    @inlinable
    public func resolveAll<Service>(
        _ key: ServiceKey<Service>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> [Service] {
        try resolveAll(Service.self, key: key, fileID: fileID, line: line)
    }

    /// Returns the service of a key, created by an async factory closure or on another actor if need be.
    public func resolveAsync<Service, each Argument>(
        _ key: ServiceKey<Service>,
        arguments argument: repeat each Argument,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service {
        try await resolveAsync(
            Service.self,
            key: key,
            arguments: repeat each argument,
            isolation: isolation,
            fileID: fileID,
            line: line
        )
    }
}
