extension Locator {
    /// A lifetime of your own.
    ///
    /// It decides one thing: who keeps the instance that whoever asks is given. Everyone for whom that is the same
    /// keeper shares one instance, which is made once, however many ask at once, and lives as long as the keeper or
    /// until that is reset. So a keeper is a property of what bounds the life of such services: of a session, of a
    /// window, of a timer.
    ///
    /// ```swift
    /// final class Session: Sendable {
    ///     @TaskLocal static var current: Session?
    ///     let services = Locator.Keeper()
    /// }
    ///
    /// struct SessionLifetime: Locator.CustomLifetime {
    ///     func keeper(for resolver: Locator.Resolver) -> Locator.Keeper? { Session.current?.services }
    /// }
    ///
    /// locator.register(.lifetime(SessionLifetime()) { Account() })
    /// ```
    ///
    /// What a keeper keeps is made by the locator that has the registration, and its own dependencies come from there,
    /// since others may share it. What none keeps is made like a volatile service.
    public protocol CustomLifetime: LifetimeConvertible {
        /// Who keeps the instance that is asked for now.
        ///
        /// Called at each resolve and each read of a property, on the thread that asks, with no lock held.
        ///
        /// - Parameter resolver: The locator that is asked, with the arguments of the call.
        /// - Returns: The keeper, or nil if whoever asks is to have an instance of its own, as of a volatile service.
        /// - Throws: What is reported as the failure of the making.
        func keeper(for resolver: Resolver) throws -> Keeper?
    }

    /// What keeps the instances of a ``CustomLifetime``.
    ///
    /// It has at most one of each registration. When the last reference to it goes, it lets go of all of them. An
    /// instance that holds its own keeper keeps both alive, like any two objects that hold each other.
    public final class Keeper: Sendable {
        let store = Store()

        /// Makes a keeper that has nothing yet.
        public init() {}

        deinit { store.end() }

        /// Lets go of all instances. Whoever asks next has new ones made.
        public func reset() {
            store.empty()
        }
    }
}

extension Locator.CustomLifetime {
    /// The lifetime that this decides.
    public var lifetime: Locator.Lifetime { .custom(self) }
}
