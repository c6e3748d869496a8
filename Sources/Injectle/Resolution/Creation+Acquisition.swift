// How an instance is had from those who keep it, and how what was claimed there ends.

extension Creation {
    enum Outcome {
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
        case begun(TaskCreation)
        /// Somebody else makes it, and it can be awaited.
        case awaited(OnceCell.TaskWaiter)
    }

    private enum Claim {
        /// The holder candidates none any more.
        case none
        case use(Instance)
        case make(OnceCell, WaitNode)
        case wait(OnceCell.ThreadWaiter)
        case awaited(OnceCell.TaskWaiter)
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
    func acquire(
        from plan: LifetimePlan,
        at position: Int,
        _ policy: AcquirePolicy,
        as given: WaitNode?
    ) throws(InjectleError) -> Outcome {
        guard let candidate = plan[position] else { return try made(plan, policy, as: given) }
        let current = given ?? (policy == .awaits ? nil : Frame.currentNode)
        // What was found further on while nothing was claimed.
        var found: Instance?
        while true {
            let claims = policy != .takes || found != nil
            var claim = Claim.none
            _ = candidate.cache.withCell(of: record, for: caller, given: candidate.key) { cell in
                switch cell.state.answer {
                case .use(let instance):
                    claim = .use(instance)
                case .make
                where claims && (candidate.ownsInstance || candidate.isWeak && record.isAsynchronous)
                    && !candidate.isGraphScoped
                    && found == nil
                    && (entry.core.isClosing || caller.isClosing):
                    claim = .isClosing
                case .make where claims:
                    // What is there already is not made by a task, so others may wait for who puts it here.
                    let node = current ?? (found == nil ? claimant(plan) : WaitNode())
                    _ = cell.state.ask(as: node)
                    if given == nil, let task = node as? TaskCreation {
                        cell.state.enter(task.makeRequester(in: cell, of: candidate.cache))
                    }
                    claim = .make(cell, node)
                case .make:
                    claim = .idle
                case .wait(for: let creator):
                    switch policy {
                    case .makesUnlessBusy: claim = .busy
                    case .awaits: claim = awaiting(creator, in: cell, of: candidate)
                    case .makes, .takes:
                        claim = creator is TaskCreation ? .inTask : wait(for: creator, as: current, in: cell)
                    }
                }
            }
            switch claim {
            case .none: return .gone
            case .isClosing: throw .ended(request, entry.core.isClosing ? entry.core : caller)
            case .busy: return .busy
            case .inTask: return .toBeMade
            case .awaited(let waiter): return .awaited(waiter)
            case .use(let cached):
                if let instance = cached.revived(as: record.serviceType) {
                    return .instance(instance, isFound: true)
                }
                forget(cached, candidate)
            case .needsItself: throw .cycle(request, entry)
            case .deadlock: throw .deadlock(request, entry)
            case .wait(let waiter):
                if let instance = try outcome(of: waiter) { return .instance(instance, isFound: false) }
            case .idle:
                let further = try acquire(from: plan, at: position + 1, policy, as: given)
                guard case .instance(let instance, _) = further else { return further }
                found = instance
            case .make(let cell, let node):
                return try settle(cell, of: candidate) { () throws(InjectleError) in
                    if let found { return .instance(found, isFound: false) }
                    return try acquire(from: plan, at: position + 1, policy, as: node)
                }
            }
        }
    }

    /// Who claims a cell for whoever asks: a node of its own, or one that makes in a task.
    private func claimant(_ plan: LifetimePlan) -> WaitNode {
        record.isAsynchronous ? TaskCreation(entry, request, caller, plan) : WaitNode()
    }

    /// Ends what was claimed in a cell, by an instance or without one, and tells those who waited; or leaves that to
    /// the task that makes it.
    private func settle(
        _ cell: OnceCell,
        of candidate: LifetimePlan.Candidate,
        _ acquire: () throws(InjectleError) -> Outcome
    ) throws(InjectleError) -> Outcome {
        let outcome: Outcome
        do throws(InjectleError) {
            outcome = try acquire()
        } catch {
            end(cell, of: candidate, by: .failure(error))
            throw error
        }
        switch outcome {
        case .instance(let instance, _): _ = try end(cell, of: candidate, by: .success(instance))?.get()
        case .begun(let creation): creation.claims.append(TaskCreation.Claim(cell: cell, candidate: candidate))
        default: end(cell, of: candidate, by: nil)
        }
        return outcome
    }

    /// Ends what was claimed in a cell by an instance, by an error, or by giving it up, and tells those who waited.
    /// Returns what they were told.
    @discardableResult
    func end(_ cell: OnceCell, of candidate: LifetimePlan.Candidate, by outcome: Result<Instance, InjectleError>?)
        -> OnceCell.Outcome?
    {
        var outcome = outcome
        var ended: OnceCell.Ended?
        if case .success(let instance)? = outcome {
            do throws(InjectleError) {
                ended = try keepMade(instance, in: cell, of: candidate)
            } catch {
                outcome = .failure(error)
            }
        }
        let told = ended ?? candidate.cache.fail(cell)
        for waiter in told.waiters { waiter.finish(with: outcome) }
        for waiter in told.others { waiter.finish(with: nil) }
        return outcome
    }

    /// Ends what was claimed in a cell by an instance. Nil if that cannot be kept any more, since another who kept it
    /// has let go of it.
    private func keepMade(_ instance: Instance, in cell: OnceCell, of candidate: LifetimePlan.Candidate)
        throws(InjectleError) -> OnceCell.Ended?
    {
        if record.hasDisposers { Disposal.prepare(instance, madeOf: record, in: entry.core) }
        let cached = try cached(instance, by: candidate)
        guard record.hasDisposers, candidate.ownsInstance else { return candidate.cache.succeed(cell, with: cached) }
        guard Disposal.keep(instance, madeOf: record, in: entry.core) else { return nil }
        let ended = candidate.cache.succeed(cell, with: cached)
        if !ended.isKept {
            // It was to be dropped while it was made.
            var retired = RetireList()
            retired.add(cached: instance)
            retired.dispose()
        }
        return ended
    }

    /// What is kept of an instance: the service as what a property has it as, or no more than a note of it.
    private func cached(_ instance: Instance, by candidate: LifetimePlan.Candidate) throws(InjectleError) -> Instance {
        if candidate.isWeak {
            guard let note = instance.weakened else { throw .notAnObject(request, entry) }
            return note
        }
        guard candidate.cache is InjectionPoint else { return instance }
        guard let form = instance.cast(to: entry.identity.type) else {
            throw .wrongType(record, origin: entry.identity, request)
        }
        return form
    }

    /// Takes out the note of an object that has gone.
    private func forget(_ note: Instance, _ candidate: LifetimePlan.Candidate) {
        // Released after the lock.
        var removed: Instance?
        _ = candidate.cache.withCell(of: record, for: caller, given: candidate.key) { cell in
            if cell.state.product === note { removed = cell.state.discard() }
        }
        withExtendedLifetime(removed) {}
    }

    /// Enters a task's wait for `maker`, under the cell's lock, if that can end.
    private func awaiting(_ creator: WaitNode, in cell: OnceCell, of candidate: LifetimePlan.Candidate) -> Claim {
        let current = TaskFrame.currentNode ?? CloseOperation.currentNode
        if current === creator { return .needsItself }
        if let current, !current.begin(waitingFor: creator) { return .deadlock }
        let waiter = OnceCell.TaskWaiter(node: current, creator: creator) { candidate.cache.leave(cell, $0) }
        cell.state.enter(waiter)
        creator.isWaitedFor()
        return .awaited(waiter)
    }

    /// Enters a thread's wait for `maker`, under the cell's lock, if that can end.
    ///
    /// - Parameter current: What this thread itself is creation. Who makes nothing can wait for anyone.
    private func wait(for creator: WaitNode, as current: WaitNode?, in cell: OnceCell) -> Claim {
        if current === creator { return .needsItself }
        if let current, !current.begin(waitingFor: creator) { return .deadlock }
        let waiter = OnceCell.ThreadWaiter(node: current, creator: creator)
        cell.state.enter(waiter)
        return .wait(waiter)
    }

    /// What a maker fails by because of what it is, or when it was: by being cancelled, on the wrong actor, at the end
    /// of its stack, or before something was there that it could not await. Whoever waited may do better.
    static let notShared = [
        InjectleError.cancelled, InjectleError.wrongIsolation, InjectleError.tooDeep, InjectleError.requiresAsync,
    ]

    /// What became of a creation that was waited for. Nil if it is to be asked for again.
    private func outcome(of waiter: OnceCell.ThreadWaiter) throws(InjectleError) -> Instance? {
        MainActorBridge.wait(for: waiter)
        switch waiter.outcome {
        case .success(let instance): return instance
        case .failure(let error) where !Creation.notShared.contains(error.code): throw error
        case .failure, nil: return nil
        }
    }
}
