extension Locator {
    /// A lifetime of your own.
    ///
    /// It decides one thing: who keeps the instance that whoever asks is given. Everyone for whom that is the same
    /// scope shares one instance, which is made once, however many ask at once, and lives as long as the scope or
    /// until that is reset. So a scope is a property of what bounds the life of such services: of a session, of a
    /// window, of a timer.
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
    /// What a scope keeps is made by the locator that has the registration, and its own dependencies come from there,
    /// since others may share it. What none keeps is made like a volatile service. See <doc:WhichLifetime>.
    ///
    /// It is asked on whichever thread asks for a service, so a type that conforms is `Sendable`, and `nonisolated` in
    /// a module whose default isolation is the main actor.
    public protocol CustomLifetime: LifetimeConvertible {
        /// Says who keeps the instance that is asked for now.
        ///
        /// Called at each resolve and each read of a property, on the thread that asks, with no lock held.
        ///
        /// ```swift
        /// struct Tenant: Hashable { let name: String }
        ///
        /// struct TenantLifetime: Locator.CustomLifetime {
        ///     let scopes: [Tenant: Locator.Scope]
        ///     func scope(for resolver: Locator.Resolver) throws -> Locator.Scope? {
        ///         scopes[try resolver.resolve()]  // the tenant of the locator that is asked
        ///     }
        /// }
        /// ```
        ///
        /// - Parameter resolver: The locator that is asked, with the arguments of the call.
        /// - Returns: The scope, or nil if whoever asks is to have an instance of its own, as of a volatile service.
        /// - Throws: What is reported as the failure of the creation, ``InjectleError/factoryFailed``; an
        ///   ``InjectleError`` as it is.
        /// - Complexity: What yours costs is paid by each resolve and each read, so let it be O(1).
        func scope(for resolver: Resolver) throws -> Scope?
    }

    /// What keeps the instances of a ``CustomLifetime``.
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
    /// It has at most one of each registration. When the last reference to it goes, it lets go of all of them. An
    /// instance that holds its own scope keeps both alive, like any two objects that hold each other.
    ///
    /// It can be used from any thread.
    public final class Scope: Sendable {
        let cache = ScopedCache()

        /// Makes a scope that has nothing yet.
        ///
        /// ```swift
        /// final class Window {
        ///     let services = Locator.Scope()  // goes with the window, and what it keeps goes with it
        /// }
        /// ```
        ///
        /// - Complexity: O(1).
        public init() {}

        deinit { cache.end() }

        /// Lets go of all instances, so that whoever asks next has new ones made.
        ///
        /// What is to be disposed of is, unless somebody else keeps it, the last made first. What is in the creation is
        /// given to those who wait for it and kept by nobody.
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
        /// - Complexity: O(*n*) in the number of instances, O(*n* log *n*) in that of those that are disposed of.
        public func reset() {
            cache.empty()
        }
    }
}

extension Locator.CustomLifetime {
    /// The lifetime that this decides.
    public var lifetime: Locator.Lifetime { .custom(self) }
}
