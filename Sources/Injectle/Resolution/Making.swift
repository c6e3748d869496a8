/// One request that has found its slot, on its way to an instance.
///
/// Whatever the lifetime, this is the way: it says who keeps the instance (`Plan`), these are asked in turn, and only
/// if none has one is it made, once, while whoever else asks them waits.
struct Making: ~Copyable {
    let slot: Slot
    let request: Request
    /// The locator that was asked, perhaps a child of the one that has the registration.
    let asking: Core
    var property: Property?

    var record: Record { slot.record }

    /// Initializes `storage` by a value of the slot's type. False if the registration went meanwhile.
    func provide(into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        guard asking.isWatched else { return try provideUntold(into: storage) }
        let began = ContinuousClock.now
        guard try provideUntold(into: storage) else { return false }
        asking.tell(.didResolve, of: record, as: slot.identity, since: began, isAsynchronous: false)
        return true
    }

    private func provideUntold(into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        if record.isSendable || !asking.isStrict, slot.copyService(to: storage) { return true }
        if property == nil, let object = slot.heldByOthers {
            _ = try handOut(object, into: storage)
            return true
        }
        let plan = try Plan(for: slot, request, asking: asking, property)
        let mode = isHere && !record.isAsynchronous ? Mode.makes : .takes
        switch try attempt(plan, mode, as: nil, into: storage) {
        case .done: return true
        case .gone: return try hasGone(plan)
        case .busy, .toBeMade:
            if record.isAsynchronous { throw .asynchronous(request, slot, asking) }
            return try provideFromElsewhere(plan, into: storage)
        }
    }

    /// Says that the registration went, so that it is looked for again; but where the locator has gone, so has all that
    /// it keeps.
    func hasGone(_ plan: Plan) throws(InjectleError) -> Bool {
        for core in [asking, plan.maker] where core.hasEnded { throw .ended(request, core) }
        return false
    }

    // MARK: Where it is made

    /// Whether this is where the closure runs. One that is called on an actor, and does not capture it, does not know
    /// that it runs there; the making that it belongs to does.
    private var isHere: Bool {
        record.place.isHere(request.isolation) || request.isolation == nil && Frame.isRunning(at: record.place)
    }

    /// What may be done to come by an instance.
    enum Mode {
        /// Make it, or wait for who makes it.
        case makes
        /// Make it, unless somebody else does.
        case makesUnlessBusy
        /// Take it if it is there, or wait for who makes it.
        case takes
        /// Make it, or say which making is to be begun or awaited.
        case awaits
    }

    private enum Progress { case done, gone, busy, toBeMade }

    /// Lets the main actor make it. Only the making is done there: who waits for one in progress waits here, so that
    /// the main actor is never kept from what it was doing by what it was doing.
    private func provideFromElsewhere(
        _ plan: Plan,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        guard case .mainActor = record.place, let limit = asking.isolation.limit else {
            throw .isolation(request, slot, waited: nil)
        }
        let strand = Frame.currentStrand ?? Strand()
        while true {
            // Sound to share: the job runs while this thread waits for it, and what it captures outlives it.
            nonisolated(unsafe) var outcome: Result<Progress, InjectleError>?
            let began = asking.isWatched ? ContinuousClock.now : nil
            let hasRun = MainActorDesk.run(before: Deadline(after: limit), as: strand) {
                [slot, request, asking, property] in
                let making = Making(slot: slot, request: request, asking: asking, property: property)
                do throws(InjectleError) {
                    outcome = .success(try making.attempt(plan, .makesUnlessBusy, as: strand, into: storage))
                } catch {
                    outcome = .failure(error)
                }
            }
            let failure = hasRun ? nil : InjectleError.isolation(request, slot, waited: limit)
            if let began { tellOfWait(since: began, failure) }
            guard let outcome else { throw failure ?? .isolation(request, slot, waited: limit) }
            var progress = try outcome.get()
            if progress == .busy { progress = try attempt(plan, .takes, as: nil, into: storage) }
            switch progress {
            case .done: return true
            case .gone: return try hasGone(plan)
            case .busy, .toBeMade: continue
            }
        }
    }

    private func tellOfWait(since began: ContinuousClock.Instant, _ failure: InjectleError?) {
        let identity = slot.identity
        asking.tell(.didWait, of: record, as: identity, since: began, failure: failure, isAsynchronous: false)
    }

    // MARK: Whether it can be made

    /// - Parameter strand: Who makes, if that is not to be seen from this thread's path.
    private func attempt(
        _ plan: Plan,
        _ mode: Mode,
        as strand: Strand?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Progress {
        switch try obtain(plan, mode, as: strand, into: storage) {
        case .instance(let made, let isFound): try handOut(made, isFound: isFound, plan, into: storage)
        case .stored: break
        case .gone: return .gone
        case .busy, .begun, .awaited: return .busy
        case .toBeMade: return .toBeMade
        }
        return .done
    }

    /// - Parameter storage: Where one may be made that nobody keeps.
    func obtain(
        _ plan: Plan,
        _ mode: Mode,
        as strand: Strand?,
        into storage: UnsafeMutableRawPointer?
    ) throws(InjectleError) -> Obtained {
        // Of what a keeper keeps, another one's may be needed: which is the same shows where it waits for itself.
        let needsItself = !plan.isOfKeeper && Frame.isMaking(record, in: plan.maker, given: request.arguments)
        let mode = needsItself || Frame.isTooDeep ? .takes : mode
        let obtained: Obtained
        if let storage, plan[0] == nil, mode != .takes {
            // Nobody keeps it, so it is made where it is wanted.
            obtained = try makeOne(plan, mode, as: strand, into: storage)
        } else {
            obtained = try obtain(from: plan, at: 0, mode, as: strand)
        }
        guard case .toBeMade = obtained else { return obtained }
        if needsItself { throw .cycle(request, slot) }
        if Frame.isTooDeep { throw .tooDeep(request, slot) }
        return .toBeMade
    }

    // MARK: Made

    /// A new one, or a factory's copy of its prototype.
    func made(_ plan: Plan, _ mode: Mode, as strand: Strand?) throws(InjectleError) -> Obtained {
        guard mode != .takes else { return .toBeMade }
        // Whoever claimed it did so as the one who makes it in a task.
        if record.isAsynchronous { return (strand as? TaskMaking).map { .begun($0) } ?? .toBeMade }
        var obtained = Obtained.stored
        let instance = try Instance(orNone: record.serviceType) { storage throws(InjectleError) in
            obtained = try makeOneAsItself(plan, mode, as: strand, into: storage)
            if case .stored = obtained { return true } else { return false }
        }
        return instance.map { .instance($0, isFound: false) } ?? obtained
    }

    /// One as a value of the type that it was asked for as.
    private func makeOne(
        _ plan: Plan,
        _ mode: Mode,
        as strand: Strand?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Obtained {
        if record.serviceType == slot.identity.type {
            return try makeOneAsItself(plan, mode, as: strand, into: storage)
        }
        return try made(plan, mode, as: strand)
    }

    private func makeOneAsItself(
        _ plan: Plan,
        _ mode: Mode,
        as strand: Strand?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Obtained {
        if let copy = record.copy, !plan.isOfPrototype {
            let prototype = try obtain(from: .prototype(of: slot), at: 0, mode, as: strand)
            guard case .instance(let prototype, _) = prototype else { return prototype }
            try reporting(plan, as: strand) {
                try copy(.passUnretained(plan.maker), request.arguments, prototype.storage, storage)
            }
        } else if record.kind.isKept {
            // The last registration of it may go between the claim and here, and takes the closure along.
            guard let make = slot.core.make(of: record) else { return .gone }
            try reporting(plan, as: strand) {
                try make(.passUnretained(plan.maker), plan.isOfPrototype ? nil : request.arguments, storage)
            }
        } else {
            try reporting(plan, as: strand) {
                try record.makeAnew(in: .passUnretained(plan.maker), given: request.arguments, into: storage)
            }
        }
        return .stored
    }

    /// Runs a user's code as part of this making, and wraps what it throws, once.
    private func reporting(_ plan: Plan, as strand: Strand?, _ body: () throws -> Void) throws(InjectleError) {
        // Copies are made of a prototype for whoever asks, so it is not made of what one of them hands over.
        let arguments = plan.isOfPrototype ? nil : request.arguments
        do {
            try Frame.run(slot: slot, core: plan.maker, strand: strand, arguments: arguments) {
                try plan.maker.telling(of: slot, body)
            }
        } catch {
            throw .making(slot, threw: error, askedBy: request)
        }
    }

    // MARK: Handed out

    func handOut(
        _ made: Instance,
        isFound: Bool,
        _ plan: Plan,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) {
        let form = try handOut(made, into: storage)
        // What is asked for once, as in one request, is not worth a note to readers; the second time, it is.
        if isFound, plan.isForReaders { asking.store.publish(made, as: form, of: record) }
    }

    /// Initializes `storage` by what was asked for, and returns that.
    private func handOut(
        _ made: Instance,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Instance {
        if !record.isSendable, asking.isStrict, !isHere {
            throw .isolation(request, slot, waited: nil)
        }
        guard let form = made.cast(to: slot.identity.type) else {
            throw .wrongType(record, asked: slot.identity, request)
        }
        if record.kind.isShared {
            slot.core.keep(form, of: made, in: slot)
        }
        form.copy(to: storage)
        return form
    }
}
