extension Locator {
    /// A lifetime that your code defines.
    ///
    /// ```swift
    /// import Injectle
    ///
    /// final class Session: Sendable {
    ///     @TaskLocal static var current: Session?
    ///     let services = Locator.Scope()
    /// }
    ///
    /// struct SessionLifetime: Locator.CustomLifetime {
    ///     func scope(for resolver: Locator.Resolver) -> Locator.Scope? { Session.current?.services }
    /// }
    ///
    /// func register(in locator: Locator) {
    ///     locator.register(.lazy { Database() }.lifetime(SessionLifetime()))
    /// }
    /// ```
    ///
    /// It returns the scope that caches the instance of a request. All requests with the same scope share one instance,
    /// which is created once and lives as long as the scope, or until the scope is reset. Store the scope in the object
    /// that bounds the lifetime, such as a session, a window or a timer. See <doc:WhichLifetime>.
    ///
    /// The registering locator creates the instances of a scope and resolves their dependencies. Without a scope, the
    /// service is created like a volatile one. The lifetime is called on the thread of the request, so in a module with
    /// the main actor as default isolation, the type must be `nonisolated`.
    public protocol CustomLifetime: LifetimeConvertible {
        /// Returns the scope that caches the instance of a request.
        ///
        /// ```swift
        /// struct Tenant: Hashable { let name: String }
        ///
        /// struct TenantLifetime: Locator.CustomLifetime {
        ///     let scopes: [Tenant: Locator.Scope]
        ///     func scope(for resolver: Locator.Resolver) throws -> Locator.Scope? {
        ///         scopes[try resolver.resolve()]  // the tenant of the resolving locator
        ///     }
        /// }
        /// ```
        ///
        /// Called at each resolve and each read of a property, on the thread of the request and without a lock.
        ///
        /// - Parameter resolver: The resolving locator, with the arguments of the request.
        /// - Returns: The scope, or nil for a transient instance.
        /// - Throws: Any error, which the caller gets as ``InjectleError/factoryFailed``; an ``InjectleError`` as it
        ///   is.
        func scope(for resolver: Resolver) throws -> Scope?
    }

    /// A cache of instances for a ``CustomLifetime``.
    ///
    /// ```swift
    /// struct Shift: Locator.CustomLifetime {
    ///     let scope = Locator.Scope()
    ///     func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
    /// }
    ///
    /// let shift = Shift()
    /// locator.register(.lazy { Database() }.lifetime(shift))
    /// let database: Database = try locator.resolve()
    /// print(try locator.resolve(Database.self) === database)  // Prints "true"
    /// shift.scope.reset()
    /// print(try locator.resolve(Database.self) === database)  // Prints "false"
    /// ```
    ///
    /// It caches one instance for each registration, and releases all of them with the last reference to it. An
    /// instance that holds its own scope forms a retain cycle. Any thread can use it.
    public final class Scope: Sendable {
        let cells = CellList(isScope: true)

        /// Creates an empty scope.
        ///
        /// ```swift
        /// final class Window {
        ///     let services = Locator.Scope()  // releases its instances with the window
        /// }
        /// ```
        public init() {}

        deinit { cells.end(forGood: true) }

        /// Releases all instances, so that the next resolve creates new ones.
        ///
        /// ```swift
        /// struct Hourly: Locator.CustomLifetime {
        ///     let scope = Locator.Scope()
        ///     func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
        /// }
        ///
        /// let hourly = Hourly()
        /// locator.register(.lazy { Garage() }.lifetime(hourly).onDispose { _ in print("closed") })
        /// let garage: Garage = try locator.resolve()
        /// hourly.scope.reset()  // Prints "closed"
        /// ```
        ///
        /// The `onDispose` hooks run in reverse order of creation, unless another cache has the instance. An instance
        /// under creation is returned to the waiting callers and not cached; with hooks, it is disposed of, and created
        /// again.
        ///
        /// - Complexity: O(*n*) in the number of instances, O(*n* log *n*) in the number of disposed ones.
        public func reset() { cells.end() }
    }
}

extension Locator.CustomLifetime {
    /// The lifetime that calls this value for each request.
    public var lifetime: Locator.Lifetime { .custom(self) }
}
