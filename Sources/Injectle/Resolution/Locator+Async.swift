// Resolving for code that can await.

extension Locator {
    /// Resolves the service of a type, and awaits it.
    ///
    /// ```swift
    /// struct Index: Sendable { static func load() async throws -> Index { Index() } }
    /// locator.register(.lazy { try await Index.load() })
    /// let index: Index = try await locator.resolveAsync()
    /// ```
    ///
    /// Finds what ``resolve(_:isolation:fileID:line:)->Service`` finds, and also makes what cannot be made without
    /// awaiting: a service whose closure is asynchronous, and one that belongs to another actor, which is gone to and
    /// come back from. It can be called from any actor, and waits without blocking a thread. See <doc:StartAndClose>.
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
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)->Service``, and ``InjectleError/cancelled``
    ///   if the calling task is cancelled while it waits.
    /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched, without
    ///   suspending. Else what its creation costs.
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

    /// The same as ``resolveOptionalAsync(_:key:isolation:fileID:line:)``, asked for by an optional type.
    ///
    /// ```swift
    /// let discount: Discount? = try await locator.resolveAsync()
    /// print(discount == nil)  // Prints "true"
    /// ```
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

    /// Resolves the service of a type that is made of arguments, and awaits it.
    ///
    /// ```swift
    /// locator.register(.lifetime(.perArgument) { (locator, name: String) async in User(name: name) })
    /// let user = try await locator.resolveAsync(User.self, arguments: "Ada")
    /// print(user.name)  // Prints "Ada"
    /// ```
    ///
    /// Which registration the arguments find is said at ``resolve(_:key:arguments:_:isolation:fileID:line:)``; how it
    /// is awaited, at ``resolveAsync(_:key:isolation:fileID:line:)->Service``.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - first: The first argument.
    ///   - rest: The others, in their order.
    ///   - isolation: The actor that asks, and that this returns to; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made of the arguments if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError`` as ``resolveAsync(_:key:isolation:fileID:line:)->Service``, and
    ///   ``InjectleError/wrongArguments`` if there are only registrations that declare others.
    /// - Complexity: That of ``resolve(_:key:arguments:_:isolation:fileID:line:)``.
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

    /// Resolves the service of a type, and awaits it, or returns nil if none is registered.
    ///
    /// ```swift
    /// print(try await locator.resolveOptionalAsync((any Car).self) == nil)  // Prints "true"
    /// locator.register(.lazy { Taxi() }, for: (any Car).self)
    /// print(try await locator.resolveOptionalAsync((any Car).self)?.name ?? "none")  // Prints "taxi"
    /// ```
    ///
    /// How it is awaited is said at ``resolveAsync(_:key:isolation:fileID:line:)->Service``.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - isolation: The actor that asks, and that this returns to; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, or nil if nothing is registered under this type and key, or under the key alone.
    /// - Throws: ``InjectleError`` as ``resolveAsync(_:key:isolation:fileID:line:)->Service``, but for
    ///   ``InjectleError/missing``, which can then only concern what the service itself needs.
    /// - Complexity: That of ``resolveAsync(_:key:isolation:fileID:line:)->Service``.
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

    /// The same as ``resolveAsync(_:key:arguments:_:isolation:fileID:line:)``, but nil if none is registered.
    ///
    /// ```swift
    /// let user = try await locator.resolveOptionalAsync(User.self, arguments: "Ada")
    /// print(user == nil)  // Prints "true"
    /// ```
    ///
    /// - Returns: The instance, or nil if nothing is registered under this type and key, or under the key alone.
    /// - Throws: ``InjectleError`` as ``resolveOptionalAsync(_:key:isolation:fileID:line:)``, and
    ///   ``InjectleError/wrongArguments`` if there are only registrations that declare others.
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

    /// Resolves all services that contribute to the list of a type, in order of registration, and awaits one after the
    /// other.
    ///
    /// ```swift
    /// locator.register(.lazy { () async -> Taxi in Taxi() }.contributing(to: (any Car).self))
    /// locator.register(.lazy { DeLorean() }.contributing(to: (any Car).self))
    /// let cars = try await locator.resolveAllAsync((any Car).self)
    /// print(cars.map(\.name))  // Prints "["taxi", "DeLorean"]"
    /// ```
    ///
    /// It finds what ``resolveAll(_:key:isolation:fileID:line:)`` finds. How each is awaited is said at
    /// ``resolveAsync(_:key:isolation:fileID:line:)->Service``.
    ///
    /// - Parameters:
    ///   - type: What they contribute to.
    ///   - key: The key that they contribute with.
    ///   - isolation: The actor that asks, and that this returns to; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The services, each made now if it is not there or its lifetime says so.
    /// - Throws: ``InjectleError`` if one of them cannot be made, or the calling task is cancelled while it waits.
    /// - Complexity: O(*n* log *n*) in their number, if they are there, besides one step for each parent that is
    ///   searched.
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

    /// The same as ``resolveAllAsync(_:key:isolation:fileID:line:)``, each made of the same arguments.
    ///
    /// ```swift
    /// locator.register(.volatile { (locator, name: String) async in User(name: name) }.contributing(to: User.self))
    /// let users = try await locator.resolveAllAsync(User.self, arguments: "Ada")
    /// print(users.map(\.name))  // Prints "["Ada"]"
    /// ```
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

extension LocatorCore {
    func resolveAsync<Service>(
        _ type: Service.Type,
        _ key: AnyHashable?,
        _ arguments: Arguments?,
        _ call: Call,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Service? {
        if key == nil, arguments == nil, let service = LocatorHeader.load(type, header) { return service }
        let request = call.request(key, arguments, requester: "resolveAsync")
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
        let request = call.request(key, arguments, requester: "resolveAllAsync")
        if isTerminated { throw .ended(request, self) }
        let instances = try await Resolution.provideListInTask(of: type, request, in: self, isolation: isolation)
        return instances.map { $0.loaded(as: type) }
    }
}
