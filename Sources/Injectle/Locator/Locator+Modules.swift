internal import CInjectle

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
    /// the first ``Module/didRegister(in:)`` runs. They run on the calling thread and without a lock:
    /// <doc:StartAndClose>.
    ///
    /// A required module is applied once, until ``reset()``, and so is one with an ``Module/id`` of its own.
    ///
    /// A module that another thread is applying is awaited, and applied here if it fails there.
    ///
    /// A module that throws ends the call, and the earlier registrations stay. The next call applies the modules again.
    /// A new locator is all or nothing, since no caller gets it: `try Locator("app") { try $0.apply(AppModule()) }`.
    ///
    /// - Parameter modules: The modules to apply.
    /// - Throws: The error of a module; ``InjectleError/circularDependency`` if a module requires itself, directly or
    ///   through others, before any module registers; ``InjectleError/locatorClosed`` if the locator is closed or
    ///   closing.
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
        if core.closeHasBegun { throw InjectleError.closed(core, "\(identity) cannot be applied to", identity) }
        let call = ModuleCall()
        let order = try core.claimModules(modules, for: call)
        defer { call.end() }
        do {
            let outer = injectle_module_call()
            injectle_set_module_call(call.node.id)
            defer { injectle_set_module_call(outer) }
            for module in order { try module.register(in: self) }
            for module in order { try module.didRegister(in: self) }
        } catch {
            core.forgetModules(of: call)
            throw error
        }
    }
}

/// A module that was applied to a locator.
struct AppliedModule {
    let id: AnyHashable
    /// The call that applied it.
    let call: ModuleCall
}

/// A call of `apply`, for which calls on other threads wait.
final class ModuleCall: Sendable {
    private struct State {
        var isEnded = false
        var waiting: [Gate] = []
    }

    /// The thread of the call, and of code of the main actor that it waits for.
    let node = Node.thread
    private let state = Mutex(State())

    /// A call for which nothing waits.
    static var ended: ModuleCall {
        let call = ModuleCall()
        call.end()
        return call
    }

    /// Whether it runs on another thread.
    var runsElsewhere: Bool { node != .thread && !state.withLock { $0.isEnded } }

    /// Ends the call, and wakes those that wait for it.
    func end() {
        let waiting = state.withLock { state in
            defer { state = State(isEnded: true) }
            return state.waiting
        }
        for gate in waiting { gate.open() }
    }

    /// Waits for the end of the call. Returns false if this thread would wait for ever.
    func wait() -> Bool {
        let gate = Gate()
        let isEnded = state.withLock { state in
            state.waiting.append(gate)
            return state.isEnded
        }
        if isEnded { return true }
        let current = CallingCode.current
        let code = CallingCode(current.creations, besides: current.nodes + [Node.thread.id])
        guard let wait = WaitGraph.begin(code, waitingFor: node) else { return false }
        MainActorBridge.wait(at: gate, for: node)
        WaitGraph.end(wait)
        return true
    }
}

extension LocatorCore {
    /// A module that a call applies.
    private struct Due {
        let id: AnyHashable
        let module: any Locator.Module
    }

    /// The modules of a call.
    private struct SortedModules {
        /// Those to apply, each after those that it requires.
        var due: [Due] = []
        /// Those that were applied before, or are being applied.
        var applied: Set<AnyHashable> = []
    }

    /// Records modules as applied by a call, after waiting for other threads that apply some of them. Returns those to
    /// apply, in order.
    fileprivate func claimModules(_ wanted: [any Locator.Module], for call: ModuleCall)
        throws(InjectleError) -> [any Locator.Module]
    {
        while true {
            let (applied, revision) = state.withLock { state in
                (state.extras?.appliedModules ?? [], state.extras?.modulesRevision ?? 0)
            }
            // Ids are hashed and compared here, without the lock.
            let order = try LocatorCore.sorted(wanted, besides: applied.map(\.id))
            if let other = applied.first(where: { order.applied.contains($0.id) && $0.call.runsElsewhere }) {
                if other.call.wait() { continue }
                throw .deadlock(ofModule: other.id, in: self)
            }
            let isRecorded = state.withLock { state in
                guard state.ensuredExtras.modulesRevision == revision else { return false }
                state.ensuredExtras.modulesRevision += 1
                state.ensuredExtras.appliedModules += order.due.map { AppliedModule(id: $0.id, call: call) }
                return true
            }
            if isRecorded { return order.due.map(\.module) }
        }
    }

    /// The modules to apply, without those that are applied.
    private static func sorted(_ wanted: [any Locator.Module], besides applied: [AnyHashable])
        throws(InjectleError) -> SortedModules
    {
        var order = SortedModules()
        let applied = Set(applied)
        var done = applied
        var required: Set<AnyHashable> = []
        // The modules whose requirements are being added, each required by the one before.
        var path: [Due] = []
        func add(_ wanted: [any Locator.Module]) throws(InjectleError) {
            let areRequired = !path.isEmpty
            for module in wanted {
                let id = module.id
                // Of one type, each object that is passed to `apply` is applied, and one that modules require.
                let hasOwnID = id.base as? ObjectIdentifier != ObjectIdentifier(type(of: module))
                if hasOwnID || areRequired || required.contains(id), done.contains(id) {
                    if applied.contains(id) { order.applied.insert(id) }
                    continue
                }
                path.append(Due(id: id, module: module))
                if let first = path.firstIndex(where: { $0.id == id }), first < path.count - 1 {
                    throw .circularDependency(ofModules: path[first...].map { ($0.id, type(of: $0.module)) })
                }
                try add(module.requires)
                path.removeLast()
                order.due.append(Due(id: id, module: module))
                done.insert(id)
                if areRequired { required.insert(id) }
            }
        }
        try add(wanted)
        return order
    }

    /// Lets the next call apply the modules of one call, or of all, again.
    func forgetModules(of call: ModuleCall? = nil) {
        // Released without the lock.
        let former = state.withLock { state -> [AppliedModule] in
            guard let applied = state.extras?.appliedModules else { return [] }
            state.extras?.modulesRevision += 1
            if !applied.isEmpty { state.extras?.appliedModules.removeAll { call == nil || $0.call === call } }
            return applied
        }
        withExtendedLifetime(former) {}
    }
}
