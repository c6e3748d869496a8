// Resolving with arguments, and resolving several services at once.

extension Locator {
    /// Resolves the service of a type that is made of arguments.
    ///
    /// ```swift
    /// locator.register(.volatile { (locator, model: String) in Bmw(model: model) })
    /// print(try locator.resolve(Bmw.self, arguments: "M2").model)  // Prints "M2"
    /// ```
    ///
    /// A registration whose closure declares arguments is found if these fit: in number, and each in type. Where
    /// several fit, that which declares just these types is taken, and else the latest. Where none does, the
    /// registration that declares none is taken. Then each argument stands in for a service of its type, or of one that
    /// it conforms to: for the parameters of an initializer, for what its closure asks its resolver for, and for the
    /// properties of what is made; but not for what these are made of in turn. ``Argument`` says which type is meant.
    ///
    /// An instance that is there is handed out as it is, whatever the arguments, unless the lifetime tells them apart,
    /// as ``Lifetime/perArgument`` does. See <doc:WiringAndArguments>.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with.
    ///   - first: The first argument.
    ///   - rest: The others, in their order.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made of the arguments if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)->Service``, and
    ///   ``InjectleError/wrongArguments`` if there are only registrations that declare others, or one of several
    ///   instances is to be found by an argument that is not `Hashable`.
    /// - Complexity: O(*k*) where *k* registrations of the type declare arguments, for each locator that is searched,
    ///   besides what the creation costs.
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
        return required(try LocatorHeader.resolve(type, key, Arguments(first, repeat each rest), call, readHeader))
    }

    /// The same as ``resolve(_:key:arguments:_:isolation:fileID:line:)``, but nil if none is registered.
    ///
    /// ```swift
    /// print(try locator.resolveOptional(Bmw.self, arguments: 2) == nil)  // Prints "true"
    /// locator.register(.volatile { (locator, model: String) in Bmw(model: model) })
    /// do { _ = try locator.resolveOptional(Bmw.self, arguments: 2) } catch { print(error.code) }
    /// // Prints "wrongArguments"
    /// ```
    ///
    /// - Returns: The instance, or nil if nothing is registered under this type and key, or under the key alone.
    /// - Throws: ``InjectleError`` as ``resolve(_:key:arguments:_:isolation:fileID:line:)``, but for
    ///   ``InjectleError/missing``, which can then only concern what the service itself needs.
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
        return try LocatorHeader.resolve(type, key, Arguments(first, repeat each rest), call, readHeader)
    }

    /// Resolves all services that contribute to the list of a type, in order of registration.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }.contributing(to: (any Car).self))
    /// locator.register(.lazy { Taxi() }.contributing(to: (any Car).self))
    /// print(try locator.resolveAll((any Car).self).map(\.name))  // Prints "["DeLorean", "taxi"]"
    /// ```
    ///
    /// What contributes here hides what contributes in the parent. An empty list is no error. A property of the type
    /// `[any Car]`, and a parameter of an initializer, gets the same list.
    ///
    /// - Parameters:
    ///   - type: What they contribute to.
    ///   - key: The key that they contribute with.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The services, each made now if it is not there or its lifetime says so.
    /// - Throws: ``InjectleError`` if one of them cannot be made.
    /// - Complexity: O(*n* log *n*) in their number, if they are there, besides one step for each parent that is
    ///   searched.
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
        return try LocatorHeader.resolveAll(type, key, nil, call, readHeader)
    }

    /// The same as ``resolveAll(_:key:isolation:fileID:line:)``, each made of the same arguments.
    ///
    /// ```swift
    /// locator.register(.volatile { (locator, series: Int) in Bmw(model: "M\(series)") }.contributing(to: Bmw.self))
    /// locator.register(.volatile { (locator, series: Int) in Bmw(model: "\(series)30d") }.contributing(to: Bmw.self))
    /// print(try locator.resolveAll(Bmw.self, arguments: 5).map(\.model))  // Prints "["M5", "530d"]"
    /// ```
    ///
    /// - Throws: ``InjectleError`` if one of them cannot be made, also since it declares other arguments.
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
        return try LocatorHeader.resolveAll(type, key, Arguments(first, repeat each rest), call, readHeader)
    }
}
