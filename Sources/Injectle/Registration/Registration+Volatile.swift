// The compiler first tries the functions whose closures are synchronous and take a resolver. The others are disfavored, so that
// it tries them only where none of these fits.

extension Locator.Registration {
    /// A service that is created for each resolve, and once for each injected property: transient.
    ///
    /// ```swift
    /// locator.register(.volatile { Garage() })
    /// print(try locator.resolve(Garage.self) === locator.resolve(Garage.self))  // Prints "false"
    /// ```
    ///
    /// The locator that is called resolves its dependencies. It takes the same closures as
    /// ``lazy(isolation:fileID:line:_:)-5fw8s``, runs them on the same actor, and throws the same errors.
    ///
    /// - Parameter make: Creates the service. It runs on the actor it was written on, without a lock.
    @_disfavoredOverload
    @inlinable @inline(__always)
    public static func volatile<each None>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping (repeat (each None) -> Never) throws -> Service
    ) -> Self {
        synchronous(.volatile, isolation, SourceLocation(fileID, line), make)
    }

    /// A transient service whose closure resolves dependencies and takes arguments.
    ///
    /// ```swift
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    /// print(try locator.resolve(User.self, arguments: "Ada").name)  // Prints "Ada"
    /// ```
    ///
    /// - Parameter make: Creates the service. It runs on the actor it was written on, without a lock.
    @inlinable @inline(__always)
    public static func volatile<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Self {
        synchronous(.volatile, isolation, SourceLocation(fileID, line), make)
    }

    /// A transient service whose closure runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.volatile(.anywhere) { Database() })
    /// ```
    @_disfavoredOverload
    @inlinable @inline(__always)
    public static func volatile<each None>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (repeat (each None) -> Never) throws -> Service
    ) -> Self {
        synchronous(.volatile, nil, SourceLocation(fileID, line), make)
    }

    /// A transient service whose closure resolves dependencies, takes arguments, and runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.volatile(.anywhere) { (locator, name: String) in User(name: name) })
    /// ```
    @inlinable @inline(__always)
    public static func volatile<each Argument>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Self {
        synchronous(.volatile, nil, SourceLocation(fileID, line), make)
    }

    /// A transient service whose closure runs on the main actor.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {}
    ///
    /// locator.register(.volatile(.main) { ViewModel() })
    /// ```
    @_disfavoredOverload
    public static func volatile<each None>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (repeat (each None) -> Never) throws -> Service
    ) -> Self {
        synchronousOnMainActor(.volatile, SourceLocation(fileID, line), make)
    }

    /// A transient service whose closure resolves dependencies, takes arguments, and runs on the main actor.
    ///
    /// ```swift
    /// @MainActor final class Page { init(name: String) {} }
    ///
    /// locator.register(.volatile(.main) { (locator, name: String) in Page(name: name) })
    /// ```
    public static func volatile<each Argument>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Self {
        synchronousOnMainActor(.volatile, SourceLocation(fileID, line), make)
    }

    /// A transient service of an async closure.
    @_disfavoredOverload
    public static func volatile<each None>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (repeat (each None) -> Never) async throws -> Service
    ) -> Self {
        asynchronous(.volatile, isolation, SourceLocation(fileID, line), make)
    }

    /// A transient service of an async closure that resolves dependencies and takes arguments.
    @_disfavoredOverload
    public static func volatile<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Self {
        asynchronous(.volatile, isolation, SourceLocation(fileID, line), make)
    }

    /// A transient service of an async closure that runs on no actor.
    @_disfavoredOverload
    public static func volatile<each None>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (repeat (each None) -> Never) async throws -> Service
    ) -> Self {
        asynchronous(.volatile, nil, SourceLocation(fileID, line), make)
    }

    /// A transient service of an async closure that resolves dependencies, takes arguments, and runs on no actor.
    @_disfavoredOverload
    public static func volatile<each Argument>(
        _ isolation: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Self {
        asynchronous(.volatile, nil, SourceLocation(fileID, line), make)
    }

    /// A transient service of an async closure that runs on the main actor.
    @_disfavoredOverload
    public static func volatile<each None>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (repeat (each None) -> Never) async throws -> Service
    ) -> Self {
        asynchronousOnMainActor(.volatile, SourceLocation(fileID, line), make)
    }

    /// A transient service of an async closure that resolves dependencies, takes arguments, and runs on the main actor.
    @_disfavoredOverload
    public static func volatile<each Argument>(
        _ isolation: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Self {
        asynchronousOnMainActor(.volatile, SourceLocation(fileID, line), make)
    }
}
