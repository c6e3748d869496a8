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
        let (keyPart, arguments) = (Locator.Identity.KeyPart.make(key), Arguments.list(repeat each argument))
        if keyPart == nil, arguments == nil, let argument = resolvingContext.argument(for: type) { return argument }
        let call = ResolveRequest(type, fileID, line, isOptional: false)
        return required(try await service(type, keyPart, arguments, call, isolation))
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
        let (keyPart, arguments) = (Locator.Identity.KeyPart.make(key), Arguments.list(repeat each argument))
        if keyPart == nil, arguments == nil, let argument = resolvingContext.argument(for: Service?.self) {
            return argument
        }
        let call = ResolveRequest(type, fileID, line, isOptional: true)
        return try await service(type, keyPart, arguments, call, isolation)
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
        let (keyPart, arguments) = (Locator.Identity.KeyPart.make(key), Arguments.list(repeat each argument))
        if keyPart == nil, arguments == nil, let argument = resolvingContext.argument(for: [Service].self) {
            return argument
        }
        let core = resolvingContext.core
        let call = ResolveRequest([Service].self, fileID, line, isOptional: false)
        let request = call.with(keyPart, arguments, requester: .resolveAllAsync)
        if core.isTerminated { throw .ended(request, core) }
        let instances = try await Resolution.provideListInTask(of: type, request, in: core, isolation: isolation)
        return instances.map { $0.loaded(as: type) }
    }

    private func service<Service>(
        _ type: Service.Type,
        _ keyPart: Locator.Identity.KeyPart?,
        _ arguments: Arguments?,
        _ call: ResolveRequest,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        return try await resolvingContext.core.resolveAsync(type, keyPart, arguments, call, isolation)
    }
}

extension LocatorCore {
    func resolveAsync<Service>(
        _ type: Service.Type,
        _ keyPart: Locator.Identity.KeyPart?,
        _ arguments: Arguments?,
        _ call: ResolveRequest,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Service? {
        if keyPart == nil, arguments == nil, let service = unsafe LocatorHeader.load(type, header) { return service }
        let request = call.with(keyPart, arguments, requester: .resolveAsync)
        let instance = try await Resolution.provideInTask(request, in: self, isolation: isolation)
        return instance?.loaded(as: type)
    }
}
