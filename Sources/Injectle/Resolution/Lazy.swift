extension Locator {
    /// A service that is resolved when it is needed first, and kept.
    ///
    /// It is had like a service: as a parameter of an initializer, from a locator, or as a property, which is to be
    /// marked ``Injected``, since any other has a new one at each read. Nothing is looked up or made before it is
    /// called, so two services that need each other can be made if one of them has the other by this.
    ///
    /// ```swift
    /// final class Driver: Sendable {
    ///     let car: Locator.Lazy<any Car>
    ///     init(car: Locator.Lazy<any Car>) { self.car = car }
    ///     func drive() throws -> String { try car().name }
    /// }
    ///
    /// locator.register(.initializer(Driver.init))
    /// let driver: Driver = try locator.resolve()  // though there is no car yet
    /// locator.register(.eager(Taxi()), for: (any Car).self)
    /// print(try driver.drive())  // Prints "taxi"
    /// ```
    ///
    /// A key and arguments that it was resolved with are those that the service is resolved with. It does not keep its
    /// locator. It can be called from any thread.
    public struct Lazy<Service>: Sendable {
        private let property: InjectionReference

        /// Resolves the service at the first call, and returns the same at each other.
        ///
        /// ```swift
        /// locator.register(.volatile { Garage() })
        /// let garage: Locator.Lazy<Garage> = try locator.resolve()
        /// print(try garage() === garage())  // Prints "true"
        /// ```
        ///
        /// - Parameter isolation: The actor that asks; filled in.
        /// - Returns: The service, the same for all copies of this value.
        /// - Throws: ``InjectleError`` as ``Locator/resolve(_:isolation:fileID:line:)->Service``, and
        ///   ``InjectleError/locatorReleased`` if the locator has gone. Then the next call tries again.
        /// - Complexity: O(1), but for the first call, which costs a resolve.
        public func callAsFunction(isolation: (any Actor)? = #isolation) throws(InjectleError) -> Service {
            if let service = property.withHeader({ InjectionHeader.cached(Service.self, $0) }) { return service }
            let service = try received(Service.self) { storage throws(InjectleError) in
                try InjectionHeader.provide(
                    Service.self,
                    isOptional: false,
                    isolation: isolation,
                    property.address,
                    into: storage
                )
            }
            return required(service)
        }

        /// Resolves the service at the first call, awaited, and returns the same at each other.
        ///
        /// As calling it, also for a service that cannot be made without awaiting.
        ///
        /// ```swift
        /// func loadUser() async throws -> User { User(name: "Ada") }
        ///
        /// locator.register(.lazy { try await loadUser() })
        /// let user: Locator.Lazy<User> = try locator.resolve()
        /// print(try await user.resolveAsync().name)  // Prints "Ada"
        /// ```
        ///
        /// - Parameter isolation: The actor that asks, and that this returns to; filled in.
        /// - Returns: The service, the same for all copies of this value.
        /// - Throws: ``InjectleError`` as ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``, and
        ///   ``InjectleError/locatorReleased`` if the locator was released. Then the next call tries again.
        /// - Complexity: O(1), without suspending, but for the first call, which costs a resolve.
        public func resolveAsync(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(InjectleError) -> Service {
            if let service = property.withHeader({ InjectionHeader.cached(Service.self, $0) }) { return service }
            return try await property.provideFirst(Service.self, isolation).loaded(as: Service.self)
        }

        fileprivate init(_ property: InjectionReference) {
            self.property = property
        }
    }

    /// A service that is resolved at each call.
    ///
    /// It is had like a service, as a parameter of an initializer, as a property, or from ``Locator``, and asks the
    /// locator that it was had from. It does not keep that.
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
    /// A key that it was resolved with is that which the service is resolved with; so are the arguments, where a call
    /// has none of its own. It can be called from any thread.
    public struct Provider<Service>: Sendable {
        private let core: LocatorCore
        // Sound to share: a key is immutable, like any key of a registration.
        nonisolated(unsafe) private let key: AnyHashable?
        private let arguments: Arguments?

        fileprivate init(core: LocatorCore, key: AnyHashable?, arguments: Arguments?) {
            self.core = core
            self.key = key
            self.arguments = arguments
        }

        /// Resolves the service, of arguments or without.
        ///
        /// ```swift
        /// locator.register(.volatile { (locator, name: String) in User(name: name) })
        /// let users: Locator.Provider<User> = try locator.resolve()
        /// print(try users("Ada").name, try users("Ben").name)  // Prints "Ada Ben"
        /// ```
        ///
        /// - Parameters:
        ///   - values: The arguments, as those of ``Locator/resolve(_:key:arguments:isolation:fileID:line:)``.
        ///   - isolation: The actor that asks; filled in.
        ///   - fileID: The file that errors name; filled in.
        ///   - line: The line that errors name; filled in.
        /// - Returns: The instance, made now if it is not there or the lifetime says so.
        /// - Throws: ``InjectleError`` as ``Locator/resolve(_:isolation:fileID:line:)->Service``,
        ///   ``InjectleError/wrongArguments`` if there are only registrations that declare others, and
        ///   ``InjectleError/locatorReleased`` if the locator has gone.
        /// - Complexity: That of a resolve with these arguments.
        public func callAsFunction<each Argument>(
            _ values: repeat each Argument,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service {
            var own = Arguments(repeat each values) as Arguments?
            if own?.types.isEmpty == true { own = arguments }
            let call = ResolveRequest(Service.self, isolation, fileID, line, isOptional: false)
            return required(try LocatorHeader.resolve(Service.self, key, own, call, core.header))
        }

        /// Resolves the service, awaited, of arguments or without.
        ///
        /// ```swift
        /// func find(_ name: String) async throws -> User { User(name: name) }
        ///
        /// locator.register(.volatile { (locator, name: String) in try await find(name) })
        /// let users: Locator.Provider<User> = try locator.resolve()
        /// print(try await users.resolveAsync("Ada").name)  // Prints "Ada"
        /// ```
        ///
        /// - Parameters:
        ///   - values: The arguments, as those of ``Locator/resolve(_:key:arguments:isolation:fileID:line:)``.
        ///   - isolation: The actor that asks, and that this returns to; filled in.
        ///   - fileID: The file that errors name; filled in.
        ///   - line: The line that errors name; filled in.
        /// - Returns: The instance, made now if it is not there or the lifetime says so.
        /// - Throws: ``InjectleError`` as ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``,
        ///   ``InjectleError/wrongArguments`` if there are only registrations that declare others, and
        ///   ``InjectleError/locatorReleased`` if the locator has gone.
        /// - Complexity: That of a resolve with these arguments.
        public func resolveAsync<each Argument>(
            _ values: repeat each Argument,
            isolation: isolated (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) async throws(InjectleError) -> Service {
            var own = Arguments(repeat each values) as Arguments?
            if own?.types.isEmpty == true { own = arguments }
            let call = ResolveRequest(Service.self, isolation, fileID, line, isOptional: false)
            return required(try await core.resolveAsync(Service.self, key, own, call, isolation))
        }
    }
}

extension Locator.Lazy: ComposedType {
    static func provide(
        _ request: ResolveRequest,
        in core: LocatorCore,
        for property: InjectionPoint?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) {
        let reference = InjectionPoint.make(asLazy: request, in: core)
        storage.initializeMemory(as: Self.self, to: Self(reference))
    }
}

extension Locator.Provider: ComposedType {
    static func provide(
        _ request: ResolveRequest,
        in core: LocatorCore,
        for property: InjectionPoint?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) {
        let provider = Self(core: core, key: request.identity.key, arguments: request.arguments)
        storage.initializeMemory(as: Self.self, to: provider)
    }
}
