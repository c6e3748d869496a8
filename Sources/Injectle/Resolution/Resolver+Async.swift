// Resolving for closures that can await, as a locator does.

extension Locator.Resolver {
    /// Finds the service of a type, awaited, as ``Locator/resolveAsync(_:key:isolation:fileID:line:)->Service`` finds
    /// it.
    ///
    /// ```swift
    /// func loadSettings() async throws -> Settings { Settings(currency: "EUR") }
    ///
    /// locator.register(.lazy { try await loadSettings() })
    /// locator.register(.volatile { locator in Report(settings: try await locator.resolveAsync()) })
    /// print(try await locator.resolveAsync(Report.self).settings.currency)  // Prints "EUR"
    /// ```
    ///
    /// Without a key, an argument of the resolver that is of this type is taken first.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - isolation: The actor that asks, and that this returns to; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made now if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)-846ql`` where what is not there is awaited
    ///   instead; and ``InjectleError/cancelled`` if the calling task is cancelled while it waits.
    /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched, without
    ///   suspending.
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

    /// Finds the service that an optional type wraps, awaited, or nil if none is registered.
    ///
    /// The same as ``resolveOptionalAsync(_:key:isolation:fileID:line:)``, where the context says that the type is an
    /// optional one.
    ///
    /// ```swift
    /// struct Price: Sendable {
    ///     let discount: Discount?
    /// }
    /// func loadDiscount() async throws -> Discount { Discount() }
    ///
    /// locator.register(.lazy { try await loadDiscount() })
    /// locator.register(.volatile { locator in Price(discount: try await locator.resolveAsync()) })
    /// print(try await locator.resolveAsync(Price.self).discount == nil)  // Prints "false"
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

    /// Finds the service of a type that is made of arguments, awaited.
    ///
    /// ```swift
    /// func find(_ name: String) async throws -> User { User(name: name) }
    ///
    /// locator.register(.volatile { (locator, name: String) in try await find(name) })
    /// locator.register(.lazy { locator in
    ///     try await locator.resolveAsync(User.self, arguments: "Ada").name
    /// })
    /// print(try await locator.resolveAsync(String.self))  // Prints "Ada"
    /// ```
    ///
    /// The arguments that this resolver has itself are not passed on.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - first: The first argument.
    ///   - rest: The others, in their order.
    ///   - isolation: The actor that asks, and that this returns to; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made now if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)-846ql`` where what is not there is awaited
    ///   instead; and ``InjectleError/cancelled`` if the calling task is cancelled while it waits.
    /// - Complexity: O(*m*) in the number of arguments, for each registration of the type and key that declares some;
    ///   and one step for each parent that is searched.
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

    /// Finds the service of a type, awaited, or nil if none is registered.
    ///
    /// ```swift
    /// locator.register(.volatile { locator in
    ///     let user = try await locator.resolveOptionalAsync(User.self)
    ///     return "for \(user?.name ?? "everyone")"
    /// })
    /// print(try await locator.resolveAsync(String.self))  // Prints "for everyone"
    /// ```
    ///
    /// Without a key, an argument of the resolver that is of this type is taken first.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - isolation: The actor that asks, and that this returns to; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, or nil if nothing is registered under this type and key, or under the key alone.
    /// - Throws: ``InjectleError`` as ``resolveAsync(_:key:isolation:fileID:line:)-3ulmu``; ``InjectleError/missing``
    ///   can only concern what the service itself needs.
    /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched, without
    ///   suspending.
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

    /// Finds the service of a type that is made of arguments, awaited, or nil if none is registered.
    ///
    /// The same as ``resolveAsync(_:key:arguments:_:isolation:fileID:line:)`` but for what is not registered.
    ///
    /// ```swift
    /// locator.register(.volatile { locator in
    ///     try await locator.resolveOptionalAsync(User.self, arguments: 7)?.name ?? "nobody"
    /// })
    /// print(try await locator.resolveAsync(String.self))  // Prints "nobody"
    /// ```
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - first: The first argument.
    ///   - rest: The others, in their order.
    ///   - isolation: The actor that asks, and that this returns to; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, or nil if nothing is registered under this type and key. That there are only
    ///   registrations that declare other arguments is an error.
    /// - Throws: ``InjectleError`` as ``resolveAsync(_:key:isolation:fileID:line:)-3ulmu``; ``InjectleError/missing``
    ///   can only concern what the service itself needs.
    /// - Complexity: O(*m*) in the number of arguments, for each registration of the type and key that declares some;
    ///   and one step for each parent that is searched.
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

    /// Finds all services that contribute to the list of a type, in order of registration, one awaited after the other.
    ///
    /// ```swift
    /// struct Fleet: Sendable {
    ///     let cars: [any Car]
    /// }
    /// func buildTaxi() async throws -> Taxi { Taxi() }
    ///
    /// locator.register(.lazy { DeLorean() }.contributing(to: (any Car).self))
    /// locator.register(.lazy { try await buildTaxi() }.contributing(to: (any Car).self))
    /// locator.register(.lazy { locator in Fleet(cars: try await locator.resolveAllAsync()) })
    /// print(try await locator.resolveAsync(Fleet.self).cars.count)  // Prints "2"
    /// ```
    ///
    /// - Parameters:
    ///   - type: What they contribute to; taken from the context if left out.
    ///   - key: The key that they contribute with.
    ///   - isolation: The actor that asks, and that this returns to; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The services; none is no error.
    /// - Throws: ``InjectleError`` as ``resolveAsync(_:key:isolation:fileID:line:)-3ulmu`` if one of them cannot be
    ///   made.
    /// - Complexity: O(*n* log *n*) in their number, if they are there.
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

    /// Finds all services that contribute to the list of a type, each made of the same arguments, one awaited after the
    /// other.
    ///
    /// The same as ``resolveAllAsync(_:key:isolation:fileID:line:)`` but for the arguments.
    ///
    /// ```swift
    /// struct Line: Sendable {
    ///     let text: String
    /// }
    /// func greet(_ name: String) async throws -> Line { Line(text: "Dear \(name)") }
    ///
    /// locator.register(.volatile { (locator, name: String) in try await greet(name) }.contributing(to: Line.self))
    /// locator.register(.volatile { locator in
    ///     try await locator.resolveAllAsync(Line.self, arguments: "Ada").map(\.text)
    /// })
    /// print(try await locator.resolveAsync([String].self))  // Prints "["Dear Ada"]"
    /// ```
    ///
    /// - Parameters:
    ///   - type: What they contribute to; taken from the context if left out.
    ///   - key: The key that they contribute with.
    ///   - first: The first argument.
    ///   - rest: The others, in their order.
    ///   - isolation: The actor that asks, and that this returns to; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The services; none is no error.
    /// - Throws: ``InjectleError`` as ``resolveAsync(_:key:isolation:fileID:line:)-3ulmu`` if one of them cannot be
    ///   made of these.
    /// - Complexity: O(*n* log *n*) in their number, if they are there.
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
