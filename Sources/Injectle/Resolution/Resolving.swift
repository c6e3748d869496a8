extension Locator {
    /// Resolves services: what a ``Locator`` and a ``Resolver`` have in common.
    ///
    /// ```swift
    /// func session(in locator: some Locator.Resolving) throws -> User { try locator.resolve() }
    ///
    /// locator.register(.eager(User(name: "Ada")))
    /// locator.register(.lazy { locator in Garage(owner: try session(in: locator)) })
    /// print(try session(in: locator).name)  // Prints "Ada"
    ///
    /// final class Garage { init(owner: User) {} }
    /// ```
    ///
    /// Only the library's types conform to it.
    public protocol Resolving: Sendable {
        /// The locator, and the arguments that take the place of services, for the members of this protocol.
        var resolvingContext: ResolvingContext { get }
    }

    /// The locator and the arguments of a ``Resolving`` value, for the library's own use.
    ///
    /// A function that resolves from locators and resolvers alike needs only ``Resolving``:
    ///
    /// ```swift
    /// func currency(from services: some Locator.Resolving) throws -> String {
    ///     try services.resolve(Settings.self).currency
    /// }
    /// ```
    @safe
    @frozen
    public struct ResolvingContext {
        @usableFromInline let header: UnsafeMutablePointer<LocatorHeader>
        @usableFromInline let arguments: Arguments?

        @inlinable
        @inline(__always)
        init(_ header: UnsafeMutablePointer<LocatorHeader>, _ arguments: Arguments?) {
            unsafe self.header = unsafe header
            self.arguments = arguments
        }

        @inlinable
        @inline(__always)
        func argument<Service>(for type: Service.Type) -> Service? {
            arguments == nil ? nil : matchingArgument(for: type)
        }

        @usableFromInline
        @inline(never)
        func matchingArgument<Service>(for type: Service.Type) -> Service? {
            if type == Resolver.self { return Resolver(core: core, arguments: arguments) as? Service }
            return arguments?.instance(for: type)?.loaded(as: type)
        }

        /// The argument of a type, or else the service. Not inlined: see `provided`.
        @usableFromInline
        @inline(never)
        func resolve<Service>(
            _ type: Service.Type,
            _ fileID: StaticString,
            _ line: UInt
        ) throws(InjectleError) -> Service {
            if let argument = matchingArgument(for: type) { return argument }
            return try unsafe LocatorHeader.resolve(type, fileID, line, header)
        }

        /// The argument of a list type, or else the services that contribute to the list.
        @usableFromInline
        func resolveAll<Service>(
            _ type: Service.Type,
            _ keyPart: Locator.Identity.KeyPart?,
            _ arguments: Arguments?,
            _ fileID: StaticString,
            _ line: UInt
        ) throws(InjectleError) -> [Service] {
            if keyPart == nil, arguments == nil, let argument = argument(for: [Service].self) { return argument }
            let request = ResolveRequest([Service].self, fileID, line, isOptional: false)
                .with(keyPart, arguments, requester: .resolveAll)
            let core = core
            if core.isTerminated { throw .ended(request, core) }
            return try [Service].compose(request, in: core, for: nil)
        }

        var core: LocatorCore { unsafe header.pointee.owner.takeUnretainedValue() }
    }
}

extension Locator: Locator.Resolving {
    @inlinable public var resolvingContext: ResolvingContext {
        @inline(__always) get { unsafe ResolvingContext(readHeader, nil) }
    }
}

extension Locator.Resolver: Locator.Resolving {
    @inlinable public var resolvingContext: Locator.ResolvingContext {
        @inline(__always) get { unsafe Locator.ResolvingContext(core.header, arguments) }
    }
}

// Where the context has an optional type, the compiler prefers the functions of these types to the ones of the protocol, which
// would look a registration of the optional type up first.

extension Locator {
    /// Returns the service of the type that the context has, or nil if it is not registered.
    ///
    /// ```swift
    /// let discount: Discount? = try locator.resolve()
    /// print(discount == nil)  // Prints "true"
    /// ```
    @inlinable
    public func resolve<Service>(
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        try resolveOptional(Service.self, fileID: fileID, line: line)
    }
}

extension Locator.Resolver {
    /// Returns the service of the type that the context has, or nil if it is not registered.
    ///
    /// ```swift
    /// let discount: Discount? = try locator.resolve()
    /// print(discount == nil)  // Prints "true"
    /// ```
    @inlinable
    public func resolve<Service>(
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        try resolveOptional(Service.self, fileID: fileID, line: line)
    }
}

extension Locator.Resolving {
    // Two functions instead of a parameter with a default value, whose evaluation the compiler would emit as another call of
    // a generic function at each resolve.

    /// Returns the service of the type that the context has, and creates it first if there is no instance.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: (any Car).self)
    /// let car: any Car = try locator.resolve()
    /// print(try locator.resolve((any Car).self) === car)  // Prints "true"
    /// ```
    ///
    /// The locator is searched first, then its parents. Resolving `T?` resolves `T`, and returns nil if it is not
    /// registered. The factory closure runs on the actor where it was written; ``Locator/isolation`` decides how long
    /// a caller waits for the main actor. While another thread creates the instance, the caller waits for it.
    ///
    /// - Throws: ``InjectleError``: ``InjectleError/missing`` or ``InjectleError/wrongArguments`` if there is no such
    ///   registration; ``InjectleError/factoryFailed`` or ``InjectleError/cancelled`` if the closure threw;
    ///   ``InjectleError/circularDependency``, ``InjectleError/deadlock``, ``InjectleError/circularDependency``,
    ///   ``InjectleError/wrongIsolation``, ``InjectleError/requiresAsync``, ``InjectleError/wrongType``,
    ///   ``InjectleError/invalidRegistration`` or ``InjectleError/locatorNotFound`` if it
    ///   cannot be created, or not by this caller; ``InjectleError/locatorClosed`` or
    ///   ``InjectleError/locatorClosed`` if the locator has ended.
    /// - Complexity: O(1) for an existing instance, and one step for each parent that is searched, without a lock for
    ///   an eager, lazy or per-locator service. Otherwise the cost of creating it.
    @inlinable
    @inline(__always)
    public func resolve<Service>(
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        // Always inlined. Else each level of a chain of services would take two calls more, and a processor predicts only where
        // the last 16 to 32 calls return to.
        let context = resolvingContext
        defer { withExtendedLifetime(self) {} }
        if context.arguments != nil { return try context.resolve(Service.self, fileID, line) }
        return try unsafe LocatorHeader.resolve(Service.self, fileID, line, context.header)
    }

    /// Returns the service of a type, and creates it first if there is no instance.
    ///
    /// ```swift
    /// locator.register(.eager(User(name: "Ada")))
    /// print(try locator.resolve(User.self).name)  // Prints "Ada"
    /// ```
    ///
    /// - Parameter type: The type of the service.
    /// - Throws: ``InjectleError`` as ``resolve(fileID:line:)->Service``.
    /// - Complexity: As ``resolve(fileID:line:)->Service``.
    @inlinable
    @inline(__always)
    public func resolve<Service>(
        _ type: Service.Type,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        try resolve(fileID: fileID, line: line)
    }

    /// Returns the service of an optional type, or nil if it is not registered.
    ///
    /// ```swift
    /// print(try locator.resolve(Discount?.self) == nil)  // Prints "true"
    /// ```
    @inlinable
    public func resolve<Service>(
        _ type: Service?.Type,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        try resolveOptional(Service.self, fileID: fileID, line: line)
    }

    /// Returns the service of a type, created with arguments, or registered with a key of any type.
    ///
    /// ```swift
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    /// print(try locator.resolve(User.self, arguments: "Ada").name)  // Prints "Ada"
    /// ```
    ///
    /// Arguments are matched by position to a closure that declares them, otherwise by type to the parameters of an
    /// initializer and the created service's own properties. ``Locator/Argument`` passes an argument as another type.
    ///
    /// - Parameters:
    ///   - type: The type of the service, inferred if left out.
    ///   - key: The key of the registration, nil for none. A key that is registered with other types only finds the
    ///     latest of them.
    ///   - argument: The arguments.
    /// - Throws: ``InjectleError`` as ``resolve(fileID:line:)->Service``; also ``InjectleError/wrongType``
    ///   if the service under the key is of another type.
    /// - Complexity: O(1) on average for an existing instance, and one step for each parent that is searched. Without a
    ///   registration of that type, O(*k* log *k*) where *k* registrations share the key.
    @inlinable
    @inline(never)
    @_disfavoredOverload
    public func resolve<Service, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        let context = resolvingContext
        let (keyPart, arguments) = (Locator.Identity.KeyPart.make(key), Arguments.list(repeat each argument))
        if keyPart == nil, arguments == nil, let argument = context.argument(for: type) { return argument }
        defer { withExtendedLifetime(self) {} }
        let call = ResolveRequest(type, fileID, line, isOptional: false)
        return unsafe required(try LocatorHeader.resolve(type, keyPart, arguments, call, context.header))
    }

    /// Returns the service that is registered for a type and a key.
    ///
    /// ```swift
    /// enum Currency { case home, abroad }
    /// locator.register(.eager(Settings(currency: "EUR")), key: Currency.home)
    /// print(try locator.resolve(Settings.self, key: Currency.home).currency)  // Prints "EUR"
    /// ```
    ///
    /// Reading an existing instance by a key of at most 16 bytes, such as a string or an enum case, takes no lock.
    ///
    /// - Throws: ``InjectleError`` as ``resolve(_:key:arguments:fileID:line:)``.
    @inlinable
    public func resolve<Service, Key: Hashable>(
        _ type: Service.Type = Service.self,
        key: Key?,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        let context = resolvingContext
        if key == nil, let argument = context.argument(for: type) { return argument }
        defer { withExtendedLifetime(self) {} }
        return unsafe required(
            try LocatorHeader.resolve(type, key, fileID, line, isOptional: false, context.header)
        )
    }

    /// Returns the service of a type, or nil if it is not registered.
    ///
    /// ```swift
    /// print(try locator.resolveOptional(Discount.self) == nil)  // Prints "true"
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``resolve(fileID:line:)->Service``, except
    ///   ``InjectleError/missing``. A registered service that cannot be created is an error.
    @inlinable
    public func resolveOptional<Service>(
        _ type: Service.Type = Service.self,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        let context = resolvingContext
        if let argument = context.argument(for: Service?.self) { return argument }
        defer { withExtendedLifetime(self) {} }
        return try unsafe LocatorHeader.resolveOptional(type, fileID, line, context.header)
    }

    /// Returns the service of a type, created with arguments or registered with a key of any type, or nil if it is not
    /// registered.
    ///
    /// ```swift
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    /// print(try locator.resolveOptional(User.self, arguments: "Ada")?.name ?? "nobody")  // Prints "Ada"
    /// ```
    @inlinable
    @inline(never)
    @_disfavoredOverload
    public func resolveOptional<Service, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        let context = resolvingContext
        let (keyPart, arguments) = (Locator.Identity.KeyPart.make(key), Arguments.list(repeat each argument))
        if keyPart == nil, arguments == nil, let argument = context.argument(for: Service?.self) { return argument }
        defer { withExtendedLifetime(self) {} }
        let call = ResolveRequest(type, fileID, line, isOptional: true)
        return try unsafe LocatorHeader.resolve(type, keyPart, arguments, call, context.header)
    }

    /// Returns the service that is registered for a type and a key, or nil if there is none.
    ///
    /// ```swift
    /// print(try locator.resolveOptional(Settings.self, key: "test") == nil)  // Prints "true"
    /// ```
    @inlinable
    public func resolveOptional<Service, Key: Hashable>(
        _ type: Service.Type = Service.self,
        key: Key?,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        let context = resolvingContext
        if key == nil, let argument = context.argument(for: Service?.self) { return argument }
        defer { withExtendedLifetime(self) {} }
        return try unsafe LocatorHeader.resolve(type, key, fileID, line, isOptional: true, context.header)
    }

    /// Returns all services that contribute to the list of a type, in order of registration.
    ///
    /// - Complexity: O(*n*) in the number of services, without a lock if each of up to 16 has an instance.
    @inlinable
    public func resolveAll<Service>(
        _ type: Service.Type = Service.self,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> [Service] {
        let context = resolvingContext
        defer { withExtendedLifetime(self) {} }
        if context.arguments == nil, let list = unsafe LocatorHeader.loadAll(type, context.header) { return list }
        return try context.resolveAll(type, nil, nil, fileID, line)
    }

    /// Returns all services that contribute to the list of a type, in order of registration.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }.contributing(to: (any Car).self))
    /// locator.register(.lazy { Taxi() }.contributing(to: (any Car).self))
    /// print(try locator.resolveAll((any Car).self).map(\.name))  // Prints "["DeLorean", "taxi"]"
    /// ```
    ///
    /// A child's contributions hide its parent's. A list without contributions is empty. In a factory closure, an
    /// argument of type `[Service]` replaces the list.
    ///
    /// - Throws: ``InjectleError`` as ``resolve(fileID:line:)->Service`` for each service.
    @inlinable
    @_disfavoredOverload
    public func resolveAll<Service, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> [Service] {
        defer { withExtendedLifetime(self) {} }
        let arguments = Arguments.list(repeat each argument)
        return try resolvingContext.resolveAll(type, .make(key), arguments, fileID, line)
    }
}
