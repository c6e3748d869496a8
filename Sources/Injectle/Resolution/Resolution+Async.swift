// The way from a request to a service for who can await it.
//
// It is the same way: looked up, planned, claimed and handed out by what serves threads, too. What differs is that a
// wait suspends, that another actor is gone to, and that a closure which awaits has a task of its own.

extension Resolution {
    /// The service, as a value of the type that was asked for. Nil if there is none and `isOptional`.
    static func provideInTask(
        _ request: Request,
        in core: LocatorCore,
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
                case .entry(let entry):
                    // A registration that went after it was found is looked for again.
                    if let instance = try await deliver(entry, request, in: core, isolation) { return instance }
                }
            } catch {
                try await resolveNeeded(by: error, notAnyOf: &awaited, isolation)
            }
        }
    }

    /// The services that contribute to the list of a type, in order of registration.
    static func provideListInTask(
        of element: Any.Type,
        _ request: Request,
        in core: LocatorCore,
        isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> [Instance] {
        let entries = core.contributions(to: unwrapped(element), userKey: request.identity.userKey)
        return try await TaskFrame.grouping(as: request.identity, in: core) { () async throws(InjectleError) in
            var instances: [Instance] = []
            for entry in entries {
                try entry.checkArguments(of: request, in: core)
                let request = request.caller(for: entry.identity.type)
                // One that went meanwhile is left out.
                let made = try await deliver(entry, request, withNeeded: true, in: core, isolation)
                if let form = made?.cast(to: element) { instances.append(form) }
            }
            return instances
        }
    }

    /// The service of a entry, and before that, what its closure needs and cannot await. Nil if the registration went
    /// meanwhile.
    static func provideWithNeeded(
        _ entry: Entry,
        _ request: Request,
        in core: LocatorCore,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance? {
        var awaited: [Awaited] = []
        while true {
            do throws(InjectleError) {
                return try await provide(entry, request, in: core, isolation)
            } catch {
                if let needed = error.needed { StartOperation.notes(entry.record, needing: needed.entry.identity) }
                try await resolveNeeded(by: error, notAnyOf: &awaited, isolation)
            }
        }
    }

    /// What a closure that does not await has needed. It is held until that has been called again, since perhaps nobody
    /// else holds it.
    private struct Awaited {
        let needed: InjectleError.Needed
        let instance: Instance?

        func isSame(as other: InjectleError.Needed) -> Bool {
            needed.entry.record === other.entry.record && needed.caller === other.caller
                && Arguments.areEqual(needed.request.arguments, other.request.arguments)
        }
    }

    /// Makes what a closure that does not await has asked for and could not be given, so that it can be called again.
    ///
    /// - Throws: The error, if that is another, or awaiting that service did not help. Nobody further out tries again.
    private static func resolveNeeded(
        by error: InjectleError,
        notAnyOf awaited: inout [Awaited],
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) {
        guard let needed = error.needed, !awaited.contains(where: { $0.isSame(as: needed) }) else {
            throw error.withoutNeed
        }
        do throws(InjectleError) {
            let instance = try await provideWithNeeded(needed.entry, needed.request, in: needed.caller, isolation)
            awaited.append(Awaited(needed: needed, instance: instance))
        } catch {
            throw error.withoutNeed
        }
    }

    /// The service of a entry for whoever asked, which is told of.
    private static func deliver(
        _ entry: Entry,
        _ request: Request,
        withNeeded: Bool = false,
        in core: LocatorCore,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance? {
        let began = core.isObserved ? ContinuousClock.now : nil
        let instance =
            withNeeded
            ? try await provideWithNeeded(entry, request, in: core, isolation)
            : try await provide(entry, request, in: core, isolation)
        if let began, instance != nil {
            core.send(.didResolve, of: entry.record, as: entry.identity, since: began, isAsynchronous: true)
        }
        return instance
    }

    /// The service of a entry, as a value of its type. Nil if the registration went meanwhile.
    static func provide(
        _ entry: Entry,
        _ request: Request,
        in core: LocatorCore,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance? {
        let plan = try LifetimePlan(for: entry, request, caller: core)
        if entry.record.isAsynchronous, plan[0] == nil {
            return try await provideOwn(entry, request, plan, in: core, isolation)
        }
        while true {
            // Who is cancelled is given what is there, and begins nothing.
            let policy = entry.record.isAsynchronous && Task.isCancelled ? Creation.AcquirePolicy.takes : .awaits
            let waiter: OnceCell.TaskWaiter
            var isOwn = false
            switch try await acquire(entry, request, plan, policy, in: core, isolation) {
            case .instance(let made, let isFound):
                return try deliver(made, isFound: isFound, entry, request, plan, in: core)
            case .begun(let creation):
                guard let requester = creation.begin() else { continue }
                waiter = requester
                isOwn = true
            case .awaited(let other):
                waiter = other
            case .gone:
                _ = try Creation(entry: entry, request: request, caller: core).hasGone(plan)
                return nil
            case .toBeMade, .busy, .stored:
                throw .cancelled(request, entry)
            }
            guard await waiter.wait() else { throw .cancelled(request, entry) }
            switch waiter.outcome {
            case .success(let made)?:
                return try deliver(made, isFound: false, entry, request, plan, in: core)
            case .failure(let error)? where isOwn || !Creation.notShared.contains(error.code): throw error
            case .failure?, nil: continue
            }
        }
    }

    /// One that nobody keeps, made in the task that asks.
    private static func provideOwn(
        _ entry: Entry,
        _ request: Request,
        _ plan: LifetimePlan,
        in core: LocatorCore,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance? {
        if Frame.isMaking(entry.record, in: plan.creator, given: request.arguments) { throw .cycle(request, entry) }
        if Frame.isTooDeep { throw .tooDeep(request, entry) }
        if Task.isCancelled { throw .cancelled(request, entry) }
        guard let outcome = await TaskCreation.make(entry, request, plan) else { return nil }
        return try deliver(outcome.get(), isFound: false, entry, request, plan, in: core)
    }

    /// What is there, made where its closure runs, or to be awaited.
    private static func acquire(
        _ entry: Entry,
        _ request: Request,
        _ plan: LifetimePlan,
        _ policy: Creation.AcquirePolicy,
        in core: LocatorCore,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Creation.Outcome {
        let creation = Creation(entry: entry, request: request, caller: core)
        if entry.record.isAsynchronous || !entry.record.isolation.isActor {
            if !entry.record.isAsynchronous { StartOperation.notes(entry.record) }
            return try creation.acquire(plan, policy, as: nil, into: nil)
        }
        do {
            return try await entry.record.isolation.run {
                StartOperation.notes(entry.record)
                return try Creation(entry: entry, request: request, caller: core).acquire(
                    plan,
                    policy,
                    as: nil,
                    into: nil
                )
            }
        } catch {
            throw .creation(entry, threw: error, requestedBy: request)
        }
    }

    private static func deliver(
        _ made: Instance,
        isFound: Bool,
        _ entry: Entry,
        _ request: Request,
        _ plan: LifetimePlan,
        in core: LocatorCore
    ) throws(InjectleError) -> Instance {
        try Instance(of: entry.identity.type) { storage throws(InjectleError) in
            try Creation(entry: entry, request: request, caller: core).deliver(
                made,
                isFound: isFound,
                plan,
                into: storage
            )
        }
    }
}
