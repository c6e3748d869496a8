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
        /// A resolver of the locator, which does not retain it.
        var resolver: Resolver { get }

        /// The instance that each request of a type gets, if it exists, for the members of this protocol. It is read
        /// without retaining the locator.
        // swift-format-ignore: NoLeadingUnderscores
        func _existing<Service>(_ type: Service.Type) -> Service?
    }
}

extension Locator: Locator.Resolving {
    @inlinable public var resolver: Resolver {
        @inline(__always) get { Resolver(core: core, arguments: nil) }
    }

    // swift-format-ignore: NoLeadingUnderscores
    @inlinable @inline(__always)
    public func _existing<Service>(_ type: Service.Type) -> Service? {
        defer { withExtendedLifetime(self) {} }
        return readableEntry(of: type)?.read { $0.existing(type) }
    }

    /// The entry of a type without a key, if a read may return its instance at once. Not retained, since a locator is.
    @usableFromInline @inline(never)
    func readableEntry(of type: Any.Type) -> Borrowed<Entry>? {
        guard let borrowed else { return LocatorCore.processLocator.readableEntry(of: type) }
        return borrowed.read { $0.readableEntry(of: type) }
    }
}

extension Locator.Resolver: Locator.Resolving {
    @inlinable public var resolver: Locator.Resolver {
        @inline(__always) get { self }
    }

    // swift-format-ignore: NoLeadingUnderscores
    @inlinable @inline(__always)
    public func _existing<Service>(_ type: Service.Type) -> Service? {
        arguments == nil ? core.existing(type) : nil
    }
}

extension Locator.Resolving {
    /// Returns a service, and creates it first if there is no instance.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: (any Car).self)
    /// locator.register(.lazy { Taxi() }, for: (any Car).self, key: "at night")
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    ///
    /// let car: any Car = try locator.resolve()
    /// print(car.name)  // Prints "DeLorean"
    /// print(try locator.resolve((any Car).self, key: "at night").name)  // Prints "taxi"
    /// print(try locator.resolve(User.self, arguments: "Ada").name)  // Prints "Ada"
    /// ```
    ///
    /// The locator is searched first, then its parents. Resolving `T?` resolves `T`, and returns nil if it is not
    /// registered. The factory closure runs on the actor where it was written; ``Locator/mainActorTimeout`` limits how
    /// long a caller waits for the main actor. While another thread creates the instance, the caller waits for it.
    ///
    /// Arguments are matched by position to a closure that declares them, otherwise by type to the parameters of an
    /// initializer and the created service's own properties. ``Locator/Argument`` passes an argument as another type.
    ///
    /// - Parameters:
    ///   - type: The type of the service, inferred if left out.
    ///   - key: The key of the registration, nil for none. A key that is registered with other types only finds the
    ///     latest of them.
    /// - Throws: ``InjectleError``: ``InjectleError/missing`` or ``InjectleError/wrongArguments`` if there is no such
    ///   registration; ``InjectleError/factoryFailed`` or ``InjectleError/cancelled`` if the closure threw;
    ///   ``InjectleError/circularDependency``, ``InjectleError/deadlock``, ``InjectleError/wrongIsolation``,
    ///   ``InjectleError/requiresAsync``, ``InjectleError/wrongType``, ``InjectleError/invalidRegistration`` or
    ///   ``InjectleError/locatorNotFound`` if it cannot be created, or not by this caller;
    ///   ``InjectleError/locatorClosed`` if the locator has ended.
    /// - Complexity: O(1) for an existing instance, and one step for each parent that is searched. Otherwise the cost
    ///   of creating it. A key without a registration of that type costs O(*k* log *k*) where *k* registrations share
    ///   the key.
    @inlinable @inline(__always)
    public func resolve<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        let location = SourceLocation(fileID, line)
        defer { withExtendedLifetime(self) {} }
        guard let key = Locator.Key.make(key) else {
            if let service = _existing(type) { return service }
            let context = resolver
            if context.arguments != nil { return try context.resolveParameter(type, location) }
            return try context.core.resolveSlowly(type, nil, location)
        }
        let core = resolver.core
        if let service = core.existing(type, key) { return service }
        return try core.provide(type, key, nil, location).service(as: type)
    }

    /// Returns a service, and passes arguments to its factory closure.
    ///
    /// ```swift
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    /// print(try locator.resolve(User.self, arguments: "Ada").name)  // Prints "Ada"
    /// ```
    ///
    /// Otherwise like ``resolve(_:key:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the service, inferred if left out.
    ///   - key: The key of the registration, nil for none.
    ///   - argument: The arguments.
    /// - Throws: ``InjectleError``, as without arguments.
    /// - Complexity: O(1), and the cost of creating it.
    @inlinable
    @_disfavoredOverload
    public func resolve<Service, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        let context = resolver
        defer { withExtendedLifetime(self) {} }
        guard let arguments = Arguments.list(repeat each argument) else {
            return try resolve(type, key: key, fileID: fileID, line: line)
        }
        let location = SourceLocation(fileID, line)
        guard let key = Locator.Key.make(key) else {
            return try context.core.resolveSlowly(type, arguments, location)
        }
        return try context.core.provide(type, key, arguments, location).service(as: type)
    }

    /// Returns a service, or nil if it is not registered.
    ///
    /// ```swift
    /// print(try locator.resolveOptional(Discount.self) == nil)  // Prints "true"
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``resolve(_:key:arguments:fileID:line:)``, except
    ///   ``InjectleError/missing``. A registered service that cannot be created is an error.
    @inlinable
    public func resolveOptional<Service, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        let context = resolver
        let arguments = Arguments.list(repeat each argument)
        let key = Locator.Key.make(key)
        defer { withExtendedLifetime(self) {} }
        if key == nil, arguments == nil {
            if let service = _existing(type) { return service }
            if context.arguments != nil, let argument = context.argument(for: Service?.self) { return argument }
            if context.core.hasNothing(of: type) { return nil }
        }
        let location = SourceLocation(fileID, line)
        return try context.core.resolve(type, Request(type, key, arguments, "resolve", location, isOptional: true))
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
    /// - Throws: ``InjectleError`` as ``resolve(_:key:arguments:fileID:line:)`` for each service.
    /// - Complexity: O(*n* log *n*) in the number of services.
    @inlinable
    public func resolveAll<Service, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> [Service] {
        let context = resolver
        let arguments = Arguments.list(repeat each argument)
        let key = Locator.Key.make(key)
        defer { withExtendedLifetime(self) {} }
        if key == nil, arguments == nil, let argument = context.argument(for: [Service].self) { return argument }
        let request = Request([Service].self, key, arguments, "resolveAll", SourceLocation(fileID, line))
        return try context.core.resolveAll(type, request)
    }
}
