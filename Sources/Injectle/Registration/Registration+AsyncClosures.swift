// Async closures run on their own actor by themselves, so a caller elsewhere awaits them.

extension Locator.Registration.Builder {
    /// Creates a registration by an async closure.
    ///
    /// ```swift
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy { try await loadUser() })
    /// print(try await locator.resolveAsync(User.self).name)  // Prints "Ada"
    /// print(try locator.resolve(User.self).name)  // Prints "Ada"
    /// ```
    ///
    /// A synchronous resolve throws ``InjectleError/requiresAsync`` until the instance exists. The closure of a shared
    /// service runs in a task of its own, which is cancelled when the last caller that awaits it is cancelled.
    ///
    /// - Parameter make: Creates the service.
    @_disfavoredOverload
    public func callAsFunction<each None>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (repeat (each None) -> Never) async throws -> Service
    ) -> Locator.Registration<Service> {
        registration(isolation, SourceLocation(fileID, line), receivesResolver: false) { _, _ in
            UncheckedBox(try await make(repeat noArgument((each None).self)))
        }
    }

    /// Creates a registration by an async closure that resolves dependencies and takes arguments.
    ///
    /// ```swift
    /// locator.register(.lazy { try await loadUser() })
    /// locator.register(.lazy { locator in Session(user: try await locator.resolveAsync()) })
    ///
    /// func loadUser() async throws -> User { User(name: "Ada") }
    /// struct Session { let user: User }
    /// ```
    ///
    /// - Parameter make: Creates the service.
    @_disfavoredOverload
    public func callAsFunction<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        let declared = Arguments.types(repeat (each Argument).self)
        return registration(isolation, SourceLocation(fileID, line), declaring: declared) { locator, arguments in
            var index = 0
            return UncheckedBox(
                try await make(locator, repeat Arguments.next((each Argument).self, at: &index, of: arguments))
            )
        }
    }

    /// Creates a registration by an async closure that runs on no actor.
    @_disfavoredOverload
    public func callAsFunction<each None>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (repeat (each None) -> Never) async throws -> Service
    ) -> Locator.Registration<Service> {
        self(isolation: nil, fileID: fileID, line: line, make)
    }

    /// Creates a registration by an async closure that resolves dependencies, takes arguments, and runs on no actor.
    @_disfavoredOverload
    public func callAsFunction<each Argument>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        self(isolation: nil, fileID: fileID, line: line, make)
    }

    /// Creates a registration by an async closure that runs on the main actor.
    @_disfavoredOverload
    public func callAsFunction<each None>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (repeat (each None) -> Never) async throws -> Service
    ) -> Locator.Registration<Service> {
        registration(MainActor.shared, SourceLocation(fileID, line), receivesResolver: false) { @MainActor _, _ in
            UncheckedBox(try await make(repeat noArgument((each None).self)))
        }
    }

    /// Creates a registration by an async closure that resolves dependencies, takes arguments, and runs on the main
    /// actor.
    @_disfavoredOverload
    public func callAsFunction<each Argument>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        let declared = Arguments.types(repeat (each Argument).self)
        let location = SourceLocation(fileID, line)
        return registration(MainActor.shared, location, declaring: declared) { @MainActor locator, arguments in
            var index = 0
            return UncheckedBox(
                try await make(locator, repeat Arguments.next((each Argument).self, at: &index, of: arguments))
            )
        }
    }

    private func registration(
        _ isolation: (any Actor)?,
        _ location: SourceLocation,
        declaring declared: [Any.Type]? = nil,
        receivesResolver: Bool = true,
        _ closure: @escaping Record<Service>.AsyncClosure
    ) -> Locator.Registration<Service> {
        var traits = RegistrationTraits(Service.self, lifetime, isolation, location, declared, isAsync: true)
        traits.isSendable = isSendable
        traits.receivesResolver = receivesResolver
        return Locator.Registration(Record(traits, asyncClosure: closure))
    }
}
