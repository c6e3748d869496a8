extension Locator.Registration {
    /// A service that an initializer makes, each parameter of which is resolved by its type.
    ///
    /// ```swift
    /// struct Garage {
    ///     init(car: Car, light: (any Light)?, tools: [any Tool], spare: Locator.Provider<Tyre>) {}
    /// }
    /// locator.register(.initializer(Garage.init, .lazy))
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
    /// initializers, `Garage.init(car:light:)` says which; one with default values is called by a closure. An argument
    /// that was passed to the resolve stands in for a parameter of its type, or of one that it conforms to.
    ///
    /// - Parameters:
    ///   - initializer: Makes the service, where it is registered: on the actor that the code around it is isolated to,
    ///     or anywhere if there is none. `.main` and `.anywhere` in front say so instead.
    ///   - lifetime: When an instance is made and who keeps it.
    ///   - isolation: The actor that it is registered on; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
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

    /// A service that an initializer makes and that is not known to be `Sendable`.
    ///
    /// As the first `initializer`.
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

    /// A service that an initializer makes on whichever thread asks.
    ///
    /// As the first `initializer`.
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

    /// A service that an initializer makes on whichever thread asks, and that is not known to be `Sendable`.
    ///
    /// As the first `initializer`.
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

    /// A service that an initializer makes on the main actor.
    ///
    /// As the first `initializer`.
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

    /// A service that an initializer makes on the main actor, and that is not known to be `Sendable`.
    ///
    /// As the first `initializer`.
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
