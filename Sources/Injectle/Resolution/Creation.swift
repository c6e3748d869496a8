/// One request that has found its entry, on its way to an instance.
///
/// Whatever the lifetime, this is the way: it says who keeps the instance (`LifetimePlan`), these are asked in turn, and only
/// if none has one is it made, once, while whoever else asks them waits.
struct Creation: ~Copyable {
    let entry: Entry
    let request: Request
    /// The locator that was asked, perhaps a child of the one that has the registration.
    let caller: LocatorCore
    var property: InjectionPoint?

    var record: RegistrationRecord { entry.record }

    /// Initializes `storage` by a value of the entry's type. False if the registration went meanwhile.
    func provide(into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        guard caller.isObserved else { return try provideUntold(into: storage) }
        let began = ContinuousClock.now
        guard try provideUntold(into: storage) else { return false }
        caller.send(.didResolve, of: record, as: entry.identity, since: began, isAsynchronous: false)
        return true
    }

    private func provideUntold(into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        if record.isSendable || !caller.isStrict, entry.copyService(to: storage) { return true }
        if property == nil, let object = entry.referencedInstance {
            _ = try deliver(object, into: storage)
            return true
        }
        let plan = try LifetimePlan(for: entry, request, caller: caller, property)
        let policy = isHere && !record.isAsynchronous ? AcquirePolicy.makes : .takes
        switch try attempt(plan, policy, as: nil, into: storage) {
        case .done: return true
        case .gone: return try hasGone(plan)
        case .busy, .toBeMade:
            if record.isAsynchronous { throw .asynchronous(request, entry, caller) }
            return try provideOnMainActor(plan, into: storage)
        }
    }

    /// Says that the registration went, so that it is looked for again; but where the locator has gone, so has all that
    /// it keeps.
    func hasGone(_ plan: LifetimePlan) throws(InjectleError) -> Bool {
        for core in [caller, plan.creator] where core.isTerminated { throw .ended(request, core) }
        return false
    }

    // MARK: Where it is made

    /// Whether this is where the closure runs. One that is called on an actor, and does not capture it, does not know
    /// that it runs there; the creation that it belongs to does.
    private var isHere: Bool {
        record.isolation.isHere(request.isolation) || request.isolation == nil && Frame.isRunning(at: record.isolation)
    }

    /// What may be done to come by an instance.
    enum AcquirePolicy {
        /// Factory it, or wait for who makes it.
        case makes
        /// Factory it, unless somebody else does.
        case makesUnlessBusy
        /// Take it if it is there, or wait for who makes it.
        case takes
        /// Factory it, or say which creation is to be begun or awaited.
        case awaits
    }

    private enum Attempt { case done, gone, busy, toBeMade }

    /// Lets the main actor make it. Only the creation is done there: who waits for one in progress waits here, so that
    /// the main actor is never kept from what it was doing by what it was doing.
    private func provideOnMainActor(
        _ plan: LifetimePlan,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        guard case .mainActor = record.isolation, let limit = caller.isolation.limit else {
            throw .isolation(request, entry, waited: nil)
        }
        let node = Frame.currentNode ?? WaitNode()
        while true {
            // Sound to share: the job runs while this thread waits for it, and what it captures outlives it.
            nonisolated(unsafe) var outcome: Result<Attempt, InjectleError>?
            let began = caller.isObserved ? ContinuousClock.now : nil
            let body = Frame.inThisContext { [entry, request, caller, property] in
                let creation = Creation(entry: entry, request: request, caller: caller, property: property)
                do throws(InjectleError) {
                    outcome = .success(try creation.attempt(plan, .makesUnlessBusy, as: node, into: storage))
                } catch {
                    outcome = .failure(error)
                }
            }
            let deadline = Deadline(after: limit)
            let hasRun = MainActorBridge.run(before: deadline, as: node, interrupting: { Frame.currentNode }, body)
            let failure = hasRun ? nil : InjectleError.isolation(request, entry, waited: limit)
            if let began { tellOfWait(since: began, failure) }
            guard let outcome else { throw failure ?? .isolation(request, entry, waited: limit) }
            var result = try outcome.get()
            if result == .busy { result = try attempt(plan, .takes, as: nil, into: storage) }
            switch result {
            case .done: return true
            case .gone: return try hasGone(plan)
            case .busy, .toBeMade: continue
            }
        }
    }

    private func tellOfWait(since began: ContinuousClock.Instant, _ failure: InjectleError?) {
        let identity = entry.identity
        caller.send(.didWait, of: record, as: identity, since: began, failure: failure, isAsynchronous: false)
    }

    // MARK: Whether it can be made

    /// - Parameter node: Who makes, if that is not to be seen from this thread's path.
    private func attempt(
        _ plan: LifetimePlan,
        _ policy: AcquirePolicy,
        as node: WaitNode?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Attempt {
        switch try acquire(plan, policy, as: node, into: storage) {
        case .instance(let made, let isFound): try deliver(made, isFound: isFound, plan, into: storage)
        case .stored: break
        case .gone: return .gone
        case .busy, .begun, .awaited: return .busy
        case .toBeMade: return .toBeMade
        }
        return .done
    }

    /// - Parameter storage: Where one may be made that nobody keeps.
    func acquire(
        _ plan: LifetimePlan,
        _ policy: AcquirePolicy,
        as node: WaitNode?,
        into storage: UnsafeMutableRawPointer?
    ) throws(InjectleError) -> Outcome {
        // Of what a scope keeps, another one's may be needed: which is the same shows where it waits for itself.
        let needsItself = !plan.usesCustomScope && Frame.isMaking(record, in: plan.creator, given: request.arguments)
        let policy = needsItself || Frame.isTooDeep ? .takes : policy
        let outcome: Outcome
        if let storage, plan[0] == nil, policy != .takes {
            // Nobody keeps it, so it is made where it is wanted.
            outcome = try makeOne(plan, policy, as: node, into: storage)
        } else {
            outcome = try acquire(from: plan, at: 0, policy, as: node)
        }
        guard case .toBeMade = outcome else { return outcome }
        if needsItself { throw .cycle(request, entry) }
        if Frame.isTooDeep { throw .tooDeep(request, entry) }
        return .toBeMade
    }

    // MARK: Made

    /// A new one, or a factory's copy of its prototype.
    func made(_ plan: LifetimePlan, _ policy: AcquirePolicy, as node: WaitNode?) throws(InjectleError) -> Outcome {
        guard policy != .takes else { return .toBeMade }
        // Whoever claimed it did so as the one who makes it in a task.
        if record.isAsynchronous { return (node as? TaskCreation).map { .begun($0) } ?? .toBeMade }
        var outcome = Outcome.stored
        let instance = try Instance(orNone: record.serviceType) { storage throws(InjectleError) in
            outcome = try makeOneAsItself(plan, policy, as: node, into: storage)
            if case .stored = outcome { return true } else { return false }
        }
        return instance.map { .instance($0, isFound: false) } ?? outcome
    }

    /// One as a value of the type that it was asked for as.
    private func makeOne(
        _ plan: LifetimePlan,
        _ policy: AcquirePolicy,
        as node: WaitNode?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Outcome {
        if record.serviceType == entry.identity.type {
            return try makeOneAsItself(plan, policy, as: node, into: storage)
        }
        return try made(plan, policy, as: node)
    }

    private func makeOneAsItself(
        _ plan: LifetimePlan,
        _ policy: AcquirePolicy,
        as node: WaitNode?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Outcome {
        if let copy = record.copy, !plan.isOfPrototype {
            let prototype = try acquire(from: .prototype(of: entry), at: 0, policy, as: node)
            guard case .instance(let prototype, _) = prototype else { return prototype }
            try reporting(plan, as: node) {
                try copy(.passUnretained(plan.creator), request.arguments, prototype.storage, storage)
            }
        } else if record.isSingleton {
            // The last registration of it may go between the claim and here, and takes the closure along.
            guard let make = entry.core.make(of: record) else { return .gone }
            try reporting(plan, as: node) {
                try make(.passUnretained(plan.creator), plan.isOfPrototype ? nil : request.arguments, storage)
            }
        } else {
            try reporting(plan, as: node) {
                try record.factory(in: .passUnretained(plan.creator), given: request.arguments, into: storage)
            }
        }
        return .stored
    }

    /// Runs a user's code as part of this creation, and wraps what it throws, once.
    private func reporting(_ plan: LifetimePlan, as node: WaitNode?, _ body: () throws -> Void) throws(InjectleError) {
        // Copies are made of a prototype for whoever asks, so it is not made of what one of them hands over.
        let arguments = plan.isOfPrototype ? nil : request.arguments
        do {
            try Frame.run(entry: entry, core: plan.creator, node: node, arguments: arguments) {
                try plan.creator.withEvents(of: entry, body)
            }
        } catch {
            throw .creation(entry, threw: error, requestedBy: request)
        }
    }

    // MARK: UncheckedBox out

    func deliver(
        _ made: Instance,
        isFound: Bool,
        _ plan: LifetimePlan,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) {
        let form = try deliver(made, into: storage)
        // What is asked for once, as in one request, is not worth a note to readers; the second time, it is.
        if isFound, plan.publishesToReaders { caller.cache.publish(made, as: form, of: record) }
    }

    /// Initializes `storage` by what was asked for, and returns that.
    private func deliver(
        _ made: Instance,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Instance {
        if !record.isSendable, caller.isStrict, !isHere {
            throw .isolation(request, entry, waited: nil)
        }
        guard let form = made.cast(to: entry.identity.type) else {
            throw .wrongType(record, origin: entry.identity, request)
        }
        if record.isShared {
            entry.core.keep(form, of: made, in: entry)
        }
        form.copy(to: storage)
        return form
    }
}
