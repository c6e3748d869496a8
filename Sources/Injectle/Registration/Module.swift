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
    /// ``Locator/apply(_:)-(Locator.Module...)`` runs the three phases of a module and of all that it needs. Each of
    /// them does nothing where a module leaves it out. See <doc:Modules>.
    ///
    /// A module may belong to an actor, as any type of an application whose code runs on the main actor does: it is
    /// used where it is applied, and by nobody else. So it need not be `Sendable`.
    public protocol Module {
        /// The modules that this one needs: each of their phases runs before that of this one. None, if left out.
        ///
        /// Asked for when modules are applied, perhaps more than once.
        var requires: [any Locator.Module] { get }

        /// Which module it is: of those with equal ones, one is applied to a locator. Its type, if left out.
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

        /// The first phase, which runs before any module registers anything: to look whether all is there.
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
        /// - Parameter locator: The locator that the module is applied to.
        /// - Throws: What keeps the module from being applied; nothing has been registered by then.
        /// - Complexity: Called once for each time that the module is applied; left out, O(1).
        func willRegister(in locator: Locator) throws

        /// The second phase: registers what the module has.
        ///
        /// ```swift
        /// struct DatabaseModule: Locator.Module {
        ///     func register(in locator: Locator) {
        ///         locator.register(.lazy { Database() })
        ///     }
        /// }
        /// ```
        ///
        /// - Parameter locator: The locator that the module is applied to.
        /// - Throws: What keeps the module from being applied; what all modules have registered is then taken back.
        /// - Complexity: Called once for each time that the module is applied; left out, O(1).
        func register(in locator: Locator) throws

        /// The third phase, which runs once all modules have registered what they have: to resolve of it.
        ///
        /// ```swift
        /// struct LampModule: Locator.Module {
        ///     func didRegister(in locator: Locator) throws {
        ///         try locator.resolve(Garage.self).lamp = Lamp()
        ///     }
        /// }
        /// ```
        ///
        /// - Parameter locator: The locator that the module is applied to.
        /// - Throws: What keeps the module from being applied; what all modules have registered is then taken back, and
        ///   what was made meanwhile is dropped.
        /// - Complexity: Called once for each time that the module is applied; left out, O(1).
        func didRegister(in locator: Locator) throws
    }
}

extension Locator.Module {
    /// None.
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
