extension Locator.Registration {
    /// Makes the service by an initializer, each parameter of which is resolved by its type.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: (any Car).self)
    /// locator.register(.initializer(Chauffeur.init, .lazy))
    /// print(try locator.resolve(Chauffeur.self).car.name)  // Prints "DeLorean"
    /// ```
    ///
    /// | a parameter of type | gets |
    /// | --- | --- |
    /// | `T` | the service |
    /// | `T?` | the service, or nil if none is registered |
    /// | `[T]` | all that contribute to the list of `T`, unless a `[T]` is registered |
    /// | ``Locator/Lazy`` | what resolves it when it is needed, once |
    /// | ``Locator/Provider`` | what resolves it at each call, with arguments or without |
    /// | ``Locator/Resolver`` | what resolves anything |
    ///
    /// There may be any number of parameters, and any function that returns the service will do. Of several
    /// initializers, `Garage.init(database:)` says which; one with default values is called by a closure. An argument
    /// that was passed to the resolve stands in for a parameter of its type, or of one that it conforms to. See
    /// <doc:WiringAndArguments>.
    ///
    /// - Parameters:
    ///   - initializer: Makes the service, where it is registered: on the actor that the code around it is isolated to,
    ///     or anywhere if there is none. `.main` and `.anywhere` in front say so instead.
    ///   - lifetime: When an instance is made and who keeps it.
    ///   - isolation: The actor that it is registered on; filled in.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    /// - Returns: The registration of such a service.
    /// - Throws: Nothing by itself. A parameter that cannot be had is an ``InjectleError`` of the resolve, with the
    ///   path that leads to it; what the initializer throws is ``InjectleError/factoryFailed``.
    /// - Complexity: O(1). Each creation then costs as many resolves as there are parameters.
    @inlinable
    @inline(__always)
    public static func initializer<each Parameter>(
        _ initializer: @escaping (repeat each Parameter) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self where Service: Sendable {
        Self.lifetime(lifetime, isolation: isolation, fileID: fileID, line: line) { locator in
            try initializer(repeat try locator.resolve((each Parameter).self, fileID: fileID, line: line))
        }
    }

    /// Makes a service that is not known to be `Sendable` by an initializer, each parameter of which is resolved by its
    /// type.
    ///
    /// The same as ``initializer(_:_:isolation:fileID:line:)-ci4m``; but where it is registered on an actor, a locator
    /// whose isolation is ``Locator/Isolation/strict`` hands the service to nobody elsewhere.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.initializer(Garage.init(database:), .perLocator))
    /// let garage: Garage = try locator.resolve()
    /// ```
    @inlinable
    @inline(__always)
    public static func initializer<each Parameter>(
        _ initializer: @escaping (repeat each Parameter) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Self.lifetime(lifetime, isolation: isolation, fileID: fileID, line: line) { locator in
            try initializer(repeat try locator.resolve((each Parameter).self, fileID: fileID, line: line))
        }
    }

    /// Makes the service by an initializer on whichever thread asks.
    ///
    /// The same as ``initializer(_:_:isolation:fileID:line:)-ci4m`` but for where it runs: it may be registered in code
    /// of an actor, and is not made there.
    ///
    /// ```swift
    /// import Injectle
    ///
    /// @MainActor func registerServices(in locator: Locator) {
    ///     locator.register(.eager(Settings(currency: "EUR")))
    ///     locator.register(.initializer(.anywhere, Report.init, .lazy))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.anywhere`.
    ///   - initializer: Makes the service, on the thread that asks for it.
    ///   - lifetime: When an instance is made and who keeps it.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    /// - Returns: The registration of such a service.
    /// - Complexity: O(1). Each creation then costs as many resolves as there are parameters.
    @inlinable
    @inline(__always)
    public static func initializer<each Parameter>(
        _ place: Locator.Anywhere,
        _ initializer: @escaping @Sendable (repeat each Parameter) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self where Service: Sendable {
        Self.lifetime(lifetime, place, fileID: fileID, line: line) { locator in
            try initializer(repeat try locator.resolve((each Parameter).self, fileID: fileID, line: line))
        }
    }

    /// Makes a service that is not known to be `Sendable` by an initializer on whichever thread asks.
    ///
    /// The same as ``initializer(_:_:_:fileID:line:)-9npf2``. What threads do with an instance that they share is yours
    /// to protect.
    ///
    /// ```swift
    /// locator.register(.lazy(.anywhere) { Database() })
    /// locator.register(.initializer(.anywhere, Garage.init(database:), .volatile))
    /// let garage: Garage = try locator.resolve()
    /// ```
    @inlinable
    @inline(__always)
    public static func initializer<each Parameter>(
        _ place: Locator.Anywhere,
        _ initializer: @escaping @Sendable (repeat each Parameter) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Self.lifetime(lifetime, place, fileID: fileID, line: line) { locator in
            try initializer(repeat try locator.resolve((each Parameter).self, fileID: fileID, line: line))
        }
    }

    /// Makes the service by an initializer on the main actor.
    ///
    /// The same as ``initializer(_:_:isolation:fileID:line:)-ci4m`` but for where it runs, which may be said from
    /// anywhere. Who asks from elsewhere waits, as the ``Locator/Isolation`` of the locator says.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {
    ///     init(settings: Settings) { MainActor.preconditionIsolated() }
    /// }
    ///
    /// locator.register(.eager(Settings(currency: "EUR")))
    /// locator.register(.initializer(.main, ViewModel.init, .lazy))
    /// let model: ViewModel = try locator.resolve()
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.main`.
    ///   - initializer: Makes the service, on the main actor.
    ///   - lifetime: When an instance is made and who keeps it.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    /// - Returns: The registration of such a service.
    /// - Complexity: O(1). Each creation then costs as many resolves as there are parameters.
    @inlinable
    @inline(__always)
    public static func initializer<each Parameter>(
        _ place: Locator.OnMainActor,
        _ initializer: @escaping @MainActor (repeat each Parameter) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self where Service: Sendable {
        Self.lifetime(lifetime, place, fileID: fileID, line: line) { locator in
            try initializer(repeat try locator.resolve((each Parameter).self, fileID: fileID, line: line))
        }
    }

    /// Makes a service that is not known to be `Sendable` by an initializer on the main actor.
    ///
    /// The same as ``initializer(_:_:_:fileID:line:)-85n9i``; but a locator whose isolation is
    /// ``Locator/Isolation/strict`` hands the service to nobody elsewhere.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.initializer(.main, Garage.init(database:), .lazy))
    /// let garage: Garage = try locator.resolve()
    /// ```
    @inlinable
    @inline(__always)
    public static func initializer<each Parameter>(
        _ place: Locator.OnMainActor,
        _ initializer: @escaping @MainActor (repeat each Parameter) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Self.lifetime(lifetime, place, fileID: fileID, line: line) { locator in
            try initializer(repeat try locator.resolve((each Parameter).self, fileID: fileID, line: line))
        }
    }
}
