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
    /// ``Locator/apply(_:)-(Locator.Module...)`` applies a module and its required modules. See <doc:StartAndClose>.
    ///
    /// A module is used on the thread that applies it, so it need not be `Sendable`, and can be isolated to the main
    /// actor. With the main actor as default isolation, write `nonisolated struct DatabaseModule: Locator.Module`, so
    /// that code outside of the main actor can apply it, and `.lazy(.main) { … }` for its services of the main actor.
    public protocol Module {
        /// The modules that this one requires, none by default, which register before it. A locator applies one
        /// required module of each type, or of each ``id`` of their own.
        ///
        /// A locator can read it more than once for one call of `apply`.
        var requires: [any Locator.Module] { get }

        /// The identity of the module, its type by default. A locator applies one of several modules with equal
        /// identities of their own.
        ///
        /// ```swift
        /// struct Feature: Locator.Module {
        ///     let name: String
        ///     var id: AnyHashable { name }
        ///     func register(in locator: Locator) { locator.register(.eager(true), key: name) }
        /// }
        ///
        /// try locator.apply(Feature(name: "search"), Feature(name: "maps"), Feature(name: "search"))
        /// print(locator.registrations.count)  // Prints "2"
        /// ```
        var id: AnyHashable { get }

        /// Registers the services of the module.
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
        /// - Throws: An error that ends the call of `apply`.
        func register(in locator: Locator) throws

        /// Resolves and configures services, after all modules have registered theirs. The default implementation does
        /// nothing.
        ///
        /// ```swift
        /// struct LampModule: Locator.Module {
        ///     func register(in locator: Locator) { locator.register(.lazy { Garage() }) }
        ///
        ///     func didRegister(in locator: Locator) throws {
        ///         try locator.resolve(Garage.self).lamp = Lamp()
        ///     }
        /// }
        /// ```
        ///
        /// - Parameter locator: The locator that applies the module.
        /// - Throws: An error that ends the call of `apply`.
        func didRegister(in locator: Locator) throws
    }
}

extension Locator.Module {
    /// No modules.
    public var requires: [any Locator.Module] { [] }

    /// The type of the module.
    public var id: AnyHashable { AnyHashable(ObjectIdentifier(Self.self)) }

    /// Does nothing.
    public func didRegister(in locator: Locator) throws {}
}
