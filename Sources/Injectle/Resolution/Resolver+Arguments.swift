// Resolving with arguments, and resolving several services at once, as a locator does.

extension Locator.Resolver {
    /// Finds the service of a type that is made of arguments, as
    /// ``Locator/resolve(_:key:arguments:_:isolation:fileID:line:)`` finds it.
    ///
    /// ```swift
    /// struct Ride: Sendable {
    ///     let user: User
    /// }
    ///
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    /// locator.register(.lazy { locator in Ride(user: try locator.resolve(arguments: "Ada")) })
    /// print(try locator.resolve(Ride.self).user.name)  // Prints "Ada"
    /// ```
    ///
    /// The arguments that this resolver has itself are not passed on.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - first: The first argument.
    ///   - rest: The others, in their order.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made now if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)-846ql``: ``InjectleError/wrongArguments`` if
    ///   there are only registrations that declare others.
    /// - Complexity: O(*m*) in the number of arguments, for each registration of the type and key that declares some;
    ///   and one step for each parent that is searched.
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
        return required(try LocatorHeader.resolve(type, key, Arguments(first, repeat each rest), call, core.header))
    }

    /// Finds the service of a type that is made of arguments, or nil if none is registered.
    ///
    /// The same as ``resolve(_:key:arguments:_:isolation:fileID:line:)`` but for what is not registered.
    ///
    /// ```swift
    /// locator.register(.volatile { locator in
    ///     try locator.resolveOptional(User.self, arguments: 7)?.name ?? "nobody"
    /// })
    /// print(try locator.resolve(String.self))  // Prints "nobody"
    /// ```
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - first: The first argument.
    ///   - rest: The others, in their order.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, or nil if nothing is registered under this type and key. That there are only
    ///   registrations that declare other arguments is an error.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)-846ql``; ``InjectleError/missing`` can only
    ///   concern what the service itself needs.
    /// - Complexity: O(*m*) in the number of arguments, for each registration of the type and key that declares some;
    ///   and one step for each parent that is searched.
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
        return try LocatorHeader.resolve(type, key, Arguments(first, repeat each rest), call, core.header)
    }

    /// Finds all services that contribute to the list of a type, as
    /// ``Locator/resolveAll(_:key:isolation:fileID:line:)`` finds them.
    ///
    /// ```swift
    /// struct Fleet: Sendable {
    ///     let cars: [any Car]
    /// }
    ///
    /// locator.register(.lazy { DeLorean() }.contributing(to: (any Car).self))
    /// locator.register(.lazy { Taxi() }.contributing(to: (any Car).self))
    /// locator.register(.lazy { locator in Fleet(cars: try locator.resolveAll()) })
    /// print(try locator.resolve(Fleet.self).cars.count)  // Prints "2"
    /// ```
    ///
    /// - Parameters:
    ///   - type: What they contribute to; taken from the context if left out.
    ///   - key: The key that they contribute with.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The services, in order of registration; none is no error.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)-846ql`` if one of them cannot be made.
    /// - Complexity: O(*n* log *n*) in their number, if they are there.
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
        return try LocatorHeader.resolveAll(type, key, nil, call, core.header)
    }

    /// Finds all services that contribute to the list of a type, each made of the same arguments.
    ///
    /// The same as ``resolveAll(_:key:isolation:fileID:line:)`` but for the arguments.
    ///
    /// ```swift
    /// struct Line: Sendable {
    ///     let text: String
    /// }
    ///
    /// locator.register(.volatile { (_, name: String) in Line(text: "Dear \(name)") }.contributing(to: Line.self))
    /// locator.register(.volatile { (_, name: String) in Line(text: "\(name) has won") }.contributing(to: Line.self))
    /// locator.register(.volatile { locator in
    ///     try locator.resolveAll(Line.self, arguments: "Ada").map(\.text)
    /// })
    /// print(try locator.resolve([String].self))  // Prints "["Dear Ada", "Ada has won"]"
    /// ```
    ///
    /// - Parameters:
    ///   - type: What they contribute to; taken from the context if left out.
    ///   - key: The key that they contribute with.
    ///   - first: The first argument.
    ///   - rest: The others, in their order.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The services, in order of registration; none is no error.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)-846ql`` if one of them cannot be made of
    ///   these.
    /// - Complexity: O(*n* log *n*) in their number, if they are there.
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
        return try LocatorHeader.resolveAll(type, key, Arguments(first, repeat each rest), call, core.header)
    }
}
