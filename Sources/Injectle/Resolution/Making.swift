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

    private var record: Record { slot.record }

    /// Initializes `storage` by a value of the slot's type. False if the registration went meanwhile.
    func provide(into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        if record.isSendable || !asking.isStrict, slot.copyService(to: storage) { return true }
        if property == nil, let object = slot.heldByOthers {
            _ = try handOut(object, into: storage)
            return true
        }
        let plan = try Plan(for: slot, request, asking: asking, property)
        switch try attempt(plan, isHere ? .makes : .takes, as: nil, into: storage) {
        case .done: return true
        case .gone: return try hasGone(plan)
        case .busy, .toBeMade: return try provideFromElsewhere(plan, into: storage)
        }
    }

    /// Says that the registration went, so that it is looked for again; but where the locator has gone, so has all that
    /// it keeps.
    private func hasGone(_ plan: Plan) throws(InjectleError) -> Bool {
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
    private enum Mode {
        /// Make it, or wait for who makes it.
        case makes
        /// Make it, unless somebody else does.
        case makesUnlessBusy
        /// Take it if it is there, or wait for who makes it.
        case takes
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
            let hasRun = MainActorDesk.run(before: Deadline(after: limit), as: strand) {
                [slot, request, asking, property] in
                let making = Making(slot: slot, request: request, asking: asking, property: property)
                do throws(InjectleError) {
                    outcome = .success(try making.attempt(plan, .makesUnlessBusy, as: strand, into: storage))
                } catch {
                    outcome = .failure(error)
                }
            }
            guard hasRun, let outcome else { throw .isolation(request, slot, waited: limit) }
            var progress = try outcome.get()
            if progress == .busy { progress = try attempt(plan, .takes, as: nil, into: storage) }
            switch progress {
            case .done: return true
            case .gone: return try hasGone(plan)
            case .busy, .toBeMade: continue
            }
        }
    }

    // MARK: Whether it can be made

    /// - Parameter strand: Who makes, if that is not to be seen from this thread's path.
    private func attempt(
        _ plan: Plan,
        _ mode: Mode,
        as strand: Strand?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Progress {
        // Of what a keeper keeps, another one's may be needed: which is the same shows where it waits for itself.
        let needsItself = !plan.isOfKeeper && Frame.isMaking(record, in: plan.maker, given: request.arguments)
        let mode = needsItself || Frame.isTooDeep ? .takes : mode
        let obtained: Obtained
        if plan[0] == nil, mode != .takes {
            // Nobody keeps it, so it is made where it is wanted.
            obtained = try makeOne(plan, mode, as: strand, into: storage)
        } else {
            obtained = try obtain(from: plan, at: 0, mode, as: strand)
        }
        switch obtained {
        case .instance(let made, let isFound):
            let form = try handOut(made, into: storage)
            // What is asked for once, as in one request, is not worth a note to readers; the second time, it is.
            if isFound, plan.isForReaders { asking.store.publish(made, as: form, of: record) }
        case .stored: break
        case .gone: return .gone
        case .busy: return .busy
        case .toBeMade where needsItself: throw .cycle(request, slot)
        case .toBeMade where Frame.isTooDeep: throw .tooDeep(request, slot)
        case .toBeMade: return .toBeMade
        }
        return .done
    }

    // MARK: Kept

    private enum Obtained {
        /// It is there, and perhaps was before.
        case instance(Instance, isFound: Bool)
        /// It is where it is wanted.
        case stored
        /// The registration went meanwhile.
        case gone
        /// Somebody else makes it.
        case busy
        /// Nobody has it, and it is not to be made here.
        case toBeMade
    }

    private enum Step {
        /// The holder keeps none any more.
        case none
        case use(Instance)
        case make(Cell, Strand)
        case wait(Cell.Waiter)
        case needsItself
        case deadlock
        case busy
        /// Nobody makes it, and it is not to be claimed.
        case idle
    }

    /// The instance that one who is to keep it has, or gets from those who come after; the last of them gets it made.
    private func obtain(
        from plan: Plan,
        at position: Int,
        _ mode: Mode,
        as given: Strand?
    ) throws(InjectleError) -> Obtained {
        guard let keep = plan[position] else { return try made(plan, mode, as: given) }
        let current = given ?? Frame.currentStrand
        // What was found further on while nothing was claimed.
        var found: Instance?
        while true {
            let claims = mode != .takes || found != nil
            var step = Step.none
            _ = keep.holder.withCell(of: record, for: asking, given: keep.key) { cell in
                switch cell.state.answer {
                case .use(let instance):
                    step = .use(instance)
                case .make where claims:
                    let strand = current ?? Strand()
                    _ = cell.state.ask(as: strand)
                    step = .make(cell, strand)
                case .make:
                    step = .idle
                case .wait(for: let maker):
                    step = mode == .makesUnlessBusy ? .busy : wait(for: maker, as: current, in: cell)
                }
            }
            switch step {
            case .none: return .gone
            case .busy: return .busy
            case .use(let kept):
                if let instance = kept.revived(as: record.serviceType) {
                    return .instance(instance, isFound: true)
                }
                forget(kept, keep)
            case .needsItself: throw .cycle(request, slot)
            case .deadlock: throw .deadlock(request, slot)
            case .wait(let waiter):
                if let instance = try outcome(of: waiter) { return .instance(instance, isFound: false) }
            case .idle:
                let further = try obtain(from: plan, at: position + 1, mode, as: given)
                guard case .instance(let instance, _) = further else { return further }
                found = instance
            case .make(let cell, let strand):
                return try settle(cell, of: keep) { () throws(InjectleError) in
                    if let found { return .instance(found, isFound: false) }
                    return try obtain(from: plan, at: position + 1, mode, as: strand)
                }
            }
        }
    }

    /// Ends what was claimed in a cell, by an instance or without one, and tells those who waited.
    private func settle(
        _ cell: Cell,
        of keep: Plan.Keep,
        _ obtain: () throws(InjectleError) -> Obtained
    ) throws(InjectleError) -> Obtained {
        do throws(InjectleError) {
            let obtained = try obtain()
            guard case .instance(let instance, _) = obtained else {
                let (waiters, others) = keep.holder.fail(cell)
                for waiter in waiters + others { waiter.finish(with: nil) }
                return obtained
            }
            let kept = try kept(instance, by: keep)
            let (waiters, others) = keep.holder.succeed(cell, with: kept)
            for waiter in waiters { waiter.finish(with: .success(instance)) }
            for waiter in others { waiter.finish(with: nil) }
            return obtained
        } catch {
            let (waiters, others) = keep.holder.fail(cell)
            for waiter in waiters { waiter.finish(with: .failure(error)) }
            for waiter in others { waiter.finish(with: nil) }
            throw error
        }
    }

    /// What is kept of an instance: the service as what a property has it as, or no more than a note of it.
    private func kept(_ instance: Instance, by keep: Plan.Keep) throws(InjectleError) -> Instance {
        if keep.isWeak {
            guard let note = instance.weakened else { throw .notAnObject(request, slot) }
            return note
        }
        guard keep.holder is Property else { return instance }
        guard let form = instance.cast(to: slot.identity.type) else {
            throw .wrongType(record, asked: slot.identity, request)
        }
        return form
    }

    /// Takes out the note of an object that has gone.
    private func forget(_ note: Instance, _ keep: Plan.Keep) {
        // Released after the lock.
        var removed: Instance?
        _ = keep.holder.withCell(of: record, for: asking, given: keep.key) { cell in
            if cell.state.product === note { removed = cell.state.discard() }
        }
        withExtendedLifetime(removed) {}
    }

    /// Enters a wait for `maker`, under the cell's lock, if that can end.
    ///
    /// - Parameter current: What this thread itself is making. Who makes nothing can wait for anyone.
    private func wait(for maker: Strand, as current: Strand?, in cell: Cell) -> Step {
        if current === maker { return .needsItself }
        if let current, !current.begin(waitingFor: maker) { return .deadlock }
        let waiter = Cell.Waiter(strand: current, maker: maker)
        cell.state.enter(waiter)
        return .wait(waiter)
    }

    private static let makersOwn = [InjectleError.cancelled, InjectleError.wrongIsolation, InjectleError.tooDeep]

    /// What became of a making that was waited for. Nil if it is to be asked for again: where the maker failed by what
    /// it is, as by being cancelled, on the wrong actor or at the end of its stack, whoever waited may do better.
    private func outcome(of waiter: Cell.Waiter) throws(InjectleError) -> Instance? {
        MainActorDesk.wait(for: waiter)
        switch waiter.outcome {
        case .success(let instance): return instance
        case .failure(let error) where !Making.makersOwn.contains(error.code): throw error
        case .failure, nil: return nil
        }
    }

    // MARK: Made

    /// A new one, or a factory's copy of its prototype.
    private func made(_ plan: Plan, _ mode: Mode, as strand: Strand?) throws(InjectleError) -> Obtained {
        guard mode != .takes else { return .toBeMade }
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
            try Frame.run(slot: slot, core: plan.maker, strand: strand, arguments: arguments, body)
        } catch {
            throw .making(slot, threw: error, askedBy: request)
        }
    }

    // MARK: Handed out

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
