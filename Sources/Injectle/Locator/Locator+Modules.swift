extension Locator {
    /// Applies modules and their required modules, all or none.
    ///
    /// ```swift
    /// struct CarModule: Locator.Module {
    ///     func register(in locator: Locator) { locator.register(.lazy { DeLorean() }, for: (any Car).self) }
    /// }
    /// try locator.apply(CarModule())
    /// print(try locator.resolve((any Car).self).name)  // Prints "DeLorean"
    /// ```
    ///
    /// A module follows the modules that it requires, and otherwise the order of the call. Each of the three phases runs
    /// for all modules before the next phase begins, on the calling thread and without a lock. A module whose
    /// ``Module/id`` was applied before is skipped, until ``reset()``. See <doc:StartAndClose>.
    ///
    /// If a phase throws, the locator gets back its registrations in their order, their instances, and its
    /// ``isolation``; instances that the phases created are released. Registrations that other threads insert or remove
    /// meanwhile stay as they are, and take precedence. Not undone are changes of other locators, children included,
    /// other effects of the phases, and ``resetInstance(of:key:arguments:fileID:line:)``.
    ///
    /// Calls from several threads run one after another. A call from within a phase, on the same locator, is part of
    /// that phase: if it fails, the outer call fails, even if the phase catches the error.
    ///
    /// - Parameter modules: The modules to apply.
    /// - Throws: The error of a phase; ``InjectleError/circularDependency`` if a module requires itself, directly or through others,
    ///   before any phase has run; ``InjectleError/deadlock`` if another thread applies modules to this locator and
    ///   waits for this thread; ``InjectleError/locatorClosed`` if the locator is closed or closing.
    /// - Complexity: O(*n*) in the number of modules, applied ones included. Undoing is O(*m*) in the number of
    ///   registrations.
    public func apply(_ modules: any Module...) throws {
        try apply(modules)
    }

    /// Applies an array of modules, all or none.
    ///
    /// ```swift
    /// struct Feature: Locator.Module {
    ///     let name: String
    ///     var id: AnyHashable { name }
    ///     func register(in locator: Locator) { locator.register(.eager(true), key: name) }
    /// }
    /// try locator.apply(["maps", "chat", "maps"].map(Feature.init))
    /// print(locator.registrations.count)  // Prints "2"
    /// ```
    ///
    /// - Parameter modules: The modules to apply.
    /// - Throws: As ``apply(_:)-(Locator.Module...)``.
    @_disfavoredOverload
    public func apply(_ modules: [any Module]) throws {
        guard let first = modules.first else { return }
        let core = core
        let identity = Locator.Identity(type(of: first))
        if core.isClosing { throw InjectleError.closed(core, "\(identity) cannot be applied to", identity) }
        try core.apply(modules, for: identity) { modules in
            for module in modules { try module.willRegister(in: self) }
            for module in modules { try module.register(in: self) }
            for module in modules { try module.didRegister(in: self) }
        }
    }
}
