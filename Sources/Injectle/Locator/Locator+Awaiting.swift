// Resolving for code that can await.

extension Locator {
    /// The service of a type, awaited.
    ///
    /// ```swift
    /// locator.register(.lazy { try await Database.open() })
    /// let database: Database = try await locator.resolveAsync()
    /// ```
    ///
    /// Finds what ``resolve(_:isolation:fileID:line:)->Service`` finds, and also makes what cannot be made without
    /// awaiting: a service whose closure is asynchronous, and one that belongs to another actor, which is gone to and
    /// come back from.
    ///
    /// One is made for all who ask, tasks and threads. An asynchronous closure runs in a task of its own, so whoever is
    /// cancelled while it waits leaves at once, and harms nobody; when all who waited have left, that task is
    /// cancelled. It inherits the task-locals of who asked first. A volatile service is made by the task that asks.
    ///
    /// A closure that is not asynchronous, and asks for a service that is and is not there yet, ends by
    /// ``InjectleError/asynchronous``. That service is then awaited, and the closure called again.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - isolation: The actor that asks, and that this returns to; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made now if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)->Service``, and
    ///   ``InjectleError/cancelled`` if the calling task is cancelled while it waits.
    /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched, without
    ///   suspending.
    public func resolveAsync<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service {
        defer { withExtendedLifetime(self) {} }
        let call = Call(type, isolation, fileID, line, isOptional: false)
        return required(try await core.resolveAsync(type, key, nil, call, isolation))
    }

    /// The service that an optional type wraps, awaited, or nil if none is registered.
    ///
    /// - Throws: ``InjectleError`` as ``resolveOptionalAsync(_:key:isolation:fileID:line:)``.
    public func resolveAsync<Service>(
        _ type: Service?.Type = Service?.self,
        key: AnyHashable? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service? {
        try await resolveOptionalAsync(Service.self, key: key, isolation: isolation, fileID: fileID, line: line)
    }

    /// The service of a type that is made of arguments, awaited.
    ///
    /// - Throws: ``InjectleError`` as ``resolveAsync(_:key:isolation:fileID:line:)->Service``, and
    ///   ``InjectleError/wrongArguments`` if there are only registrations that declare others.
    public func resolveAsync<Service, First, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service {
        defer { withExtendedLifetime(self) {} }
        let call = Call(type, isolation, fileID, line, isOptional: false)
        let arguments = Arguments(first, repeat each rest)
        return required(try await core.resolveAsync(type, key, arguments, call, isolation))
    }

    /// The service of a type, awaited, or nil if none is registered.
    ///
    /// - Throws: ``InjectleError`` as ``resolveAsync(_:key:isolation:fileID:line:)->Service``, but for
    ///   ``InjectleError/missing``, which can then only concern what the service itself needs.
    public func resolveOptionalAsync<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        let call = Call(type, isolation, fileID, line, isOptional: true)
        return try await core.resolveAsync(type, key, nil, call, isolation)
    }

    /// The service of a type that is made of arguments, awaited, or nil if none is registered.
    ///
    /// - Throws: ``InjectleError`` as ``resolveOptionalAsync(_:key:isolation:fileID:line:)``.
    public func resolveOptionalAsync<Service, First, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        let call = Call(type, isolation, fileID, line, isOptional: true)
        let arguments = Arguments(first, repeat each rest)
        return try await core.resolveAsync(type, key, arguments, call, isolation)
    }

    /// All services that contribute to the list of a type, in order of registration, one awaited after the other.
    ///
    /// ```swift
    /// let steps = try await locator.resolveAllAsync((any Step).self)
    /// ```
    ///
    /// - Throws: ``InjectleError`` if one of them cannot be made, or the calling task is cancelled while it waits.
    public func resolveAllAsync<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> [Service] {
        defer { withExtendedLifetime(self) {} }
        let call = Call([Service].self, isolation, fileID, line, isOptional: false)
        return try await core.resolveAllAsync(type, key, nil, call, isolation)
    }

    /// All services that contribute to the list of a type, each made of the same arguments, one awaited after the
    /// other.
    ///
    /// - Throws: ``InjectleError`` if one of them cannot be made, or the calling task is cancelled while it waits.
    public func resolveAllAsync<Service, First, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) -> [Service] {
        defer { withExtendedLifetime(self) {} }
        let call = Call([Service].self, isolation, fileID, line, isOptional: false)
        return try await core.resolveAllAsync(type, key, Arguments(first, repeat each rest), call, isolation)
    }
}

// What a locator and a resolver have in common.

extension Core {
    func resolveAsync<Service>(
        _ type: Service.Type,
        _ key: AnyHashable?,
        _ arguments: Arguments?,
        _ call: Call,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Service? {
        if key == nil, arguments == nil, let service = CoreHead.load(type, head) { return service }
        let request = call.request(key, arguments, asker: "resolveAsync")
        let instance = try await Resolution.provideInTask(
            request,
            in: self,
            isOptional: call.isOptional,
            isolation: isolation
        )
        return instance?.loaded(as: type)
    }

    func resolveAllAsync<Service>(
        _ type: Service.Type,
        _ key: AnyHashable?,
        _ arguments: Arguments?,
        _ call: Call,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> [Service] {
        let request = call.request(key, arguments, asker: "resolveAllAsync")
        if hasEnded { throw .ended(request, self) }
        let instances = try await Resolution.provideListInTask(of: type, request, in: self, isolation: isolation)
        return instances.map { $0.loaded(as: type) }
    }
}
