// The forms of `initializer` for those that are asynchronous.

extension Locator.Registration {
    /// A service that an asynchronous initializer makes, each parameter of which is resolved by its type, and awaited.
    ///
    /// ```swift
    /// struct Archive {
    ///     init(database: Database, index: Index?) async throws { … }
    /// }
    /// locator.register(.initializer(Archive.init, .lazy))
    /// let archive = try await locator.resolveAsync(Archive.self)
    /// ```
    ///
    /// - Parameters:
    ///   - initializer: Makes the service.
    ///   - lifetime: When an instance is made and who keeps it.
    ///   - isolation: The actor that it is registered on; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    public static func initializer<each Parameter>(
        _ initializer: @escaping @concurrent (repeat each Parameter) async throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self where Service: Sendable {
        Self.lifetime(lifetime, isolation: isolation, fileID: fileID, line: line) { locator in
            try await initializer(
                repeat try await locator.resolveAsync((each Parameter).self, fileID: fileID, line: line)
            )
        }
    }

    /// A service that an asynchronous initializer makes and that is not known to be `Sendable`.
    ///
    /// As the first asynchronous `initializer`.
    public static func initializer<each Parameter>(
        _ initializer: @escaping @concurrent (repeat each Parameter) async throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Self.lifetime(lifetime, isolation: isolation, fileID: fileID, line: line) { locator in
            try await initializer(
                repeat try await locator.resolveAsync((each Parameter).self, fileID: fileID, line: line)
            )
        }
    }

    /// A service that an asynchronous initializer makes on whichever thread asks.
    ///
    /// As the first asynchronous `initializer`.
    public static func initializer<each Parameter>(
        _ place: Locator.Anywhere,
        _ initializer: @escaping @concurrent @Sendable (repeat each Parameter) async throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self where Service: Sendable {
        Self.lifetime(lifetime, place, fileID: fileID, line: line) { locator in
            try await initializer(
                repeat try await locator.resolveAsync((each Parameter).self, fileID: fileID, line: line)
            )
        }
    }

    /// A service that an asynchronous initializer makes on whichever thread asks, and that is not known to be
    /// `Sendable`.
    ///
    /// As the first asynchronous `initializer`.
    public static func initializer<each Parameter>(
        _ place: Locator.Anywhere,
        _ initializer: @escaping @concurrent @Sendable (repeat each Parameter) async throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Self.lifetime(lifetime, place, fileID: fileID, line: line) { locator in
            try await initializer(
                repeat try await locator.resolveAsync((each Parameter).self, fileID: fileID, line: line)
            )
        }
    }

    /// A service that an asynchronous initializer makes on the main actor.
    ///
    /// As the first asynchronous `initializer`.
    public static func initializer<each Parameter>(
        _ place: Locator.OnMainActor,
        _ initializer: @escaping @MainActor (repeat each Parameter) async throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self where Service: Sendable {
        Self.lifetime(lifetime, place, fileID: fileID, line: line) { locator in
            try await initializer(
                repeat try await locator.resolveAsync((each Parameter).self, fileID: fileID, line: line)
            )
        }
    }

    /// A service that an asynchronous initializer makes on the main actor, and that is not known to be `Sendable`.
    ///
    /// As the first asynchronous `initializer`.
    public static func initializer<each Parameter>(
        _ place: Locator.OnMainActor,
        _ initializer: @escaping @MainActor (repeat each Parameter) async throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        Self.lifetime(lifetime, place, fileID: fileID, line: line) { locator in
            try await initializer(
                repeat try await locator.resolveAsync((each Parameter).self, fileID: fileID, line: line)
            )
        }
    }
}
