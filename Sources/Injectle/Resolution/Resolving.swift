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
    /// registered. The factory closure runs on the actor where it was written; ``Locator/mainActorTimeout`` limits how long
    /// a caller waits for the main actor. While another thread creates the instance, the caller waits for it.
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
    /// - Complexity: O(1) for an existing instance, and one step for each parent that is searched, without a lock for
    ///   an eager, lazy or per-locator service without a key. Otherwise the cost of creating it. A key without a registration
    ///   of that type costs O(*k* log *k*) where *k* registrations share the key.
    @inlinable
    public func resolve<Service>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        let context = resolvingContext
        defer { withExtendedLifetime(self) {} }
        guard let key else {
            if context.arguments != nil { return try context.resolve(type, fileID, line) }
            return try unsafe LocatorHeader.resolve(type, fileID, line, context.header)
        }
        let call = ResolveRequest(type, fileID, line, isOptional: false)
        return unsafe required(try LocatorHeader.resolve(type, .make(key), nil, call, context.header))
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
        let context = resolvingContext
        defer { withExtendedLifetime(self) {} }
        guard let arguments = Arguments.list(repeat each argument) else {
            return try resolve(type, key: key, fileID: fileID, line: line)
        }
        let call = ResolveRequest(type, fileID, line, isOptional: false)
        let keyPart = Locator.Identity.KeyPart.make(key)
        return unsafe required(try LocatorHeader.resolve(type, keyPart, arguments, call, context.header))
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
        let context = resolvingContext
        defer { withExtendedLifetime(self) {} }
        let (keyPart, arguments) = (Locator.Identity.KeyPart.make(key), Arguments.list(repeat each argument))
        if keyPart == nil, arguments == nil {
            if let argument = context.argument(for: Service?.self) { return argument }
            return try unsafe LocatorHeader.resolveOptional(type, fileID, line, context.header)
        }
        let call = ResolveRequest(type, fileID, line, isOptional: true)
        return try unsafe LocatorHeader.resolve(type, keyPart, arguments, call, context.header)
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
    /// - Complexity: O(*n*) in the number of services, without a lock if each of up to 16 has an instance.
    @inlinable
    public func resolveAll<Service, each Argument>(
        _ type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> [Service] {
        let context = resolvingContext
        defer { withExtendedLifetime(self) {} }
        let (keyPart, arguments) = (Locator.Identity.KeyPart.make(key), Arguments.list(repeat each argument))
        if keyPart == nil, arguments == nil, context.arguments == nil,
            let list = unsafe LocatorHeader.loadAll(type, context.header)
        {
            return list
        }
        return try context.resolveAll(type, keyPart, arguments, fileID, line)
    }
}
