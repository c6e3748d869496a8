extension Locator {
    /// A unit of registrations that an application composes.
    ///
    /// ```swift
    /// import Injectle
    ///
    /// struct DatabaseModule: Locator.Module {
    ///     func register(in locator: Locator) {
    ///         locator.register(.lazy { Database() })
    ///     }
    /// }
    ///
    /// struct GarageModule: Locator.Module {
    ///     var requires: [any Locator.Module] { [DatabaseModule()] }
    ///
    ///     func register(in locator: Locator) {
    ///         locator.register(.initializer(Garage.init(database:)))
    ///     }
    ///
    ///     func didRegister(in locator: Locator) throws {
    ///         try locator.resolve(Garage.self).lamp = Lamp()
    ///     }
    /// }
    ///
    /// func launch() throws {
    ///     try Locator.default.apply(GarageModule())
    /// }
    /// ```
    ///
    /// ``Locator/apply(_:)-(Locator.Module...)`` runs the three phases of a module and of its required modules. The
    /// default implementation of a phase does nothing. See <doc:StartAndClose>.
    ///
    /// A module is used on the thread that applies it, so it need not be `Sendable`, and can be isolated to the main
    /// actor. With the main actor as default isolation, write `nonisolated struct DatabaseModule: Locator.Module`, so
    /// that code outside of the main actor can apply it, and `.lazy(.main) { … }` for its services of the main actor.
    public protocol Module {
        /// The modules that this one requires, none by default. Each of their phases runs before the same phase of this
        /// module.
        ///
        /// A locator can read it more than once for one call of `apply`.
        var requires: [any Locator.Module] { get }

        /// The identity of the module, its type by default. A locator applies one of several modules with equal
        /// identities.
        ///
        /// ```swift
        /// struct Feature: Locator.Module {
        ///     let name: String
        ///     var id: AnyHashable { name }
        /// }
        ///
        /// try locator.apply(Feature(name: "search"), Feature(name: "maps"))  // both, though of one type
        /// ```
        var id: AnyHashable { get }

        /// The first phase, before any module registers its services: checks the locator.
        ///
        /// ```swift
        /// struct ReportModule: Locator.Module {
        ///     struct NoSettings: Error {}
        ///
        ///     func willRegister(in locator: Locator) throws {
        ///         if !locator.isRegistered(Settings.self) { throw NoSettings() }
        ///     }
        /// }
        /// ```
        ///
        /// - Parameter locator: The locator that applies the module.
        /// - Throws: An error that prevents the modules from being applied.
        func willRegister(in locator: Locator) throws

        /// The second phase: registers the services of the module.
        ///
        /// ```swift
        /// struct DatabaseModule: Locator.Module {
        ///     func register(in locator: Locator) {
        ///         locator.register(.lazy { Database() })
        ///     }
        /// }
        /// ```
        ///
        /// - Parameter locator: The locator that applies the module.
        /// - Throws: An error that prevents the modules from being applied. All their registrations are undone.
        func register(in locator: Locator) throws

        /// The third phase, after all modules have registered their services: resolves and configures services.
        ///
        /// ```swift
        /// struct LampModule: Locator.Module {
        ///     func didRegister(in locator: Locator) throws {
        ///         try locator.resolve(Garage.self).lamp = Lamp()
        ///     }
        /// }
        /// ```
        ///
        /// - Parameter locator: The locator that applies the module.
        /// - Throws: An error that prevents the modules from being applied. All their registrations are undone, and the
        ///   instances that the phases created are released.
        func didRegister(in locator: Locator) throws
    }
}

extension Locator.Module {
    /// No modules.
    public var requires: [any Locator.Module] { [] }

    /// The type of the module.
    public var id: AnyHashable { AnyHashable(ObjectIdentifier(Self.self)) }

    /// Does nothing.
    public func willRegister(in locator: Locator) throws {}

    /// Does nothing.
    public func register(in locator: Locator) throws {}

    /// Does nothing.
    public func didRegister(in locator: Locator) throws {}
}
