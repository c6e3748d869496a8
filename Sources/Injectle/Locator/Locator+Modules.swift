extension Locator {
    /// Applies modules, and all that they need: either all of them or, if one fails, none.
    ///
    /// ```swift
    /// struct CarModule: Locator.Module {
    ///     func register(in locator: Locator) { locator.register(.lazy { DeLorean() }, for: (any Car).self) }
    /// }
    /// try locator.apply(CarModule())
    /// print(try locator.resolve((any Car).self).name)  // Prints "DeLorean"
    /// ```
    ///
    /// Needed modules come first, otherwise it is the order in which they are given. First the first phase of all of
    /// them runs, then the second of all, then the third. A module that was applied to this locator before, as its
    /// ``Module/id`` tells, is left out, until ``reset()`` forgets that. See <doc:Modules>.
    ///
    /// If a phase throws, the locator is left as it was: with the registrations that it had, in their order, with their
    /// instances, and with its ``isolation``; what was made meanwhile by the phases is dropped, also where it was made
    /// of a registration that stays. What other threads register or remove at the same time is not part of that: it
    /// acts as always, and where they have registered under the same identity, that wins. Not taken back is what the
    /// phases do elsewhere: in other locators, also in children of this one, and in what they change themselves. What
    /// ``resetInstance(of:key:fileID:line:)`` drops stays dropped.
    ///
    /// Applied to one locator from several threads, modules are applied one after the other: a caller waits until those
    /// of another are done. Applied from within a phase to the same locator, all their phases run there and then, as
    /// part of that phase: if they fail, all fails, even if the phase catches the error.
    ///
    /// The phases run where this is called, and no lock is held meanwhile.
    ///
    /// - Parameter modules: The modules to apply.
    /// - Throws: What a phase throws, as it is; ``InjectleError/cycle`` if a module needs itself, directly or through
    ///   others, before any phase has run; ``InjectleError/deadlock`` if another thread applies modules to this locator
    ///   and waits for what this thread does; ``InjectleError/locatorClosed`` if it is closed, or is being closed.
    /// - Complexity: Besides what the phases cost, O(*n*) in the number of modules, those applied before included.
    ///   Taking back is O(*m*) in the number of registrations.
    public func apply(_ modules: any Module...) throws {
        try apply(modules)
    }

    /// The same as ``apply(_:)-(Locator.Module...)``, for modules that are in an array.
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
    /// - Throws: What a phase throws, as it is; ``InjectleError/cycle``, ``InjectleError/deadlock`` or
    ///   ``InjectleError/locatorClosed`` as the other one.
    @_disfavoredOverload
    public func apply(_ modules: [any Module]) throws {
        guard let first = modules.first else { return }
        let core = core
        let identity = ServiceKey(type(of: first))
        if core.isClosing { throw InjectleError.closed(core, "\(identity) cannot be applied to", identity) }
        try core.apply(modules, for: identity) { modules in
            for module in modules { try module.willRegister(in: self) }
            for module in modules { try module.register(in: self) }
            for module in modules { try module.didRegister(in: self) }
        }
    }
}
