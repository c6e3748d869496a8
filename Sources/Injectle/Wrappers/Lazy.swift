extension Locator {
    /// A service that is resolved when it is needed first, and kept.
    ///
    /// It is had like a service: as a parameter of an initializer, from a locator, or as a property, which is to be
    /// marked ``Injected``, since any other has a new one at each read. Nothing is looked up or made before it is
    /// called, so two services that need each other can be made if one of them has the other by this.
    ///
    /// ```swift
    /// final class Dispatcher {
    ///     let planner: Locator.Lazy<Planner>
    ///     init(planner: Locator.Lazy<Planner>) { self.planner = planner }
    ///     func dispatch() throws { try planner().plan() }
    /// }
    /// locator.register(.initializer(Dispatcher.init, .lazy))
    /// ```
    ///
    /// A key and arguments that it was resolved with are those that the service is resolved with. It can be called from
    /// any thread.
    public struct Lazy<Service>: Sendable {
        private let property: PropertyReference

        /// The service: resolved at the first call, and the same at each other.
        ///
        /// - Throws: ``InjectleError`` as ``Locator/resolve(_:isolation:fileID:line:)->Service``. Then the next call
        ///   tries again.
        ///
        /// - Parameter isolation: The actor that asks; filled in.
        public func callAsFunction(isolation: (any Actor)? = #isolation) throws(InjectleError) -> Service {
            if let service = PropertyHead.kept(Service.self, property.head) { return service }
            let service = try received(Service.self) { storage throws(InjectleError) in
                try PropertyHead.provide(
                    Service.self,
                    isOptional: false,
                    isolation: isolation,
                    property.head,
                    into: storage
                )
            }
            return required(service)
        }

        /// The service, awaited: resolved at the first call, and the same at each other.
        ///
        /// As calling it, also for a service that cannot be made without awaiting.
        ///
        /// - Throws: ``InjectleError`` as ``Locator/resolveAsync(_:key:isolation:fileID:line:)->Service``.
        ///
        /// - Parameter isolation: The actor that asks; filled in.
        public func resolveAsync(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(InjectleError) -> Service {
            if let service = PropertyHead.kept(Service.self, property.head) { return service }
            return try await property.provideFirst(Service.self, isolation).loaded(as: Service.self)
        }

        fileprivate init(_ property: PropertyReference) {
            self.property = property
        }
    }

    /// A service that is resolved at each call.
    ///
    /// It is had like a service, as a parameter of an initializer, as a property, or from ``Locator``, and asks the
    /// locator that it was had from. It does not keep that.
    ///
    /// ```swift
    /// final class Dispatcher {
    ///     let trips: Locator.Provider<Trip>
    ///     init(trips: Locator.Provider<Trip>) { self.trips = trips }
    ///     func book(_ id: Int) throws -> Trip { try trips(id) }
    /// }
    /// locator.register(.volatile { (locator, id: Int) in Trip(id: id) })
    /// locator.register(.initializer(Dispatcher.init, .lazy))
    /// ```
    ///
    /// A key that it was resolved with is that which the service is resolved with; so are the arguments, where a call
    /// has none of its own. It can be called from any thread.
    public struct Provider<Service>: Sendable {
        private let core: Core
        // Sound to share: a key is immutable, like any key of a registration.
        nonisolated(unsafe) private let key: AnyHashable?
        private let arguments: Arguments?

        fileprivate init(core: Core, key: AnyHashable?, arguments: Arguments?) {
            self.core = core
            self.key = key
            self.arguments = arguments
        }

        /// The service, made of arguments or without.
        ///
        /// - Parameters:
        ///   - values: The arguments, as those of ``Locator/resolve(_:key:arguments:_:isolation:fileID:line:)``.
        ///   - isolation: The actor that asks; filled in.
        ///   - fileID: The file that errors name; filled in.
        ///   - line: The line that errors name; filled in.
        /// - Throws: ``InjectleError`` as ``Locator/resolve(_:isolation:fileID:line:)->Service``.
        public func callAsFunction<each Argument>(
            _ values: repeat each Argument,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service {
            var own = Arguments(repeat each values) as Arguments?
            if own?.types.isEmpty == true { own = arguments }
            let call = Call(Service.self, isolation, fileID, line, isOptional: false)
            return required(try CoreHead.resolve(Service.self, key, own, call, core.head))
        }

        /// The service, awaited, made of arguments or without.
        ///
        /// - Parameters:
        ///   - values: The arguments, as those of ``Locator/resolve(_:key:arguments:_:isolation:fileID:line:)``.
        ///   - isolation: The actor that asks; filled in.
        ///   - fileID: The file that errors name; filled in.
        ///   - line: The line that errors name; filled in.
        /// - Throws: ``InjectleError`` as ``Locator/resolveAsync(_:key:isolation:fileID:line:)->Service``.
        public func resolveAsync<each Argument>(
            _ values: repeat each Argument,
            isolation: isolated (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) async throws(InjectleError) -> Service {
            var own = Arguments(repeat each values) as Arguments?
            if own?.types.isEmpty == true { own = arguments }
            let call = Call(Service.self, isolation, fileID, line, isOptional: false)
            return required(try await core.resolveAsync(Service.self, key, own, call, isolation))
        }
    }
}

extension Locator.Lazy: ComposedType {
    static func provide(
        _ request: Request,
        in core: Core,
        for property: Property?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) {
        let reference = Property.make(asLazy: request, in: core)
        storage.initializeMemory(as: Self.self, to: Self(reference))
    }
}

extension Locator.Provider: ComposedType {
    static func provide(
        _ request: Request,
        in core: Core,
        for property: Property?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) {
        let provider = Self(core: core, key: request.identity.key, arguments: request.arguments)
        storage.initializeMemory(as: Self.self, to: provider)
    }
}
