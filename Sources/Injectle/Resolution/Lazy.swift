extension Locator {
    /// A value that resolves a service at its first call, and keeps it.
    ///
    /// ```swift
    /// final class Driver: Sendable {
    ///     let car: Locator.Lazy<any Car>
    ///     init(car: Locator.Lazy<any Car>) { self.car = car }
    ///     func drive() throws -> String { try car().name }
    /// }
    ///
    /// locator.register(.initializer(Driver.init))
    /// let driver: Driver = try locator.resolve()  // no car is registered yet
    /// locator.register(.eager(Taxi()), for: (any Car).self)
    /// print(try driver.drive())  // Prints "taxi"
    /// ```
    ///
    /// Use it as the parameter of an initializer, as the result of a resolve, or as a property marked ``Injected``;
    /// other wrappers return a new value at each read. It breaks circular dependencies, since it resolves when it is
    /// called.
    ///
    /// The key and the arguments of its own resolve apply to the service. It does not retain its locator. Any thread
    /// can call it.
    public struct Lazy<Service>: Sendable {
        private let point: InjectionPoint

        /// Returns the service, which the first call resolves.
        ///
        /// ```swift
        /// locator.register(.volatile { Garage() })
        /// let garage: Locator.Lazy<Garage> = try locator.resolve()
        /// print(try garage() === garage())  // Prints "true"
        /// ```
        ///
        /// All copies of the value return the same service.
        ///
        /// - Throws: ``InjectleError`` as ``Locator/resolve(_:key:arguments:fileID:line:)``, and
        ///   ``InjectleError/locatorClosed`` if the locator was released. The next call then tries again.
        /// - Complexity: O(1) after the first call.
        public func callAsFunction() throws(InjectleError) -> Service {
            try point.throwing { () throws(InjectleError) in required(try point.readFirst(Service.self)) }
        }

        /// Returns the service, which the first call resolves, also if its closure is async.
        ///
        /// ```swift
        /// func loadUser() async throws -> User { User(name: "Ada") }
        ///
        /// locator.register(.lazy { try await loadUser() })
        /// let user: Locator.Lazy<User> = try locator.resolve()
        /// print(try await user.resolveAsync().name)  // Prints "Ada"
        /// ```
        ///
        /// - Throws: ``InjectleError`` as ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``, and
        ///   ``InjectleError/locatorClosed`` if the locator was released. The next call then tries again.
        /// - Complexity: O(1), without suspending, after the first call.
        public func resolveAsync(isolation: isolated (any Actor)? = #isolation) async throws(InjectleError) -> Service {
            do throws(InjectleError) {
                return try await point.readFirst(Service.self, isolation)
            } catch {
                point.willThrow(error)
                throw error
            }
        }
    }

    /// A value that resolves a service at each call.
    ///
    /// ```swift
    /// final class Office: Sendable {
    ///     let users: Locator.Provider<User>
    ///     init(users: Locator.Provider<User>) { self.users = users }
    ///     func greet(_ name: String) throws -> String { "Dear \(try users(name).name)" }
    /// }
    ///
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    /// locator.register(.initializer(Office.init))
    /// print(try locator.resolve(Office.self).greet("Ada"))  // Prints "Dear Ada"
    /// ```
    ///
    /// Use it as the parameter of an initializer, as a property, or as the result of a resolve. The key of its own
    /// resolve applies to the service, and so do its arguments if a call has none. It does not retain its locator. Any
    /// thread can call it.
    public struct Provider<Service>: Sendable {
        @usableFromInline let core: LocatorCore
        @usableFromInline let key: Key?
        @usableFromInline let arguments: Arguments?

        /// The argument of a creation that replaces the service.
        @usableFromInline let given: AnyInstance?

        init(core: LocatorCore, key: Key?, arguments: Arguments?, given: AnyInstance? = nil) {
            self.core = core
            self.key = key
            self.arguments = arguments
            self.given = given
        }

        /// Returns the service, created with arguments if the call has some.
        ///
        /// ```swift
        /// locator.register(.volatile { (locator, name: String) in User(name: name) })
        /// let users: Locator.Provider<User> = try locator.resolve()
        /// print(try users("Ada").name, try users("Ben").name)  // Prints "Ada Ben"
        /// ```
        ///
        /// - Parameter values: The arguments of the resolve.
        /// - Throws: ``InjectleError`` as ``Locator/resolve(_:key:arguments:fileID:line:)``, and
        ///   ``InjectleError/locatorClosed`` if the locator was released.
        @inlinable
        public func callAsFunction<each Argument>(
            _ values: repeat each Argument,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service {
            defer { withExtendedLifetime(core) {} }
            let own = Arguments.list(repeat each values)
            if own == nil, let given { return given.service(as: Service.self) }
            let arguments = own ?? arguments
            if key == nil, arguments == nil { return try core.resolve(Service.self, SourceLocation(fileID, line)) }
            let request = Request(Service.self, key, arguments, "resolve", SourceLocation(fileID, line))
            return required(try core.resolve(Service.self, request))
        }

        /// Returns the service, created with arguments if the call has some, also if its closure is async.
        ///
        /// ```swift
        /// func find(_ name: String) async throws -> User { User(name: name) }
        ///
        /// locator.register(.volatile { (locator, name: String) in try await find(name) })
        /// let users: Locator.Provider<User> = try locator.resolve()
        /// print(try await users.resolveAsync("Ada").name)  // Prints "Ada"
        /// ```
        ///
        /// - Parameter values: The arguments of the resolve.
        /// - Throws: ``InjectleError`` as ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``, and
        ///   ``InjectleError/locatorClosed`` if the locator was released.
        public func resolveAsync<each Argument>(
            _ values: repeat each Argument,
            isolation: isolated (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) async throws(InjectleError) -> Service {
            let own = Arguments.list(repeat each values)
            if own == nil, let given { return given.service(as: Service.self) }
            let request = Request(Service.self, key, own ?? arguments, "resolveAsync", SourceLocation(fileID, line))
            return required(try await core.resolveAsync(Service.self, request, isolation))
        }
    }
}

extension Locator.Lazy: ComposedType {
    static var resolvedLater: Any.Type? { Service.self }

    static func resolved(to argument: AnyInstance, in core: LocatorCore) -> AnyInstance {
        Instance(Self(point: InjectionPoint(asLazy: argument, in: core)))
    }

    static func compose(_ parts: [AnyInstance?], for request: Request, in core: LocatorCore) -> AnyInstance {
        Instance(Self(point: InjectionPoint(asLazy: request, in: core)))
    }

    static func facts(of request: Request, in core: LocatorCore) -> LocatorFacts.LookupFacts {
        .later(request.part(Service.self).identity, keepsFirst: true)
    }
}

extension Locator.Provider: ComposedType {
    static var resolvedLater: Any.Type? { Service.self }

    static func resolved(to argument: AnyInstance, in core: LocatorCore) -> AnyInstance {
        Instance(Self(core: core, key: nil, arguments: nil, given: argument))
    }

    static func compose(_ parts: [AnyInstance?], for request: Request, in core: LocatorCore) -> AnyInstance {
        Instance(Self(core: core, key: request.identity.keyed, arguments: request.arguments))
    }

    static func facts(of request: Request, in core: LocatorCore) -> LocatorFacts.LookupFacts {
        .later(request.part(Service.self).identity, keepsFirst: false)
    }
}
