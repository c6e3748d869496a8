// The compiler first tries the functions whose closures are synchronous and take a resolver. The others are disfavored, so that
// it tries them only where none of these fits.

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
    ///
    /// - Parameter make: Creates the service. It runs on the actor it was written on, without a lock.
    @_disfavoredOverload
    @inlinable @inline(__always)
    public static func lazy<each None>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping (repeat (each None) -> Never) throws -> Service
    ) -> Self {
        synchronous(.lazy, isolation, SourceLocation(fileID, line), make)
    }

    /// A shared service whose closure resolves dependencies and takes arguments.
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
    public static func lazy<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Self {
        synchronous(.lazy, isolation, SourceLocation(fileID, line), make)
    }

    /// A shared service whose closure runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.lazy(.anywhere) { Database() })
    /// ```
    @_disfavoredOverload
    @inlinable @inline(__always)
    public static func lazy<each None>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (repeat (each None) -> Never) throws -> Service
    ) -> Self {
        synchronous(.lazy, nil, SourceLocation(fileID, line), make)
    }

    /// A shared service whose closure resolves dependencies, takes arguments, and runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.lazy(.anywhere) { locator in Garage(database: try locator.resolve()) })
    /// ```
    @inlinable @inline(__always)
    public static func lazy<each Argument>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Self {
        synchronous(.lazy, nil, SourceLocation(fileID, line), make)
    }

    /// A shared service whose closure runs on the main actor.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {}
    ///
    /// locator.register(.lazy(.main) { ViewModel() })
    /// ```
    @_disfavoredOverload
    public static func lazy<each None>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (repeat (each None) -> Never) throws -> Service
    ) -> Self {
        synchronousOnMainActor(.lazy, SourceLocation(fileID, line), make)
    }

    /// A shared service whose closure resolves dependencies, takes arguments, and runs on the main actor.
    ///
    /// ```swift
    /// @MainActor final class Page { init(database: Database) {} }
    ///
    /// locator.register(.lazy(.main) { locator in Page(database: try locator.resolve()) })
    /// ```
    public static func lazy<each Argument>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Self {
        synchronousOnMainActor(.lazy, SourceLocation(fileID, line), make)
    }

    /// A shared service of an async closure.
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
    public static func lazy<each None>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (repeat (each None) -> Never) async throws -> Service
    ) -> Self {
        asynchronous(.lazy, isolation, SourceLocation(fileID, line), make)
    }

    /// A shared service of an async closure that resolves dependencies and takes arguments.
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
    public static func lazy<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Self {
        asynchronous(.lazy, isolation, SourceLocation(fileID, line), make)
    }

    /// A shared service of an async closure that runs on no actor.
    @_disfavoredOverload
    public static func lazy<each None>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (repeat (each None) -> Never) async throws -> Service
    ) -> Self {
        asynchronous(.lazy, nil, SourceLocation(fileID, line), make)
    }

    /// A shared service of an async closure that resolves dependencies, takes arguments, and runs on no actor.
    @_disfavoredOverload
    public static func lazy<each Argument>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Self {
        asynchronous(.lazy, nil, SourceLocation(fileID, line), make)
    }

    /// A shared service of an async closure that runs on the main actor.
    @_disfavoredOverload
    public static func lazy<each None>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (repeat (each None) -> Never) async throws -> Service
    ) -> Self {
        asynchronousOnMainActor(.lazy, SourceLocation(fileID, line), make)
    }

    /// A shared service of an async closure that resolves dependencies, takes arguments, and runs on the main actor.
    @_disfavoredOverload
    public static func lazy<each Argument>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Self {
        asynchronousOnMainActor(.lazy, SourceLocation(fileID, line), make)
    }
}
