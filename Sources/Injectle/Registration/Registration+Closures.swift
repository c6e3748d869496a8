extension Locator.Registration {
    /// A service that is created on first use and shared: a singleton, unless ``lifetime(_:)`` says otherwise.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// let database: Database = try locator.resolve()
    /// print(try locator.resolve(Database.self) === database)  // Prints "true"
    /// ```
    ///
    /// The locator with the registration creates it, and resolves its dependencies. One of any number of threads runs
    /// the closure, the others wait. What the closure captures is released with the registration.
    ///
    /// | closure | called with |
    /// | --- | --- |
    /// | `{ Database() }` | nothing |
    /// | `{ locator in … }` | a ``Locator/Resolver`` for the dependencies |
    /// | `{ (locator, id: UUID) in … }` | a ``Locator/Resolver`` and the arguments that `resolve` was called with |
    ///
    /// Each can be `async`; the service is then created by `resolveAsync` or
    /// ``Locator/start(timeout:isolation:fileID:line:)``.
    ///
    /// The closure runs on the actor that it was written on. `.lazy(.main) { … }` runs it on the main actor, and
    /// `.lazy(.anywhere) { … }` on the calling thread.
    ///
    /// When the closure throws, the resolve throws ``InjectleError/factoryFailed`` with that error in
    /// ``InjectleError/underlying``, no instance is cached, and the next resolve calls the closure again. An
    /// ``InjectleError`` is passed on unchanged, and a `CancellationError` becomes ``InjectleError/cancelled``.
    @inlinable public static var lazy: Builder { @inline(__always) get { Builder(.lazy, isSendable: false) } }

    /// A service that is created for each resolve, and once for each injected property: transient.
    ///
    /// ```swift
    /// locator.register(.volatile { Garage() })
    /// print(try locator.resolve(Garage.self) === locator.resolve(Garage.self))  // Prints "false"
    /// ```
    ///
    /// The locator that is called resolves its dependencies. It takes the same closures as ``lazy-192ma``, runs them on
    /// the same actor, and throws the same errors.
    @inlinable public static var volatile: Builder { @inline(__always) get { Builder(.volatile) } }

    /// Creates registrations of one lifetime from factory closures: ``lazy-192ma`` and ``volatile`` are called with a
    /// closure.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.volatile { locator in Garage(database: try locator.resolve()) })
    /// ```
    @frozen
    public struct Builder: Sendable {
        @usableFromInline let lifetime: Locator.Lifetime
        /// Whether the service is `Sendable`. Nil if that is not known.
        @usableFromInline let isSendable: Bool?

        @inlinable @inline(__always)
        init(_ lifetime: Locator.Lifetime, isSendable: Bool? = nil) {
            self.lifetime = lifetime
            self.isSendable = isSendable
        }
    }
}

extension Locator.Registration where Service: Sendable {
    /// A `Sendable` service that is created on first use and shared, as by the property for other services.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// ```
    ///
    /// The compiler chooses it, so that checks know which shared services are not `Sendable`.
    @inlinable public static var lazy: Builder { @inline(__always) get { Builder(.lazy, isSendable: true) } }
}

extension Locator {
    /// The first argument of `.lazy` and `.volatile` whose closure runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.lazy(.anywhere) { Database() })
    /// ```
    public struct Anywhere: Sendable {
        /// The calling thread, whichever it is.
        public static var anywhere: Anywhere { Anywhere() }
    }

    /// The first argument of `.lazy` and `.volatile` whose closure runs on the main actor.
    ///
    /// ```swift
    /// locator.register(.lazy(.main) { Garage() })
    /// ```
    public struct OnMainActor: Sendable {
        /// The main actor.
        public static var main: OnMainActor { OnMainActor() }
    }
}

// The compiler first tries the functions whose closures are synchronous and take a resolver. The others are disfavored,
// so that it tries them only where none of these fits.
//
// A function without a resolver takes a closure of a pack that is always empty. The elements are functions, which have
// no members, and so the compiler prefers the functions with a resolver when it looks for the mistake in a closure that
// has parameters: it then reports a misspelt member where it is. With `() throws -> Service` or `(()) throws ->
// Service`, it reports a wrong number of parameters, or that `()` has no member `resolve`.
//
// The synchronous functions are inlined, since the compiler specializes no function with a pack.

extension Locator.Registration.Builder {
    /// Creates a registration by a closure without parameters.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// ```
    ///
    /// - Parameter make: Creates the service. It runs on the actor it was written on, without a lock.
    @_disfavoredOverload
    @inlinable @inline(__always)
    public func callAsFunction<each None>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping (repeat (each None) -> Never) throws -> Service
    ) -> Locator.Registration<Service> {
        let location = SourceLocation(fileID, line)
        return Locator.Registration(self, isolation, location, receivesResolver: false) { _, _ in
            try make(repeat noArgument((each None).self))
        }
    }

    /// Creates a registration by a closure that resolves dependencies and takes arguments.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// locator.register(.lazy { (locator, name: String) in User(name: name) }.lifetime(.perArgument))
    /// print(try locator.resolve(User.self, arguments: "Ada").name)  // Prints "Ada"
    /// ```
    ///
    /// - Parameter make: Creates the service. It runs on the actor it was written on, without a lock.
    @inlinable @inline(__always)
    public func callAsFunction<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> {
        let declared = Arguments.types(repeat (each Argument).self)
        let location = SourceLocation(fileID, line)
        return Locator.Registration(self, isolation, location, declaring: declared) { locator, arguments in
            var index = 0
            return try make(locator, repeat Arguments.next((each Argument).self, at: &index, of: arguments))
        }
    }

    /// Creates a registration by a closure that runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.lazy(.anywhere) { Database() })
    /// ```
    @_disfavoredOverload
    @inlinable @inline(__always)
    public func callAsFunction<each None>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (repeat (each None) -> Never) throws -> Service
    ) -> Locator.Registration<Service> {
        self(isolation: nil, fileID: fileID, line: line, make)
    }

    /// Creates a registration by a closure that resolves dependencies, takes arguments, and runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.volatile(.anywhere) { (locator, name: String) in User(name: name) })
    /// ```
    @inlinable @inline(__always)
    public func callAsFunction<each Argument>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> {
        self(isolation: nil, fileID: fileID, line: line, make)
    }

    /// Creates a registration by a closure that runs on the main actor.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {}
    ///
    /// locator.register(.lazy(.main) { ViewModel() })
    /// ```
    @_disfavoredOverload
    public func callAsFunction<each None>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (repeat (each None) -> Never) throws -> Service
    ) -> Locator.Registration<Service> {
        let location = SourceLocation(fileID, line)
        return Locator.Registration(self, MainActor.shared, location, receivesResolver: false) { _, _ in
            try onMainActor { try make(repeat noArgument((each None).self)) }
        }
    }

    /// Creates a registration by a closure that resolves dependencies, takes arguments, and runs on the main actor.
    ///
    /// ```swift
    /// @MainActor final class Page { init(database: Database) {} }
    ///
    /// locator.register(.lazy(.main) { locator in Page(database: try locator.resolve()) })
    /// ```
    public func callAsFunction<each Argument>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> {
        let declared = Arguments.types(repeat (each Argument).self)
        let location = SourceLocation(fileID, line)
        return Locator.Registration(self, MainActor.shared, location, declaring: declared) { locator, arguments in
            try onMainActor {
                var index = 0
                return try make(locator, repeat Arguments.next((each Argument).self, at: &index, of: arguments))
            }
        }
    }
}

/// Runs a closure of the main actor on the main thread, where the caller is.
func onMainActor<Value>(_ body: @MainActor () throws -> Value) rethrows -> Value {
    try MainActor.assumeIsolated { UncheckedBox(try body()) }.value
}

/// Returns an element of the pack of a closure without parameters, which is empty: no program calls this function.
@usableFromInline func noArgument<None>(_ type: None.Type) -> (None) -> Never {
    preconditionFailure("A closure without parameters has no argument.")
}
