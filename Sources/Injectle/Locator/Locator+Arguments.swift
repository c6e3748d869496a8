// Resolving with arguments, and resolving several services at once.

extension Locator {
    /// The service of a type that is made of arguments.
    ///
    /// ```swift
    /// locator.register(.volatile { (locator, id: Int) in Trip(id: id, car: try locator.resolve()) })
    /// let trip = try locator.resolve(Trip.self, arguments: 7)
    /// ```
    ///
    /// A registration whose closure declares arguments is found if these fit: in number, and each in type. Where
    /// several fit, that which declares just these types is taken, and else the latest. Where none does, the
    /// registration that declares none is taken. Then each argument stands in for a service of its type, or of one that
    /// it conforms to: for the parameters of an initializer, for what its closure asks its resolver for, and for the
    /// properties of what is made; but not for what these are made of in turn. ``Argument`` says which type is meant.
    ///
    /// An instance that is there is handed out as it is, whatever the arguments, unless the lifetime tells them apart,
    /// as ``Lifetime/perArgument`` does.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - first: The first argument.
    ///   - rest: The others, in their order.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)->Service``, and
    ///   ``InjectleError/wrongArguments`` if there are only registrations that declare others.
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
        defer { withExtendedLifetime(self) {} }
        let call = Call(type, isolation, fileID, line, isOptional: false)
        return required(try CoreHead.resolve(type, key, Arguments(first, repeat each rest), call, readHead))
    }

    /// The service of a type that is made of arguments, or nil if none is registered.
    ///
    /// - Throws: ``InjectleError`` as ``resolve(_:key:arguments:_:isolation:fileID:line:)``, but for
    ///   ``InjectleError/missing``.
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
        defer { withExtendedLifetime(self) {} }
        let call = Call(type, isolation, fileID, line, isOptional: true)
        return try CoreHead.resolve(type, key, Arguments(first, repeat each rest), call, readHead)
    }

    /// All services that contribute to the list of a type, in order of registration.
    ///
    /// ```swift
    /// locator.register(.lazy { Fare() }.contributing(to: (any Step).self))
    /// locator.register(.lazy { Route() }.contributing(to: (any Step).self))
    /// let steps = try locator.resolveAll((any Step).self)
    /// ```
    ///
    /// What contributes here hides what contributes in the parent. An empty list is no error. A property of the type
    /// `[any Step]`, and a parameter of an initializer, gets the same list.
    ///
    /// - Parameters:
    ///   - type: What they contribute to.
    ///   - key: The key that they contribute with.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Throws: ``InjectleError`` if one of them cannot be made.
    /// - Complexity: O(*n*) in their number, if they are there.
    @inlinable
    public func resolveAll<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> [Service] {
        defer { withExtendedLifetime(self) {} }
        let call = Call([Service].self, isolation, fileID, line, isOptional: false)
        return try CoreHead.resolveAll(type, key, nil, call, readHead)
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
        defer { withExtendedLifetime(self) {} }
        let call = Call([Service].self, isolation, fileID, line, isOptional: false)
        return try CoreHead.resolveAll(type, key, Arguments(first, repeat each rest), call, readHead)
    }
}
