extension Locator.Registration {
    /// Creates the service with an initializer, and resolves each parameter by its type.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: (any Car).self)
    /// locator.register(.initializer(Chauffeur.init))
    /// print(try locator.resolve(Chauffeur.self).car.name)  // Prints "DeLorean"
    /// ```
    ///
    /// | parameter | receives |
    /// | --- | --- |
    /// | `T` | the service |
    /// | `T?` | the service, or nil if none is registered |
    /// | `[T]` | all contributions to the list of `T`, unless a `[T]` is registered |
    /// | ``Locator/Lazy`` | resolves the service on first use |
    /// | ``Locator/Provider`` | resolves the service at each call |
    /// | ``Locator/Resolver`` | resolves any service |
    ///
    /// Any function that returns the service can be used. `Garage.init(database:)` selects one of several initializers;
    /// an initializer with default values needs a closure. An argument of the resolve takes the place of a parameter of
    /// its type, and several of one type in their order. If neither a parameter nor a property of the new service takes
    /// it, the resolve throws ``InjectleError/wrongArguments``. See <doc:WiringAndArguments>.
    ///
    /// The service is a singleton that is created on first use, unless ``lifetime(_:)`` says otherwise. A parameter
    /// with a key needs a closure: `.lazy { locator in Garage(database: try locator.resolve(.archive)) }`.
    ///
    /// - Parameter initializer: Creates the service, on the actor on which it is registered.
    /// - Complexity: O(1). Each creation costs one resolve for each parameter.
    @inlinable @inline(__always)
    public static func initializer<each Parameter>(
        _ initializer: @escaping (repeat each Parameter) throws -> Service,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        let location = SourceLocation(fileID, line)
        return Builder(.lazy)(isolation: isolation, fileID: fileID, line: line) { locator in
            try initializer(repeat try locator.resolveParameter((each Parameter).self, location))
        }
        .declaring(Arguments.types(repeat (each Parameter).self) ?? [])
    }

    /// Creates the service with an initializer on the calling thread.
    @inlinable @inline(__always)
    public static func initializer<each Parameter>(
        _ isolation: Locator.Anywhere,
        _ initializer: @escaping @Sendable (repeat each Parameter) throws -> Service,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        self.initializer(initializer, isolation: nil, fileID: fileID, line: line)
    }

    /// Creates the service with an initializer on the main actor.
    public static func initializer<each Parameter>(
        _ isolation: Locator.OnMainActor,
        _ initializer: @escaping @MainActor (repeat each Parameter) throws -> Service,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        let location = SourceLocation(fileID, line)
        return Builder(.lazy)(.main, fileID: fileID, line: line) { locator in
            try initializer(repeat try locator.resolveParameter((each Parameter).self, location))
        }
        .declaring(Arguments.types(repeat (each Parameter).self) ?? [])
    }

    /// Creates the service with an async initializer, and awaits each parameter.
    public static func initializer<each Parameter>(
        _ initializer: @escaping @concurrent (repeat each Parameter) async throws -> Service,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Builder(.lazy)(isolation: isolation, fileID: fileID, line: line) { locator in
            try await initializer(
                repeat try await locator.resolveAsync((each Parameter).self, fileID: fileID, line: line)
            )
        }
        .declaring(Arguments.types(repeat (each Parameter).self) ?? [])
    }

    /// Creates the service with an async initializer on no actor.
    public static func initializer<each Parameter>(
        _ isolation: Locator.Anywhere,
        _ initializer: @escaping @concurrent @Sendable (repeat each Parameter) async throws -> Service,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        self.initializer(initializer, isolation: nil, fileID: fileID, line: line)
    }

    /// Creates the service with an async initializer on the main actor.
    public static func initializer<each Parameter>(
        _ isolation: Locator.OnMainActor,
        _ initializer: @escaping @MainActor (repeat each Parameter) async throws -> Service,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Builder(.lazy)(.main, fileID: fileID, line: line) { locator in
            try await initializer(
                repeat try await locator.resolveAsync((each Parameter).self, fileID: fileID, line: line)
            )
        }
        .declaring(Arguments.types(repeat (each Parameter).self) ?? [])
    }
}
