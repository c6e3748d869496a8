/// The acquisition of an instance for one request that has found its registration.
///
/// This type decides; two drivers wait. A lifetime gives the cells that can hold the instance, in order. The first one that
/// has it provides it; otherwise the creation claims the cells, in order, and creates the instance once, while others wait
/// for the cells. `Creation+Blocking` drives it on a thread, `Creation+Async` in a task.
struct Creation: Sendable {
    /// A holder whose cell can have the instance.
    struct Candidate: Sendable {
        let holder: any CellHolder
        /// What tells its cell apart from others of the registration.
        var key = CellSet.Key()
        /// The scope of the holder, retained until the instance is delivered.
        var scope: Locator.Scope?
        /// Whether the holder ends with the current resolve.
        var isGraph = false
        /// Whether the holder is the property that the instance is injected into.
        var isProperty = false

        /// Whether ending the cell disposes of the instance. A property's instance belongs to the code that reads it.
        var ownsInstance: Bool { !key.isWeak && !isProperty }
    }

    let request: Request
    let found: Found
    /// The locator that the request was made to: the entry's locator or a descendant of it.
    let caller: LocatorCore
    /// In order: the first cell that has the instance provides it.
    var candidates: [Candidate] = []
    /// The locator that creates the instance, and resolves its dependencies.
    var creator: LocatorCore
    /// The arguments that distinguish the instances, if the lifetime is per argument.
    private(set) var arguments: Arguments.Key?
    /// Whether the instance is the prototype of a factory, which serves every caller, and so gets no arguments.
    private(set) var isPrototype = false

    /// The acquisition for a request that has found a registration.
    ///
    /// - Parameter property: The property that the instance is injected into, which caches it if nothing else does.
    static func of(
        _ found: Found,
        for request: Request,
        from caller: LocatorCore,
        _ property: InjectionPoint? = nil
    ) throws(InjectleError) -> Creation {
        var creation = Creation(
            request: request,
            found: found,
            caller: caller,
            creator: caller
        )
        try creation.choose(found.record.traits.lifetime, for: property)
        return creation
    }

    private mutating func choose(_ lifetime: Locator.Lifetime, for property: InjectionPoint?) throws(InjectleError) {
        if lifetime.isPerArgument, let arguments = request.arguments {
            self.arguments = arguments.key
            if self.arguments == nil { throw .unhashable(request, entry, record, arguments.unhashable ?? Any.self) }
        }
        try add(lifetime)
        guard let property else { return }
        if lifetime.isShared || candidates.contains(where: { !$0.key.isWeak && !$0.isGraph }) {
            property.releaseOwn()
        } else {
            let cells = property.cells(for: record, requestedIn: caller)
            candidates.insert(Candidate(holder: cells, isProperty: true), at: 0)
        }
    }

    /// The acquisition of the prototype of a factory.
    var ofPrototype: Creation {
        var creation = self
        creation.isPrototype = true
        (creation.creator, creation.candidates) = (entry.core, [Candidate(holder: entry.core)])
        return creation
    }

    /// Whether a custom lifetime chose a scope.
    var usesScope: Bool { candidates.contains { $0.scope != nil } }

    var entry: Entry { found.entry }
    var record: AnyRecord { found.record }
    var traits: RegistrationTraits { record.traits }

    /// What a creation may do to acquire an instance.
    enum Policy {
        /// Create it, or wait for another creation of it.
        case create
        /// Create it, unless another creation is in progress.
        case createUnlessBusy
        /// Take it from a cell, or wait for another creation of it.
        case useExisting
        /// Create it, or return the task creation to begin or the waiter to await.
        case await
    }

    /// The result of a step: an instance, or the reason for which there is none yet, which says what to do next.
    enum Outcome {
        case instance(AnyInstance)
        /// The registration was removed meanwhile.
        case removed
        /// No cell has the instance, and the policy does not allow to create it here.
        case missing
        /// Another creation is in progress, and the policy does not allow to wait for it.
        case busy
        /// The cell is claimed for a node, which has to create the instance.
        case claimed(WaitNode)
        /// Cells are claimed for a task that has not begun.
        case begun(TaskCreation)
        /// The waiter has entered the cell of another creation.
        case waiting(Waiter)
    }

    /// Throws if a locator has ended. Otherwise the caller looks the registration up again.
    func checkRemoved() throws(InjectleError) {
        for core in [caller, creator] where core.isTerminated { throw .ended(request, core) }
    }
}
