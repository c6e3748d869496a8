extension Locator.Resolving {
    /// Returns the service of a type, created by an async factory closure or on another actor if need be.
    ///
    /// ```swift
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy { try await loadUser() })
    /// print(try await locator.resolveAsync(User.self).name)  // Prints "Ada"
    /// ```
    ///
    /// The closure runs on the registration's actor. Callers at the same time await one creation, which is cancelled
    /// when the last of them is cancelled.
    ///
    /// - Throws: ``InjectleError`` as ``resolve(_:key:arguments:fileID:line:)``, except
    ///   ``InjectleError/requiresAsync``; ``InjectleError/cancelled`` if the calling task is cancelled.
    public func resolveAsync<Service, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service {
        let arguments = Arguments.list(repeat each argument)
        let key = Locator.Key.make(key)
        if key == nil, arguments == nil, let argument = resolver.argument(for: type) { return argument }
        let request = Request(type, key, arguments, "resolveAsync", SourceLocation(fileID, line))
        return required(try await service(type, request, isolation))
    }

    /// Returns the service of a type, created by an async factory closure or on another actor if need be, or nil if it
    /// is not registered.
    ///
    /// ```swift
    /// print(try await locator.resolveOptionalAsync(Discount.self) == nil)  // Prints "true"
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``resolveAsync(_:key:arguments:isolation:fileID:line:)``, except
    ///   ``InjectleError/missing``.
    public func resolveOptionalAsync<Service, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service? {
        let arguments = Arguments.list(repeat each argument)
        let key = Locator.Key.make(key)
        if key == nil, arguments == nil, let argument = resolver.argument(for: Service?.self) {
            return argument
        }
        let location = SourceLocation(fileID, line)
        return try await service(
            type,
            Request(type, key, arguments, "resolveAsync", location, isOptional: true),
            isolation
        )
    }

    /// Returns all services that contribute to the list of a type, in order of registration, and creates those that are
    /// async.
    ///
    /// ```swift
    /// func loadCar() async -> DeLorean { DeLorean() }
    ///
    /// locator.register(.lazy { await loadCar() }.contributing(to: (any Car).self))
    /// print(try await locator.resolveAllAsync((any Car).self).map(\.name))  // Prints "["DeLorean"]"
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``resolveAsync(_:key:arguments:isolation:fileID:line:)`` for each service.
    public func resolveAllAsync<Service, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> [Service] {
        defer { withExtendedLifetime(self) {} }
        let arguments = Arguments.list(repeat each argument)
        let key = Locator.Key.make(key)
        if key == nil, arguments == nil, let argument = resolver.argument(for: [Service].self) {
            return argument
        }
        let core = resolver.core
        let location = SourceLocation(fileID, line)
        let request = Request([Service].self, key, arguments, "resolveAllAsync", location)
        if core.hasReleasedAll { throw .ended(request, core) }
        return try await core.composeInTask([Service].self, request, isolation).service(as: [Service].self)
    }

    private func service<Service>(
        _ type: Service.Type,
        _ request: Request,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        return try await resolver.core.resolveAsync(type, request, isolation)
    }
}

extension LocatorCore {
    func resolveAsync<Service>(_ type: Service.Type, _ request: Request, _ isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Service?
    {
        if request.identity.keyed == nil, request.arguments == nil, let service = existing(type) { return service }
        do throws(InjectleError) {
            let instance = try await provideInTask(request, isolation: isolation)
            return request.isOptional && instance?.isNil ?? true ? nil : instance?.service(as: type)
        } catch {
            willThrow(error, at: request.origin.location)
            throw error
        }
    }
}
