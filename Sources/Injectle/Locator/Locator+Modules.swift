extension Locator {
    /// Applies modules and the modules that they require.
    ///
    /// ```swift
    /// struct CarModule: Locator.Module {
    ///     func register(in locator: Locator) { locator.register(.lazy { DeLorean() }, for: (any Car).self) }
    /// }
    /// try locator.apply(CarModule())
    /// print(try locator.resolve((any Car).self).name)  // Prints "DeLorean"
    /// ```
    ///
    /// A module follows the modules that it requires, and otherwise the order of the call. All modules register before
    /// the first ``Module/didRegister(in:)`` runs. They run on the calling thread and without a lock: <doc:StartAndClose>.
    ///
    /// A required module is applied once, until ``reset()``, and so is one with an ``Module/id`` of its own.
    ///
    /// A module that throws ends the call, and leaves what was registered until then. The next call applies the modules
    /// again. A new locator is all or nothing, since no caller gets it: `try Locator("app") { try $0.apply(AppModule()) }`.
    ///
    /// - Parameter modules: The modules to apply.
    /// - Throws: The error of a module; ``InjectleError/circularDependency`` if a module requires itself, directly or
    ///   through others, before any module registers; ``InjectleError/locatorClosed`` if the locator is closed or closing.
    /// - Complexity: O(*n*) in the number of modules, applied ones included.
    public func apply(_ modules: any Module...) throws {
        try apply(modules)
    }

    /// Applies an array of modules and the modules that they require.
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
        let (order, call) = try core.plan(modules)
        do {
            for module in order { try module.register(in: self) }
            for module in order { try module.didRegister(in: self) }
        } catch {
            core.forgetModules(of: call)
            throw error
        }
    }
}

extension LocatorCore {
    /// The modules to apply, in order, and the number of the call. Records them as applied.
    fileprivate func plan(
        _ wanted: [any Locator.Module]
    ) throws(InjectleError) -> (order: [any Locator.Module], call: Int) {
        while true {
            let (applied, revision) = state.withLock { ($0.appliedModules.map(\.id), $0.modulesRevision) }
            // Ids are hashed and compared here, without the lock.
            var order = ModuleOrder(besides: applied)
            try order.add(wanted)
            let isRecorded = state.withLock { state in
                guard state.modulesRevision == revision else { return false }
                state.modulesRevision += 1
                for id in order.ids { state.appliedModules.append((id, state.modulesRevision)) }
                return true
            }
            if isRecorded { return (order.modules, revision + 1) }
        }
    }

    /// Lets the next call apply the modules of a call again.
    fileprivate func forgetModules(of call: Int) {
        // Released without the lock.
        let former = state.withLock { state in
            let former = state.appliedModules
            state.appliedModules = former.filter { $0.call != call }
            state.modulesRevision += 1
            return former
        }
        withExtendedLifetime(former) {}
    }
}
