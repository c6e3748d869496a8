extension Locator {
    /// A unit of registrations that an application composes.
    ///
    /// ```swift
    /// struct CarpoolModule: Locator.Module {
    ///     var modules: [any Locator.Module] { [NetworkModule(), ClockModule()] }
    ///
    ///     func register(in locator: Locator) {
    ///         locator.register(.lazy { locator in Planner(network: try locator.resolve()) })
    ///     }
    ///
    ///     func after(_ locator: Locator) throws {
    ///         try locator.resolve(Planner.self).warmUp()
    ///     }
    /// }
    ///
    /// try locator.apply(CarpoolModule())
    /// ```
    ///
    /// ``Locator/apply(_:)-(Locator.Module...)`` runs the three phases of a module and of all that it needs. Each of
    /// them does nothing where a module leaves it out.
    ///
    /// A module may belong to an actor, as any type of an application whose code runs on the main actor does: it is
    /// used where it is applied, and by nobody else.
    public protocol Module {
        /// The modules that this one needs: each of their phases runs before that of this one. None, if left out.
        ///
        /// Asked for when modules are applied, perhaps more than once.
        var modules: [any Locator.Module] { get }

        /// Which module it is: of those with equal ones, one is applied to a locator. Its type, if left out.
        ///
        /// ```swift
        /// struct Feature: Locator.Module {
        ///     let name: String
        ///     var id: AnyHashable { name }
        /// }
        /// ```
        var id: AnyHashable { get }

        /// The first phase, which runs before any module registers anything: to look whether all is there.
        ///
        /// - Parameter locator: The locator that the module is applied to.
        /// - Throws: What keeps the module from being applied.
        func before(_ locator: Locator) throws

        /// The second phase: registers what the module has.
        ///
        /// - Parameter locator: The locator that the module is applied to.
        /// - Throws: What keeps the module from being applied.
        func register(in locator: Locator) throws

        /// The third phase, which runs once all modules have registered what they have: to resolve of it.
        ///
        /// - Parameter locator: The locator that the module is applied to.
        /// - Throws: What keeps the module from being applied.
        func after(_ locator: Locator) throws
    }
}

extension Locator.Module {
    /// None.
    public var modules: [any Locator.Module] { [] }

    /// The type of the module.
    public var id: AnyHashable { AnyHashable(ObjectIdentifier(Self.self)) }

    /// Does nothing.
    public func before(_ locator: Locator) throws {}

    /// Does nothing.
    public func register(in locator: Locator) throws {}

    /// Does nothing.
    public func after(_ locator: Locator) throws {}
}
