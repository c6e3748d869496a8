extension Locator {
    /// Resolves the service of a type: hands it out, and makes it first if it has to.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: (any Car).self)
    /// let car: any Car = try locator.resolve()
    /// print(try locator.resolve((any Car).self) === car)  // Prints "true"
    /// ```
    ///
    /// Looks here and then in the parents. A type of `T?` asks for `T`, and gets nil if there is none. The closure runs
    /// on the calling thread, or on the actor where it was written; see ``isolation``. Whoever asks while another
    /// thread makes the service waits for that.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made now if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError``: ``InjectleError/missing`` or ``InjectleError/wrongArguments`` if no registration is
    ///   found, ``InjectleError/factoryFailed`` or ``InjectleError/cancelled`` if the closure threw;
    ///   ``InjectleError/cycle``, ``InjectleError/deadlock``, ``InjectleError/tooDeep``,
    ///   ``InjectleError/wrongIsolation``, ``InjectleError/asynchronous``, ``InjectleError/wrongType``,
    ///   ``InjectleError/notAnObject``, ``InjectleError/released`` or ``InjectleError/locatorNotFound`` if it cannot be
    ///   made, or not here; ``InjectleError/locatorClosed`` or ``InjectleError/locatorReleased`` if nothing can any more.
    /// - Complexity: O(1) for an instance that is there, besides one step for each parent that is searched; without a
    ///   lock where it was given, is lazy or is kept per locator. Else what its creation costs.
    @inlinable
    public func resolve<Service>(
        _ type: Service.Type = Service.self,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        defer { withExtendedLifetime(self) {} }
        return required(try LocatorHeader.resolve(type, isolation, fileID, line, isOptional: false, readHeader))
    }

    /// The same as ``resolveOptional(_:isolation:fileID:line:)``, asked for by an optional type.
    ///
    /// ```swift
    /// let discount: Discount? = try locator.resolve()
    /// print(discount == nil)  // Prints "true"
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
        try resolveOptional(Service.self, isolation: isolation, fileID: fileID, line: line)
    }

    /// Resolves the service of a type that was registered with a key.
    ///
    /// ```swift
    /// let cities: [AnyHashable] = ["Lyon", 3]
    /// for city in cities { locator.register(.eager(User(name: "the taxi of \(city)")), for: city) }
    /// print(try locator.resolve(User.self, key: cities[0]).name)  // Prints "the taxi of Lyon"
    /// ```
    ///
    /// The service registered under type and key is taken, from here or a parent; or else the latest one with that key,
    /// whatever it was registered as.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with; nil asks for the one without a key.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, made now if it is not there or the lifetime says so.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)->Service``; also ``InjectleError/wrongType``
    ///   if what the key alone finds is of another type.
    /// - Complexity: O(1) on average for an instance that is there, besides one step for each parent that is searched.
    ///   What is found by its key alone takes O(*k* log *k*) where *k* registrations share the key; a locator without a
    ///   parent remembers it.
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
        defer { withExtendedLifetime(self) {} }
        let call = Call(type, isolation, fileID, line, isOptional: false)
        return required(try LocatorHeader.resolve(type, key, nil, call, readHeader))
    }

    /// The same as ``resolve(_:key:isolation:fileID:line:)-(_,AnyHashable?,_,_,_)``, for a key whose type is known.
    ///
    /// Taken for a string, or the case of an enumeration, without a word from you: it is the faster one, and as a rule
    /// takes no lock.
    ///
    /// ```swift
    /// enum Currency { case home, abroad }
    /// locator.register(.eager(Settings(currency: "EUR")), for: Currency.home)
    /// print(try locator.resolve(Settings.self, key: Currency.home).currency)  // Prints "EUR"
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``resolve(_:key:isolation:fileID:line:)-(_,AnyHashable?,_,_,_)``.
    @inlinable
    public func resolve<Service, Key: Hashable>(
        _ type: Service.Type = Service.self,
        key: Key?,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service {
        defer { withExtendedLifetime(self) {} }
        return required(
            try LocatorHeader.resolve(type, key, isolation, fileID, line, isOptional: false, readHeader)
        )
    }

    /// Resolves the service of a type, or returns nil if none is registered.
    ///
    /// What is registered and cannot be made is an error, not nil.
    ///
    /// ```swift
    /// print(try locator.resolveOptional((any Car).self) == nil)  // Prints "true"
    /// locator.register(.lazy { locator in Chauffeur(car: try locator.resolve()) })
    /// do { _ = try locator.resolveOptional(Chauffeur.self) } catch { print(error.identity) }  // Prints "any App.Car"
    /// ```
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, or nil if nothing is registered under this type.
    /// - Throws: ``InjectleError`` as ``resolve(_:isolation:fileID:line:)->Service``, but for
    ///   ``InjectleError/missing``, which can then only concern what the service itself needs.
    /// - Complexity: O(1) for an instance that is there, or if there is none, besides one step for each parent that is
    ///   searched. Else what its creation costs.
    @inlinable
    public func resolveOptional<Service>(
        _ type: Service.Type = Service.self,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        return try LocatorHeader.resolve(type, isolation, fileID, line, isOptional: true, readHeader)
    }

    /// Resolves the service of a type that was registered with a key, or returns nil if none is.
    ///
    /// ```swift
    /// let key: AnyHashable = 7
    /// print(try locator.resolveOptional((any Car).self, key: key) == nil)  // Prints "true"
    /// ```
    ///
    /// It finds what ``resolve(_:key:isolation:fileID:line:)-(_,AnyHashable?,_,_,_)`` finds, also by the key alone.
    ///
    /// - Parameters:
    ///   - type: What is asked for; taken from the context if left out.
    ///   - key: The key it was registered with; nil asks for the one without a key.
    ///   - isolation: The actor that asks; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: The instance, or nil if nothing is registered under this type and key, or under the key alone.
    /// - Throws: ``InjectleError`` as ``resolveOptional(_:isolation:fileID:line:)``; also ``InjectleError/wrongType``
    ///   if what the key alone finds is of another type.
    /// - Complexity: That of ``resolve(_:key:isolation:fileID:line:)-(_,AnyHashable?,_,_,_)``.
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
        defer { withExtendedLifetime(self) {} }
        let call = Call(type, isolation, fileID, line, isOptional: true)
        return try LocatorHeader.resolve(type, key, nil, call, readHeader)
    }

    /// The same as ``resolveOptional(_:key:isolation:fileID:line:)-(_,AnyHashable?,_,_,_)``, for a key whose type is
    /// known.
    ///
    /// ```swift
    /// let discount: Discount? = try locator.resolveOptional(key: "summer")
    /// print(discount == nil)  // Prints "true"
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``resolveOptional(_:key:isolation:fileID:line:)-(_,AnyHashable?,_,_,_)``.
    @inlinable
    public func resolveOptional<Service, Key: Hashable>(
        _ type: Service.Type = Service.self,
        key: Key?,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        return try LocatorHeader.resolve(type, key, isolation, fileID, line, isOptional: true, readHeader)
    }

    /// Tells whether a service is registered here or in a parent, without creation it.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: (any Car).self, key: "unknown")
    /// print(locator.isRegistered((any Car).self, key: "unknown"))  // Prints "true"
    /// print(locator.isRegistered(DeLorean.self, key: "unknown"))  // Prints "false"
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type it would be resolved as.
    ///   - key: The key it would be resolved by. Unlike resolving, this asks for exactly this type.
    /// - Returns: Whether there is a registration for type and key, whichever arguments it declares. What contributes
    ///   to a list does not count.
    /// - Complexity: O(1) on average for each locator that is searched, or O(*k*) where *k* registrations contribute to
    ///   the list of the type.
    public func isRegistered<Service>(_ type: Service.Type, key: AnyHashable? = nil) -> Bool {
        let userKey = key.map(ServiceKey.UserKey.init)
        return core.chain.contains { core in
            core.entries(as: type, userKey: userKey).contains { !$0.identity.isContribution }
        }
    }

    /// Lets go of an instance, but not of its registration: whoever asks next has another one made.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.resettable())
    /// let old = try locator.resolve(Garage.self)
    /// try locator.resetInstance(of: Garage.self)
    /// print(try locator.resolve(Garage.self) === old)  // Prints "false"
    /// ```
    ///
    /// It is the instance that this locator would be given: of a service that is kept for each locator, this one's; of
    /// one that is kept for each list of arguments, all of them; of a factory, the prototype. Who holds an instance
    /// keeps it, as does a property that has a volatile, weak or graph one, or a copy; other properties are given the
    /// new one.
    ///
    /// - Parameters:
    ///   - type: The type it is resolved as.
    ///   - key: The key it is resolved by.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Throws: ``InjectleError/missing`` if there is no such registration; ``InjectleError/notResettable`` if there
    ///   is nothing to make another instance by, because a lazy one or a factory is not ``Registration/resettable()``,
    ///   or is an eager one; ``InjectleError/locatorNotFound`` if no locator of the lifetime's name is found; what the
    ///   ``CustomLifetime`` throws that is asked for its scope, as ``InjectleError/factoryFailed``. Where there is
    ///   only a list of that type, all of it is meant.
    /// - Complexity: O(1) on average, besides one step for each parent that is searched, or O(*k*) where *k* instances
    ///   go.
    public func resetInstance<Service>(
        of type: Service.Type,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) {
        try core.resetInstance(
            Call(type, nil, fileID, line, isOptional: false).request(key, nil, requester: "resetInstance")
        )
    }

    /// The same as ``resetInstance(of:key:fileID:line:)``, but only for the instance that was made of some arguments.
    ///
    /// ```swift
    /// locator.register(.lifetime(.perArgument) { (locator, model: String) in Bmw(model: model) })
    /// let small = try locator.resolve(Bmw.self, arguments: "M2")
    /// let large = try locator.resolve(Bmw.self, arguments: "M5")
    /// try locator.resetInstance(of: Bmw.self, arguments: "M2")
    /// print(try locator.resolve(Bmw.self, arguments: "M2") === small)  // Prints "false"
    /// print(try locator.resolve(Bmw.self, arguments: "M5") === large)  // Prints "true"
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``resetInstance(of:key:fileID:line:)``, and ``InjectleError/wrongArguments`` if
    ///   one of several instances is to be found by an argument that is not `Hashable`.
    public func resetInstance<Service, First, each Argument>(
        of type: Service.Type,
        key: AnyHashable? = nil,
        arguments first: First,
        _ rest: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) {
        let call = Call(type, nil, fileID, line, isOptional: false)
        let arguments = Arguments(first, repeat each rest)
        try core.resetInstance(call.request(key, arguments, requester: "resetInstance"))
    }

    /// What is registered in this locator itself, in order of registration.
    ///
    /// Nothing is made.
    ///
    /// - Complexity: O(*n* log *n*) in the number of registrations.
    public var registrations: [RegistrationInfo] {
        let core = core
        return core.ownEntries.map { entry in
            let isCreated = core.instance(of: entry.record) != nil
            return RegistrationInfo(identity: entry.identity, lifetime: entry.record.lifetime, isCreated: isCreated)
        }
    }

    /// What can be said of a registration without creation its service.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() })
    /// for registration in locator.registrations { print(registration) }  // Prints "App.Garage: lazy"
    /// ```
    ///
    /// It has no service in it, so it can be kept, and handed to any thread. It says what was so when it was asked for.
    public struct RegistrationInfo: Sendable, CustomStringConvertible {
        /// What it is found by.
        ///
        /// A registration with several identities is listed once for each.
        public let identity: ServiceKey
        /// When instances are made, and who keeps them.
        public let lifetime: Lifetime
        /// Whether the locator has its instance, or a factory its prototype.
        public let isCreated: Bool

        /// The identity and the lifetime in one line: "App.Garage: lazy, created".
        public var description: String { "\(identity): \(lifetime)\(isCreated ? ", created" : "")" }
    }
}
