extension Locator {
    /// What a factory is handed: the locator that makes, to ask for what the service needs.
    ///
    /// ```swift
    /// locator.register(.lazy { locator in
    ///     Repository(database: try locator.resolve(), cache: try locator.resolveOptional())
    /// })
    /// ```
    ///
    /// For a service that is kept, that is the locator that has the registration; for one that is made anew, the
    /// locator that was asked.
    ///
    /// With arguments, each of these stands in for a service of its type that is asked of the resolver without a key.
    ///
    /// It can be kept, to ask later, and be had like a service: as a parameter of an initializer, or as a property
    /// `@Inject var resolver: Locator.Resolver`. It does not keep its locator: once that has gone, asking throws
    /// ``InjectleError/locatorEnded``.
    public struct Resolver: Sendable {
        @usableFromInline let core: Core
        /// What the call that it was made for hands over.
        @usableFromInline let arguments: Arguments?

        @inlinable
        @inline(__always)
        init(core: Core, arguments: Arguments?) {
            self.core = core
            self.arguments = arguments
        }

        /// Whether the locator is still there.
        public var isValid: Bool { !core.hasEnded }

        /// A locator that finds here what it does not have itself, as ``Locator/child(_:)`` makes it; but it does not
        /// keep this one's locator. Arguments are not handed on to it.
        public func child(_ name: String? = nil) -> Locator {
            Locator(name, of: core)
        }

        /// A locator that finds here what it does not have itself, and is filled: if `build` throws, there is none.
        ///
        /// - Throws: What `build` throws.
        public func child(_ name: String? = nil, _ build: (Locator) throws -> Void) rethrows -> Locator {
            let child = child(name)
            try build(child)
            return child
        }

        /// The argument that stands in for a service.
        @usableFromInline
        @inline(never)
        func given<Service>(_ type: Service.Type) -> Service? {
            guard let arguments else { return nil }
            return type == Resolver.self ? self as? Service : arguments.value(for: type)
        }

        /// The service of a type, as ``Locator/resolve(_:isolation:fileID:line:)->Service`` finds it.
        ///
        /// - Throws: ``InjectleError`` if it is not registered, cannot be made, or is being made already.
        @inlinable
        public func resolve<Service>(
            _ type: Service.Type = Service.self,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service {
            if arguments != nil, let given = given(type) { return given }
            defer { withExtendedLifetime(core) {} }
            let service = try CoreHead.resolve(type, isolation, fileID, line, isOptional: false, core.head)
            return required(service)
        }

        /// The service of a type that was registered with a key, as
        /// ``Locator/resolve(_:key:isolation:fileID:line:)-(_,AnyHashable?,_,_,_)`` finds it.
        ///
        /// - Throws: ``InjectleError`` if it is not registered, cannot be made, or is being made already.
        @inlinable
        @inline(never)
        @_disfavoredOverload
        public func resolve<Service>(
            _ type: Service.Type = Service.self,
            key: AnyHashable?,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service {
            if key == nil, arguments != nil, let given = given(type) { return given }
            defer { withExtendedLifetime(core) {} }
            let call = Call(type, isolation, fileID, line, isOptional: false)
            return required(try CoreHead.resolve(type, key, nil, call, core.head))
        }

        /// The service of a type that was registered with a key, as
        /// ``Locator/resolve(_:key:isolation:fileID:line:)-(_,Key?,_,_,_)`` finds it.
        ///
        /// - Throws: ``InjectleError`` if it is not registered, cannot be made, or is being made already.
        @inlinable
        public func resolve<Service, Key: Hashable>(
            _ type: Service.Type = Service.self,
            key: Key?,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service {
            if key == nil, arguments != nil, let given = given(type) { return given }
            defer { withExtendedLifetime(core) {} }
            return required(
                try CoreHead.resolve(type, key, isolation, fileID, line, isOptional: false, core.head)
            )
        }

        /// The service that an optional type wraps, or nil if none is registered.
        ///
        /// - Throws: ``InjectleError`` if it is registered and cannot be made.
        @inlinable
        public func resolve<Service>(
            _ type: Service?.Type = Service?.self,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service? {
            if arguments != nil, let given = given(Service?.self) { return given }
            return try resolveOptional(Service.self, isolation: isolation, fileID: fileID, line: line)
        }

        /// The service of a type, or nil if none is registered.
        ///
        /// - Throws: ``InjectleError`` if it is registered and cannot be made.
        @inlinable
        public func resolveOptional<Service>(
            _ type: Service.Type = Service.self,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service? {
            if arguments != nil, let given = given(Service?.self) { return given }
            defer { withExtendedLifetime(core) {} }
            return try CoreHead.resolve(type, isolation, fileID, line, isOptional: true, core.head)
        }

        /// The service of a type that was registered with a key, or nil if none is.
        ///
        /// - Throws: ``InjectleError`` if it is registered and cannot be made.
        @inlinable
        @inline(never)
        @_disfavoredOverload
        public func resolveOptional<Service>(
            _ type: Service.Type = Service.self,
            key: AnyHashable?,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service? {
            if key == nil, arguments != nil, let given = given(Service?.self) { return given }
            defer { withExtendedLifetime(core) {} }
            let call = Call(type, isolation, fileID, line, isOptional: true)
            return try CoreHead.resolve(type, key, nil, call, core.head)
        }

        /// The service of a type that was registered with a key, or nil if none is. As the other one, where the type of
        /// the key is known.
        ///
        /// - Throws: ``InjectleError`` if it is registered and cannot be made.
        @inlinable
        public func resolveOptional<Service, Key: Hashable>(
            _ type: Service.Type = Service.self,
            key: Key?,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service? {
            if key == nil, arguments != nil, let given = given(Service?.self) { return given }
            defer { withExtendedLifetime(core) {} }
            return try CoreHead.resolve(type, key, isolation, fileID, line, isOptional: true, core.head)
        }
    }
}

extension Unmanaged<Core> {
    /// Calls `body` with the resolver of a core that the caller keeps, without retaining it.
    @inlinable
    @inline(__always)
    func withResolver<Value>(
        _ arguments: Arguments?,
        _ body: (Locator.Resolver) throws -> Value
    ) rethrows -> Value {
        try _withUnsafeGuaranteedRef { try body(Locator.Resolver(core: $0, arguments: arguments)) }
    }
}
