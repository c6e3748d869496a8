// A key whose type is known, in place of a type and a key.

extension Locator.Resolving {
    /// Returns the service of a key, and creates it first if there is no instance.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: .fast)
    /// let car = try locator.resolve(.fast)
    /// print(car.name)  // Prints "DeLorean"
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key of the registration, which determines the type.
    ///   - argument: The arguments.
    /// - Throws: ``InjectleError`` as ``resolve(_:key:arguments:fileID:line:)``.
    /// - Complexity: As ``resolve(_:key:arguments:fileID:line:)``.
    @inlinable
    public func resolve<Service, each Argument>(
        _ key: ServiceKey<Service>,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        let core = resolver.core
        let location = SourceLocation(fileID, line)
        defer { withExtendedLifetime(self) {} }
        guard let arguments = Arguments.list(repeat each argument) else {
            return try core.resolve(Service.self, key.key, location)
        }
        return try core.provide(Service.self, key.key, arguments, location).service(as: Service.self)
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
