extension Locator {
    /// The lifetimes `.lazy` and `.volatile`, called with a factory closure.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    /// ```
    ///
    /// | closure | called with |
    /// | --- | --- |
    /// | `{ Database() }` | nothing |
    /// | `{ locator in … }` | a ``Resolver`` for the dependencies |
    /// | `{ (locator, id: UUID) in … }` | a ``Resolver`` and the arguments that `resolve` was called with |
    ///
    /// Each can be `async`; the service is then created by `resolveAsync` or ``Locator/start(timeout:isolation:fileID:line:onProgress:)``.
    ///
    /// The closure runs on the actor that it was written on. `.lazy(.main) { … }` runs it on the main actor, and
    /// `.lazy(.anywhere) { … }` on the calling thread.
    ///
    /// When the closure throws, the resolve throws ``InjectleError/factoryFailed`` with that error in
    /// ``InjectleError/underlying``, no instance is cached, and the next resolve calls the closure again. An
    /// ``InjectleError`` is passed on unchanged, and a `CancellationError` becomes ``InjectleError/cancelled``.
    @frozen
    public struct RegistrationForm<Service>: Sendable {
        @usableFromInline let lifetime: Locator.Lifetime

        @inlinable
        @inline(__always)
        init(lifetime: Locator.Lifetime) {
            self.lifetime = lifetime
        }
    }

    /// The first argument of a form whose closure runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.lazy(.anywhere) { Database() })
    /// ```
    public struct Anywhere: Sendable {
        /// The calling thread, whichever it is.
        public static var anywhere: Anywhere { Anywhere() }
    }

    /// The first argument of a form whose closure runs on the main actor.
    ///
    /// ```swift
    /// locator.register(.lazy(.main) { Garage() })
    /// ```
    public struct OnMainActor: Sendable {
        /// The main actor.
        public static var main: OnMainActor { OnMainActor() }
    }
}

// A form without a resolver takes a closure of a pack that is always empty. The elements are functions, which have no
// members, and so the compiler prefers the forms with a resolver when it looks for the mistake in a closure that has
// parameters: it then reports a misspelt member where it is. With `() throws -> Service` or `(()) throws -> Service`, it
// reports a wrong number of parameters, or that `()` has no member `resolve`.
//
// All synchronous forms are inlined, so that the closure is erased where its type is known and its context is not
// wrapped into another.

extension Locator.RegistrationForm {
    /// Registers a factory closure without parameters.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// let database: Database = try locator.resolve()
    /// print(try locator.resolve(Database.self) === database)  // Prints "true"
    /// ```
    ///
    /// - Parameter make: Creates the service. It runs on the actor it was written on, without a lock.
    @inlinable
    @inline(__always)
    public func callAsFunction<each None>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping (repeat (each None) -> Never) throws -> Service
    ) -> Locator.Registration<Service> {
        unsafe registration(isolation, fileID, line, nil, receivesResolver: false) { _, _, storage in
            unsafe storage.initializeMemory(as: Service.self, to: try make(repeat noArgument((each None).self)))
        }
    }

    /// Registers a factory closure that resolves dependencies and takes arguments.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    /// print(try locator.resolve(User.self, arguments: "Ada").name)  // Prints "Ada"
    /// ```
    ///
    /// - Parameter make: Creates the service. It runs on the actor it was written on, without a lock.
    @inlinable
    @inline(__always)
    public func callAsFunction<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> {
        let declared = ArgumentReader.types(repeat (each Argument).self)
        return unsafe registration(isolation, fileID, line, declared) { core, arguments, storage in
            let service = try unsafe core.withResolver(
                ArgumentReader.isEmpty(repeat (each Argument).self) ? arguments : nil
            ) { locator in
                var reader = ArgumentReader()
                return try make(locator, repeat reader.next((each Argument).self, of: arguments))
            }
            unsafe storage.initializeMemory(as: Service.self, to: service)
        }
    }

    /// Registers a factory closure without parameters that runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.lazy(.anywhere) { Database() })
    /// ```
    @inlinable
    @inline(__always)
    public func callAsFunction<each None>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (repeat (each None) -> Never) throws -> Service
    ) -> Locator.Registration<Service> {
        self(isolation: nil, fileID: fileID, line: line, make)
    }

    /// Registers a factory closure with a resolver and arguments that runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.volatile(.anywhere) { (locator, name: String) in User(name: name) })
    /// ```
    @inlinable
    @inline(__always)
    public func callAsFunction<each Argument>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> {
        self(isolation: nil, fileID: fileID, line: line, make)
    }

    /// Registers a factory closure without parameters that runs on the main actor.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {}
    ///
    /// locator.register(.lazy(.main) { ViewModel() })
    /// ```
    @inlinable
    @inline(__always)
    public func callAsFunction<each None>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (repeat (each None) -> Never) throws -> Service
    ) -> Locator.Registration<Service> {
        unsafe registration(MainActor.shared, fileID, line, nil, receivesResolver: false) { _, _, storage in
            let service = try onMainActor { try make(repeat noArgument((each None).self)) }
            unsafe storage.initializeMemory(as: Service.self, to: service)
        }
    }

    /// Registers a factory closure with a resolver and arguments that runs on the main actor.
    ///
    /// ```swift
    /// @MainActor final class Page { init(name: String) {} }
    ///
    /// locator.register(.volatile(.main) { (locator, name: String) in Page(name: name) })
    /// ```
    @inlinable
    @inline(__always)
    public func callAsFunction<each Argument>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> {
        let declared = ArgumentReader.types(repeat (each Argument).self)
        return unsafe registration(MainActor.shared, fileID, line, declared) { core, arguments, storage in
            let resolved = ArgumentReader.isEmpty(repeat (each Argument).self) ? arguments : nil
            let service = try unsafe core.withResolver(resolved) { locator in
                try onMainActor {
                    var reader = ArgumentReader()
                    return try make(locator, repeat reader.next((each Argument).self, of: arguments))
                }
            }
            unsafe storage.initializeMemory(as: Service.self, to: service)
        }
    }

    @inlinable
    @inline(__always)
    func registration(
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        _ declared: [Any.Type]?,
        receivesResolver: Bool = true,
        _ factory: @escaping Factory
    ) -> Locator.Registration<Service> {
        unsafe Locator.Registration(
            RegistrationRecord(
                of: Service.self,
                lifetime,
                on: isolation,
                fileID,
                line,
                declaring: declared,
                receivesResolver: receivesResolver,
                factory
            )
        )
    }
}

// Async closures run on their own actor by themselves, so a caller elsewhere awaits them.

extension Locator.RegistrationForm {
    /// Registers an async factory closure without parameters.
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
    public func callAsFunction<each None>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (repeat (each None) -> Never) async throws -> Service
    ) -> Locator.Registration<Service> {
        registration(isolation, fileID, line, receivesResolver: false) { _, _ in
            Instance.make(try await make(repeat noArgument((each None).self)))
        }
    }

    /// Registers an async factory closure that resolves dependencies and takes arguments.
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
    public func callAsFunction<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        registration(isolation, fileID, line, repeat (each Argument).self) { locator, arguments in
            var reader = ArgumentReader()
            return Instance.make(try await make(locator, repeat reader.next((each Argument).self, of: arguments)))
        }
    }

    /// Registers an async factory closure without parameters that runs on no actor.
    public func callAsFunction<each None>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (repeat (each None) -> Never) async throws -> Service
    ) -> Locator.Registration<Service> {
        self(isolation: nil, fileID: fileID, line: line, make)
    }

    /// Registers an async factory closure with a resolver and arguments that runs on no actor.
    public func callAsFunction<each Argument>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        self(isolation: nil, fileID: fileID, line: line, make)
    }

    /// Registers an async factory closure without parameters that runs on the main actor.
    public func callAsFunction<each None>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (repeat (each None) -> Never) async throws -> Service
    ) -> Locator.Registration<Service> {
        registration(MainActor.shared, fileID, line, receivesResolver: false) { @MainActor _, _ in
            Instance.make(try await make(repeat noArgument((each None).self)))
        }
    }

    /// Registers an async factory closure with a resolver and arguments that runs on the main actor.
    public func callAsFunction<each Argument>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        registration(MainActor.shared, fileID, line, repeat (each Argument).self) { @MainActor locator, arguments in
            var reader = ArgumentReader()
            return Instance.make(try await make(locator, repeat reader.next((each Argument).self, of: arguments)))
        }
    }

    private func registration<each Argument>(
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        _ types: repeat (each Argument).Type,
        receivesResolver: Bool = true,
        make: @escaping @concurrent (Locator.Resolver, Arguments?) async throws -> Instance
    ) -> Locator.Registration<Service> {
        let declared = ArgumentReader.types(repeat each types)
        let rareFields = unsafe RegistrationRecord.RareFields(
            declared: declared,
            inTask: { core, arguments in
                // The arguments that a closure declares are not matched to its dependencies by type.
                try await make(Locator.Resolver(core: core, arguments: declared == nil ? arguments : nil), arguments)
            }
        )
        let location = SourceLocation(fileID, line)
        let record = unsafe RegistrationRecord(
            of: Service.self,
            lifetime,
            at: ClosureIsolation(isolation),
            location,
            rareFields
        )
        record.receivesResolver = receivesResolver
        return Locator.Registration(record)
    }
}
