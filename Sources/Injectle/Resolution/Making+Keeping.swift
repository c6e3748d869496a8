// How an instance is had from those who keep it, and how what was claimed there ends.

extension Making {
    enum Obtained {
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
        /// It is claimed, and to be made in a task that has not begun yet.
        case begun(TaskMaking)
        /// Somebody else makes it, and it can be awaited.
        case awaited(Cell.TaskWaiter)
    }

    private enum Step {
        /// The holder keeps none any more.
        case none
        case use(Instance)
        case make(Cell, Strand)
        case wait(Cell.ThreadWaiter)
        case awaited(Cell.TaskWaiter)
        case needsItself
        case deadlock
        /// Nobody has it, and nothing new is made.
        case isClosing
        case busy
        /// Nobody makes it, and it is not to be claimed.
        case idle
        /// It is made in a task, which no thread is to wait for.
        case inTask
    }

    /// The instance that one who is to keep it has, or gets from those who come after; the last of them gets it made.
    func obtain(
        from plan: Plan,
        at position: Int,
        _ mode: Mode,
        as given: Strand?
    ) throws(InjectleError) -> Obtained {
        guard let keep = plan[position] else { return try made(plan, mode, as: given) }
        let current = given ?? (mode == .awaits ? nil : Frame.currentStrand)
        // What was found further on while nothing was claimed.
        var found: Instance?
        while true {
            let claims = mode != .takes || found != nil
            var step = Step.none
            _ = keep.holder.withCell(of: record, for: asking, given: keep.key) { cell in
                switch cell.state.answer {
                case .use(let instance):
                    step = .use(instance)
                case .make
                where claims && (keep.isOwner || keep.isWeak && record.isAsynchronous) && !keep.isOfResolve
                    && found == nil
                    && (slot.core.isClosing || asking.isClosing):
                    step = .isClosing
                case .make where claims:
                    // What is there already is not made by a task, so others may wait for who puts it here.
                    let strand = current ?? (found == nil ? claimant(plan) : Strand())
                    _ = cell.state.ask(as: strand)
                    if given == nil, let task = strand as? TaskMaking {
                        cell.state.enter(task.makeRequester(in: cell, of: keep.holder))
                    }
                    step = .make(cell, strand)
                case .make:
                    step = .idle
                case .wait(for: let maker):
                    switch mode {
                    case .makesUnlessBusy: step = .busy
                    case .awaits: step = awaiting(maker, in: cell, of: keep)
                    case .makes, .takes:
                        step = maker is TaskMaking ? .inTask : wait(for: maker, as: current, in: cell)
                    }
                }
            }
            switch step {
            case .none: return .gone
            case .isClosing: throw .ended(request, slot.core.isClosing ? slot.core : asking)
            case .busy: return .busy
            case .inTask: return .toBeMade
            case .awaited(let waiter): return .awaited(waiter)
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

    /// Who claims a cell for whoever asks: a strand of its own, or one that makes in a task.
    private func claimant(_ plan: Plan) -> Strand {
        record.isAsynchronous ? TaskMaking(slot, request, asking, plan) : Strand()
    }

    /// Ends what was claimed in a cell, by an instance or without one, and tells those who waited; or leaves that to
    /// the task that makes it.
    private func settle(
        _ cell: Cell,
        of keep: Plan.Keep,
        _ obtain: () throws(InjectleError) -> Obtained
    ) throws(InjectleError) -> Obtained {
        let obtained: Obtained
        do throws(InjectleError) {
            obtained = try obtain()
        } catch {
            end(cell, of: keep, by: .failure(error))
            throw error
        }
        switch obtained {
        case .instance(let instance, _): _ = try end(cell, of: keep, by: .success(instance))?.get()
        case .begun(let making): making.claims.append(TaskMaking.Claim(cell: cell, keep: keep))
        default: end(cell, of: keep, by: nil)
        }
        return obtained
    }

    /// Ends what was claimed in a cell by an instance, by an error, or by giving it up, and tells those who waited.
    /// Returns what they were told.
    @discardableResult
    func end(_ cell: Cell, of keep: Plan.Keep, by outcome: Result<Instance, InjectleError>?) -> Cell.Outcome? {
        var outcome = outcome
        var ended: Cell.Ended?
        if case .success(let instance)? = outcome {
            do throws(InjectleError) {
                ended = try keepMade(instance, in: cell, of: keep)
            } catch {
                outcome = .failure(error)
            }
        }
        let told = ended ?? keep.holder.fail(cell)
        for waiter in told.waiters { waiter.finish(with: outcome) }
        for waiter in told.others { waiter.finish(with: nil) }
        return outcome
    }

    /// Ends what was claimed in a cell by an instance. Nil if that cannot be kept any more, since another who kept it
    /// has let go of it.
    private func keepMade(_ instance: Instance, in cell: Cell, of keep: Plan.Keep) throws(InjectleError) -> Cell.Ended?
    {
        if record.isDisposed { Disposal.prepare(instance, madeOf: record, in: slot.core) }
        let kept = try kept(instance, by: keep)
        guard record.isDisposed, keep.isOwner else { return keep.holder.succeed(cell, with: kept) }
        guard Disposal.keep(instance, madeOf: record, in: slot.core) else { return nil }
        let ended = keep.holder.succeed(cell, with: kept)
        if !ended.isKept {
            // It was to be dropped while it was made.
            var garbage = Garbage()
            garbage.add(kept: instance)
            garbage.dispose()
        }
        return ended
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

    /// Enters a task's wait for `maker`, under the cell's lock, if that can end.
    private func awaiting(_ maker: Strand, in cell: Cell, of keep: Plan.Keep) -> Step {
        let current = TaskFrame.currentStrand ?? Closing.currentStrand
        if current === maker { return .needsItself }
        if let current, !current.begin(waitingFor: maker) { return .deadlock }
        let waiter = Cell.TaskWaiter(for: cell, of: keep.holder, strand: current, maker: maker)
        cell.state.enter(waiter)
        maker.isWaitedFor()
        return .awaited(waiter)
    }

    /// Enters a thread's wait for `maker`, under the cell's lock, if that can end.
    ///
    /// - Parameter current: What this thread itself is making. Who makes nothing can wait for anyone.
    private func wait(for maker: Strand, as current: Strand?, in cell: Cell) -> Step {
        if current === maker { return .needsItself }
        if let current, !current.begin(waitingFor: maker) { return .deadlock }
        let waiter = Cell.ThreadWaiter(strand: current, maker: maker)
        cell.state.enter(waiter)
        return .wait(waiter)
    }

    /// What a maker fails by because of what it is, or when it was: by being cancelled, on the wrong actor, at the end
    /// of its stack, or before something was there that it could not await. Whoever waited may do better.
    static let makersOwn = [
        InjectleError.cancelled, InjectleError.wrongIsolation, InjectleError.tooDeep, InjectleError.asynchronous,
    ]

    /// What became of a making that was waited for. Nil if it is to be asked for again.
    private func outcome(of waiter: Cell.ThreadWaiter) throws(InjectleError) -> Instance? {
        MainActorDesk.wait(for: waiter)
        switch waiter.outcome {
        case .success(let instance): return instance
        case .failure(let error) where !Making.makersOwn.contains(error.code): throw error
        case .failure, nil: return nil
        }
    }
}
