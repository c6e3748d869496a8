// The forms of `initializer` for those that are asynchronous.

extension Locator.Registration {
    /// Makes the service by an asynchronous initializer, each parameter of which is resolved by its type, and awaited.
    ///
    /// ```swift
    /// struct Archive: Sendable {
    ///     init(user: User, settings: Settings?) async throws {}
    /// }
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy { try await loadUser() })
    /// locator.register(.initializer(Archive.init, .lazy))
    /// let archive: Archive = try await locator.resolveAsync()
    /// ```
    ///
    /// A parameter gets what one of ``initializer(_:_:isolation:fileID:line:)-ci4m`` gets. The parameters are awaited
    /// one after the other.
    ///
    /// - Parameters:
    ///   - initializer: Makes the service: on the actor that it belongs to, or on none.
    ///   - lifetime: When an instance is made and who keeps it.
    ///   - isolation: The actor that it is registered on, where hooks run; filled in.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    /// - Returns: The registration of such a service.
    /// - Throws: Nothing by itself. A parameter that cannot be had is an ``InjectleError`` of the resolve, with the
    ///   path that leads to it; what the initializer throws is ``InjectleError/factoryFailed``.
    /// - Complexity: O(1). Each creation then costs as many resolves as there are parameters.
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

    /// Makes a service that is not known to be `Sendable` by an asynchronous initializer, each parameter of which is
    /// resolved by its type, and awaited.
    ///
    /// The same as ``initializer(_:_:isolation:fileID:line:)-5ih1w``; but where it is registered on an actor, a locator
    /// whose isolation is ``Locator/Isolation/strict`` hands the service to nobody elsewhere.
    ///
    /// ```swift
    /// final class Library {
    ///     init(user: User) async throws {}
    /// }
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy { try await loadUser() })
    /// locator.register(.initializer(Library.init, .lazy))
    /// let library: Library = try await locator.resolveAsync()
    /// ```
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

    /// Makes the service by an asynchronous initializer on no actor.
    ///
    /// The same as ``initializer(_:_:isolation:fileID:line:)-5ih1w`` but for where it is registered and runs: it may be
    /// registered in code of an actor, and has nothing to do with that.
    ///
    /// ```swift
    /// struct Archive: Sendable {
    ///     init(user: User, settings: Settings?) async throws {}
    /// }
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy { try await loadUser() })
    /// locator.register(.initializer(.anywhere, Archive.init, .lazy))
    /// let archive: Archive = try await locator.resolveAsync()
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.anywhere`.
    ///   - initializer: Makes the service, on no actor.
    ///   - lifetime: When an instance is made and who keeps it.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    /// - Returns: The registration of such a service.
    /// - Complexity: O(1). Each creation then costs as many resolves as there are parameters.
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

    /// Makes a service that is not known to be `Sendable` by an asynchronous initializer on no actor.
    ///
    /// The same as ``initializer(_:_:_:fileID:line:)-1tzp9``. What those who share an instance do with it is yours to
    /// protect.
    ///
    /// ```swift
    /// final class Library {
    ///     init(user: User) async throws {}
    /// }
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy { try await loadUser() })
    /// locator.register(.initializer(.anywhere, Library.init, .volatile))
    /// let library: Library = try await locator.resolveAsync()
    /// ```
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

    /// Makes the service by an asynchronous initializer on the main actor.
    ///
    /// The same as ``initializer(_:_:isolation:fileID:line:)-5ih1w`` but for where it runs.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {
    ///     init(user: User) async throws { MainActor.preconditionIsolated() }
    /// }
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy { try await loadUser() })
    /// locator.register(.initializer(.main, ViewModel.init, .lazy))
    /// let model: ViewModel = try await locator.resolveAsync()
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

    /// Makes a service that is not known to be `Sendable` by an asynchronous initializer on the main actor.
    ///
    /// The same as ``initializer(_:_:_:fileID:line:)-7fzyl``; but a locator whose isolation is
    /// ``Locator/Isolation/strict`` hands the service to nobody elsewhere. Any function that returns the service will
    /// do:
    ///
    /// ```swift
    /// @MainActor func openGarage(settings: Settings) async throws -> Garage { Garage() }
    ///
    /// locator.register(.eager(Settings(currency: "EUR")))
    /// locator.register(.initializer(.main, openGarage, .lazy))
    /// let garage: Garage = try await locator.resolveAsync()
    /// ```
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
