extension Locator {
    /// What a factory is handed: the locator that makes, to ask for what the service needs.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// ```
    ///
    /// For a lazy service, that is the locator that has the registration; for one that is made anew, the locator that
    /// was asked; for one that is kept per locator, the locator that keeps it.
    ///
    /// With arguments, each of these stands in for a service of its type that is asked of the resolver without a key.
    ///
    /// It can be kept, to ask later, and be had like a service: as a parameter of an initializer, or as a property
    /// `@Inject var resolver: Locator.Resolver`. It does not keep its locator: once that has gone, asking throws
    /// ``InjectleError/locatorReleased``.
    ///
    /// It is a value that can be used from any thread.
    public struct Resolver: Sendable {
        @usableFromInline let core: LocatorCore
        /// What the call that it was made for hands over.
        @usableFromInline let arguments: Arguments?

        @inlinable
        @inline(__always)
        init(core: LocatorCore, arguments: Arguments?) {
            self.core = core
            self.arguments = arguments
        }

        /// Whether the locator is still there, so that asking may succeed.
        public var isValid: Bool { !core.isTerminated }

        /// Makes a locator that finds here what it does not have itself.
        ///
        /// As ``Locator/child(_:)`` makes it; but it does not keep this one's locator. Arguments are not handed on to
        /// it.
        ///
        /// ```swift
        /// locator.register(.eager(User(name: "Ada")))
        /// let resolver: Locator.Resolver = try locator.resolve()
        /// let day = resolver.child("day")
        /// print(try day.resolve(User.self).name)  // Prints "Ada"
        /// ```
        ///
        /// - Parameter name: What errors call it, and what `.perLocator(named:)` looks for.
        /// - Returns: A locator without registrations of its own. Once the resolver's locator has gone, it finds
        ///   nothing there.
        /// - Complexity: O(1).
        public func child(_ name: String? = nil) -> Locator {
            Locator(name, of: core)
        }

        /// Makes a locator that finds here what it does not have itself, and fills it: if `build` throws, there is
        /// none.
        ///
        /// ```swift
        /// locator.register(.volatile { locator in Report(settings: try locator.resolve()) })
        /// let resolver: Locator.Resolver = try locator.resolve()
        /// let day = resolver.child("day") { $0.register(.eager(Settings(currency: "EUR"))) }
        /// print(try day.resolve(Report.self).settings.currency)  // Prints "EUR"
        /// ```
        ///
        /// - Parameters:
        ///   - name: What errors call it, and what `.perLocator(named:)` looks for.
        ///   - build: Registers what the child holds. It runs here, at once.
        /// - Returns: The child, which does not keep this one's locator.
        /// - Throws: What `build` throws.
        /// - Complexity: O(1), besides what `build` costs.
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

        /// Finds the service of a type, as ``Locator/resolve(_:isolation:fileID:line:)->Service`` finds it.
        ///
        /// ```swift
        /// locator.register(.eager(Settings(currency: "EUR")))
        /// locator.register(.lazy { locator in Report(settings: try locator.resolve()) })
        /// print(try locator.resolve(Report.self).settings.currency)  // Prints "EUR"
        /// ```
        ///
        /// An argument of the resolver that is of this type is taken first. If the service is not there, it is made, on
        /// the actor that its closure belongs to.
        ///
        /// - Parameters:
        ///   - type: What is asked for; taken from the context if left out.
        ///   - isolation: The actor that asks; filled in.
        ///   - fileID: The file that errors name; filled in.
        ///   - line: The line that errors name; filled in.
        /// - Returns: The instance, made now if it is not there or the lifetime says so.
        /// - Throws: ``InjectleError``: ``InjectleError/missing`` if it is not registered; ``InjectleError/wrongType``,
        ///   ``InjectleError/wrongArguments``, ``InjectleError/locatorNotFound``, ``InjectleError/notAnObject`` or
        ///   ``InjectleError/released`` if what is registered does not fit; ``InjectleError/wrongIsolation`` or
        ///   ``InjectleError/asynchronous`` if it cannot be made here; ``InjectleError/cycle``,
        ///   ``InjectleError/deadlock`` or ``InjectleError/tooDeep`` if its creation would not end;
        ///   ``InjectleError/factoryFailed`` or ``InjectleError/cancelled`` if its creation failed;
        ///   ``InjectleError/locatorClosed`` or ``InjectleError/locatorReleased`` if the locator has come to its end. The
        ///   path in it begins at the outermost resolve.
        /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched, and
        ///   each argument that the resolver has.
        @inlinable
        public func resolve<Service>(
            _ type: Service.Type = Service.self,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service {
            if arguments != nil, let given = given(type) { return given }
            defer { withExtendedLifetime(core) {} }
            let service = try LocatorHeader.resolve(type, isolation, fileID, line, isOptional: false, core.header)
            return required(service)
        }

        /// Finds the service of a type and a key, where the type of the key is not known.
        ///
        /// The same as ``Locator/resolve(_:key:isolation:fileID:line:)-(_,AnyHashable?,_,_,_)``; without a key, an
        /// argument of the resolver that is of this type is taken first.
        ///
        /// ```swift
        /// func registerChauffeur(drivingCar key: AnyHashable?) {
        ///     locator.register(.lazy { locator in Chauffeur(car: try locator.resolve(key: key)) })
        /// }
        /// locator.register(.eager(Taxi()), for: (any Car).self, key: "spare")
        /// registerChauffeur(drivingCar: "spare")
        /// print(try locator.resolve(Chauffeur.self).car.name)  // Prints "taxi"
        /// ```
        ///
        /// - Parameters:
        ///   - type: What is asked for; taken from the context if left out.
        ///   - key: The key it was registered with; nil asks for the one without a key.
        ///   - isolation: The actor that asks; filled in.
        ///   - fileID: The file that errors name; filled in.
        ///   - line: The line that errors name; filled in.
        /// - Returns: The instance, made now if it is not there or the lifetime says so.
        /// - Throws: ``InjectleError``: ``InjectleError/missing`` if it is not registered; ``InjectleError/wrongType``,
        ///   ``InjectleError/wrongArguments``, ``InjectleError/locatorNotFound``, ``InjectleError/notAnObject`` or
        ///   ``InjectleError/released`` if what is registered does not fit; ``InjectleError/wrongIsolation`` or
        ///   ``InjectleError/asynchronous`` if it cannot be made here; ``InjectleError/cycle``,
        ///   ``InjectleError/deadlock`` or ``InjectleError/tooDeep`` if its creation would not end;
        ///   ``InjectleError/factoryFailed`` or ``InjectleError/cancelled`` if its creation failed;
        ///   ``InjectleError/locatorClosed`` or ``InjectleError/locatorReleased`` if the locator has come to its end. The
        ///   path in it begins at the outermost resolve.
        /// - Complexity: O(1) on average for an instance that is registered under type and key, besides one step for
        ///   each parent that is searched. By the key alone, O(*k* log *k*) where *k* registrations share the key.
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
            return required(try LocatorHeader.resolve(type, key, nil, call, core.header))
        }

        /// Finds the service of a type and a key, where the type of the key is known.
        ///
        /// The same as ``resolve(_:key:isolation:fileID:line:)-11wui``, and faster.
        ///
        /// ```swift
        /// locator.register(.eager(Taxi()), for: (any Car).self, key: "spare")
        /// locator.register(.lazy { locator in Chauffeur(car: try locator.resolve(key: "spare")) })
        /// print(try locator.resolve(Chauffeur.self).car.name)  // Prints "taxi"
        /// ```
        ///
        /// - Throws: ``InjectleError`` as ``resolve(_:key:isolation:fileID:line:)-11wui``.
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
                try LocatorHeader.resolve(type, key, isolation, fileID, line, isOptional: false, core.header)
            )
        }

        /// Finds the service that an optional type wraps, or nil if none is registered.
        ///
        /// The same as ``resolveOptional(_:isolation:fileID:line:)``, where the context says that the type is an
        /// optional one.
        ///
        /// ```swift
        /// struct Price: Sendable {
        ///     let discount: Discount?
        /// }
        ///
        /// locator.register(.volatile { locator in Price(discount: try locator.resolve()) })
        /// print(try locator.resolve(Price.self).discount == nil)  // Prints "true"
        /// ```
        ///
        /// - Throws: ``InjectleError`` as ``resolveOptional(_:isolation:fileID:line:)``.
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

        /// Finds the service of a type, or nil if none is registered.
        ///
        /// ```swift
        /// locator.register(.volatile { locator in
        ///     let user = try locator.resolveOptional(User.self)
        ///     return "for \(user?.name ?? "everyone")"
        /// })
        /// print(try locator.resolve(String.self))  // Prints "for everyone"
        /// ```
        ///
        /// An argument of the resolver that is of this type is taken first. What is registered and cannot be made is an
        /// error, not nil.
        ///
        /// - Parameters:
        ///   - type: What is asked for; taken from the context if left out.
        ///   - isolation: The actor that asks; filled in.
        ///   - fileID: The file that errors name; filled in.
        ///   - line: The line that errors name; filled in.
        /// - Returns: The instance, or nil if nothing is registered under this type.
        /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)-846ql``; ``InjectleError/missing`` can
        ///   only concern what the service itself needs.
        /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched, and
        ///   each argument that the resolver has.
        @inlinable
        public func resolveOptional<Service>(
            _ type: Service.Type = Service.self,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service? {
            if arguments != nil, let given = given(Service?.self) { return given }
            defer { withExtendedLifetime(core) {} }
            return try LocatorHeader.resolve(type, isolation, fileID, line, isOptional: true, core.header)
        }

        /// Finds the service of a type and a key, or nil if none is registered, where the type of the key is not known.
        ///
        /// ```swift
        /// let key: AnyHashable = "spare"
        /// locator.register(.volatile { locator in
        ///     try locator.resolveOptional((any Car).self, key: key)?.name ?? "no car"
        /// })
        /// print(try locator.resolve(String.self))  // Prints "no car"
        /// ```
        ///
        /// Without a key, an argument of the resolver that is of this type is taken first.
        ///
        /// - Parameters:
        ///   - type: What is asked for; taken from the context if left out.
        ///   - key: The key it was registered with; nil asks for the one without a key.
        ///   - isolation: The actor that asks; filled in.
        ///   - fileID: The file that errors name; filled in.
        ///   - line: The line that errors name; filled in.
        /// - Returns: The instance, or nil if nothing is registered under this type and key, or under the key alone.
        /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)-846ql``; ``InjectleError/missing`` can
        ///   only concern what the service itself needs.
        /// - Complexity: O(1) on average for an instance that is registered under type and key, besides one step for
        ///   each parent that is searched. By the key alone, O(*k* log *k*) where *k* registrations share the key.
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
            return try LocatorHeader.resolve(type, key, nil, call, core.header)
        }

        /// Finds the service of a type and a key, or nil if none is registered, where the type of the key is known.
        ///
        /// The same as ``resolveOptional(_:key:isolation:fileID:line:)-52kdu``, and faster.
        ///
        /// ```swift
        /// locator.register(.eager(Taxi()), for: (any Car).self, key: "spare")
        /// locator.register(.volatile { locator in
        ///     try locator.resolveOptional((any Car).self, key: "spare")?.name ?? "no car"
        /// })
        /// print(try locator.resolve(String.self))  // Prints "taxi"
        /// ```
        ///
        /// - Throws: ``InjectleError`` as ``resolveOptional(_:key:isolation:fileID:line:)-52kdu``.
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
            return try LocatorHeader.resolve(type, key, isolation, fileID, line, isOptional: true, core.header)
        }
    }
}

extension Unmanaged<LocatorCore> {
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
