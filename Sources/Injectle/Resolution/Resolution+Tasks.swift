// The way from a request to a service for who can await it.
//
// It is the same way: looked up, planned, claimed and handed out by what serves threads, too. What differs is that a
// wait suspends, that another actor is gone to, and that a closure which awaits has a task of its own.

extension Resolution {
    /// The service, as a value of the type that was asked for. Nil if there is none and `isOptional`.
    static func provideInTask(
        _ request: Request,
        in core: Core,
        isOptional: Bool,
        isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance? {
        var awaited: [Awaited] = []
        while true {
            do throws(InjectleError) {
                switch try find(request, in: core, isOptional: isOptional) {
                case .nothing: return nil
                case .composed(let type):
                    return try await type.provideInTask(request, in: core, isolation: isolation)
                case .slot(let slot):
                    // A registration that went after it was found is looked for again.
                    if let instance = try await handOut(slot, request, in: core, isolation) { return instance }
                }
            } catch {
                try await makeNeeded(by: error, notAnyOf: &awaited, isolation)
            }
        }
    }

    /// The services that contribute to the list of a type, in order of registration.
    static func provideListInTask(
        of element: Any.Type,
        _ request: Request,
        in core: Core,
        isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> [Instance] {
        let slots = core.contributions(to: unwrapped(element), label: request.identity.label)
        return try await TaskFrame.grouping(as: request.identity, in: core) { () async throws(InjectleError) in
            var instances: [Instance] = []
            for slot in slots {
                try slot.checkArguments(of: request, in: core)
                let request = request.asking(for: slot.identity.type)
                // One that went meanwhile is left out.
                let made = try await handOut(slot, request, withNeeded: true, in: core, isolation)
                if let form = made?.cast(to: element) { instances.append(form) }
            }
            return instances
        }
    }

    /// The service of a slot, and before that, what its closure needs and cannot await. Nil if the registration went
    /// meanwhile.
    static func provideWithNeeded(
        _ slot: Slot,
        _ request: Request,
        in core: Core,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance? {
        var awaited: [Awaited] = []
        while true {
            do throws(InjectleError) {
                return try await provide(slot, request, in: core, isolation)
            } catch {
                if let needed = error.needed { Startup.notes(slot.record, needing: needed.slot.identity) }
                try await makeNeeded(by: error, notAnyOf: &awaited, isolation)
            }
        }
    }

    /// What a closure that does not await has needed. It is held until that has been called again, since perhaps nobody
    /// else holds it.
    private struct Awaited {
        let needed: InjectleError.Needed
        let instance: Instance?

        func isSame(as other: InjectleError.Needed) -> Bool {
            needed.slot.record === other.slot.record && needed.asking === other.asking
                && Arguments.areEqual(needed.request.arguments, other.request.arguments)
        }
    }

    /// Makes what a closure that does not await has asked for and could not be given, so that it can be called again.
    ///
    /// - Throws: The error, if that is another, or awaiting that service did not help. Nobody further out tries again.
    private static func makeNeeded(
        by error: InjectleError,
        notAnyOf awaited: inout [Awaited],
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) {
        guard let needed = error.needed, !awaited.contains(where: { $0.isSame(as: needed) }) else {
            throw error.withoutNeed
        }
        do throws(InjectleError) {
            let instance = try await provideWithNeeded(needed.slot, needed.request, in: needed.asking, isolation)
            awaited.append(Awaited(needed: needed, instance: instance))
        } catch {
            throw error.withoutNeed
        }
    }

    /// The service of a slot for whoever asked, which is told of.
    private static func handOut(
        _ slot: Slot,
        _ request: Request,
        withNeeded: Bool = false,
        in core: Core,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance? {
        let began = core.isWatched ? ContinuousClock.now : nil
        let instance =
            withNeeded
            ? try await provideWithNeeded(slot, request, in: core, isolation)
            : try await provide(slot, request, in: core, isolation)
        if let began, instance != nil {
            core.tell(.didResolve, of: slot.record, as: slot.identity, since: began, isAsynchronous: true)
        }
        return instance
    }

    /// The service of a slot, as a value of its type. Nil if the registration went meanwhile.
    static func provide(
        _ slot: Slot,
        _ request: Request,
        in core: Core,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance? {
        let plan = try Plan(for: slot, request, asking: core)
        if slot.record.isAsynchronous, plan[0] == nil {
            return try await provideOwn(slot, request, plan, in: core, isolation)
        }
        while true {
            // Who is cancelled is given what is there, and begins nothing.
            let mode = slot.record.isAsynchronous && Task.isCancelled ? Making.Mode.takes : .awaits
            let waiter: Cell.TaskWaiter
            var isOwn = false
            switch try await obtain(slot, request, plan, mode, in: core, isolation) {
            case .instance(let made, let isFound):
                return try handOut(made, isFound: isFound, slot, request, plan, in: core)
            case .begun(let making):
                guard let requester = making.begin() else { continue }
                waiter = requester
                isOwn = true
            case .awaited(let other):
                waiter = other
            case .gone:
                _ = try Making(slot: slot, request: request, asking: core).hasGone(plan)
                return nil
            case .toBeMade, .busy, .stored:
                throw .cancelled(request, slot)
            }
            guard await waiter.wait() else { throw .cancelled(request, slot) }
            switch waiter.outcome {
            case .success(let made)?:
                return try handOut(made, isFound: false, slot, request, plan, in: core)
            case .failure(let error)? where isOwn || !Making.makersOwn.contains(error.code): throw error
            case .failure?, nil: continue
            }
        }
    }

    /// One that nobody keeps, made in the task that asks.
    private static func provideOwn(
        _ slot: Slot,
        _ request: Request,
        _ plan: Plan,
        in core: Core,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance? {
        if Frame.isMaking(slot.record, in: plan.maker, given: request.arguments) { throw .cycle(request, slot) }
        if Frame.isTooDeep { throw .tooDeep(request, slot) }
        if Task.isCancelled { throw .cancelled(request, slot) }
        guard let outcome = await TaskMaking.make(slot, request, plan) else { return nil }
        return try handOut(outcome.get(), isFound: false, slot, request, plan, in: core)
    }

    /// What is there, made where its closure runs, or to be awaited.
    private static func obtain(
        _ slot: Slot,
        _ request: Request,
        _ plan: Plan,
        _ mode: Making.Mode,
        in core: Core,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Making.Obtained {
        let making = Making(slot: slot, request: request, asking: core)
        if slot.record.isAsynchronous || !slot.record.place.isActor {
            if !slot.record.isAsynchronous { Startup.notes(slot.record) }
            return try making.obtain(plan, mode, as: nil, into: nil)
        }
        do {
            return try await slot.record.place.run {
                Startup.notes(slot.record)
                return try Making(slot: slot, request: request, asking: core).obtain(plan, mode, as: nil, into: nil)
            }
        } catch {
            throw .making(slot, threw: error, askedBy: request)
        }
    }

    private static func handOut(
        _ made: Instance,
        isFound: Bool,
        _ slot: Slot,
        _ request: Request,
        _ plan: Plan,
        in core: Core
    ) throws(InjectleError) -> Instance {
        try Instance(of: slot.identity.type) { storage throws(InjectleError) in
            try Making(slot: slot, request: request, asking: core).handOut(made, isFound: isFound, plan, into: storage)
        }
    }
}
