// How a creation acquires its instance: from a cell, or by creating it.

extension Creation {
    /// - Parameter node: The node that creates, if the thread's frames do not tell.
    func acquire(_ policy: Policy, as node: WaitNode? = nil) throws(InjectleError) -> Outcome {
        // An instance of another scope is no cycle: the cell tells whether the scope is the same.
        if let given = record.given { return .instance(given) }
        let outer = usesScope ? nil : inProgress
        if let early = outer?.early, !traits.lifetime.isTransient, !record.copiesPrototype { return .instance(early) }
        let isCycle = outer != nil
        let isRefused = isCycle || Frame.isTooDeep
        let outcome = try acquire(at: 0, isRefused ? .useExisting : policy, as: node)
        switch outcome {
        case .missing, .busy: try checkDepth(of: outer)
        default: break
        }
        return outcome
    }

    /// A creation of this service on the way to here.
    var inProgress: Frame.Link? { Frame.creation(of: record, in: creator, given: request.arguments) }

    /// - Parameter outer: The creation of the same service on the way to here.
    func checkDepth(of outer: Frame.Link?) throws(InjectleError) {
        if let outer { throw .circularDependency(request, entry, from: outer.depth) }
        if Frame.isTooDeep { throw .tooDeep(request, entry) }
    }

    /// The instance from the cell at a position, from a later one, or, after the last, a new one.
    private func acquire(at index: Int, _ policy: Policy, as given: WaitNode?) throws(InjectleError) -> Outcome {
        guard index < candidates.count else { return try create(policy, as: given) }
        let candidate = candidates[index]
        let node = given ?? (policy == .await ? nil : Frame.currentNode)
        // From a later cell, found without a claim here.
        var found: AnyInstance?
        while true {
            // A locator that ends gets no more instances, which it would have to dispose of.
            if let found, entry.core.isEnding || caller.isEnding { return .instance(found) }
            guard let cell = candidate.holder.cell(of: record, for: candidate.key) else {
                // The record or the store has ended.
                return found.map { .instance($0) } ?? .removed
            }
            switch try step(cell, of: candidate, policy, as: node, given: given, hasFound: found != nil) {
            case .instance(let instance):
                if let instance = instance.revived(by: record) { return .instance(instance) }
                candidate.holder.remove(cell)
            case .removed: candidate.holder.remove(cell)
            case .busy: return .busy
            case .begun(let task): return .begun(task)
            case .waiting(let waiter):
                guard waiter.gate != nil else { return .waiting(waiter) }
                MainActorBridge.wait(for: waiter)
                if let instance = try result(of: waiter) { return .instance(instance) }
            case .missing:
                // With another policy, a locator that ends refuses the cell.
                let later = try acquire(at: index + 1, .useExisting, as: given)
                guard case .instance(let instance) = later else {
                    if policy == .useExisting { return later }
                    throw .ended(request, entry.core.isEnding ? entry.core : caller)
                }
                found = instance
            case .claimed(let node):
                let outcome = try settle(cell, of: candidate, as: node) { () throws(InjectleError) in
                    if let found { return .instance(found) }
                    return try acquire(at: index + 1, policy, as: node)
                }
                if let outcome { return outcome }
                found = nil
            }
        }
    }

    /// Uses or claims a cell. The outcome is `removed` if the cell has ended, and `missing` if later cells have to be searched.
    private func step(
        _ cell: Cell,
        of candidate: Candidate,
        _ policy: Policy,
        as node: WaitNode?,
        given: WaitNode?,
        hasFound: Bool
    ) throws(InjectleError) -> Outcome {
        try cell.state.withLock { state throws(InjectleError) in
            switch state.phase {
            case .filled(let instance): return .instance(instance)
            case .ended: return .removed
            case .empty where !hasFound && (policy == .useExisting || refuses(candidate)): return .missing
            case .empty:
                // No task creates an instance that exists, so threads may wait for the node that adds it to the cell.
                let node = node ?? WaitNode(!hasFound && traits.isAsync ? TaskCreation(self) : nil)
                state.claim(as: node)
                if given == nil, let task = node.task { state.enter(task.makeRequester(for: node, in: cell)) }
                return .claimed(node)
            case .creation(let creator, _):
                let waiter = try waiter(for: creator, in: cell, policy, as: node)
                guard let waiter else { return .busy }
                state.enter(waiter)
                return .waiting(waiter)
            }
        }
    }

    /// Whether an empty cell may not be claimed, since a locator that would have to dispose of the instance ends. The cell's
    /// lock is held.
    private func refuses(_ candidate: Candidate) -> Bool {
        !candidate.isGraph && (entry.core.isEnding || caller.isEnding)
            && (candidate.ownsInstance || candidate.key.isWeak && traits.isAsync)
    }

    /// Enters a wait for another creation, unless the wait would never end. Nil if the policy does not allow it. The cell's
    /// lock is held.
    private func waiter(for creator: WaitNode, in cell: Cell, _ policy: Policy, as node: WaitNode?)
        throws(InjectleError) -> Waiter?
    {
        let isTask = policy == .await
        if policy == .createUnlessBusy || !isTask && creator.task != nil { return nil }
        let node = isTask ? TaskCreation.waitingNode : node
        if node === creator || isTask && TaskFrame.isWithin(creator) {
            throw .circularDependency(request, entry, from: inProgress?.depth)
        }
        if let node, !node.begin(waitingFor: creator) { throw .deadlock(request, entry) }
        if isTask { creator.task?.isWaitedFor() }
        return Waiter(for: creator, in: cell, node: node, isTask: isTask)
    }

    /// The instance that a wait has ended with. Nil if the caller has to try again.
    ///
    /// - Parameter isOwn: Whether the waiter requested the creation that failed.
    func result(of waiter: Waiter, isOwn: Bool = false) throws(InjectleError) -> AnyInstance? {
        switch waiter.outcome {
        case .success(let instance): return instance
        case .failure(let error) where isOwn || !error.concernsOneCreation: throw error
        // This thread would wait for the main actor again, after the threads before it.
        case .failure(let error) where error.isTimeout && waiter.gate != nil && !MainActorBridge.isMainThread:
            throw error
        case .failure, nil: return nil
        }
    }

    // MARK: Creating

    /// The instance that a decorator is to wrap, if it exists.
    var undecorated: AnyInstance? {
        guard record.decorated != nil, let candidate = candidates.first else { return nil }
        return candidate.holder.presentCell(of: record)?.state.withLock { $0.undecorated }
    }

    /// Creates an instance, or a copy of the prototype.
    private func create(_ policy: Policy, as node: WaitNode?) throws(InjectleError) -> Outcome {
        guard policy != .useExisting else { return .missing }
        // A task creation claimed the cells.
        if traits.isAsync { return node?.task.map { .begun($0) } ?? .missing }
        guard record.copiesPrototype, !isPrototype else {
            let arguments = isPrototype ? nil : request.arguments
            let undecorated = undecorated
            return .instance(try run(as: node, arguments) { try record.create(in: creator, arguments, undecorated) })
        }
        let outcome = try ofPrototype.acquire(at: 0, policy, as: node)
        guard case .instance(let prototype) = outcome else { return outcome }
        let arguments = request.arguments
        return .instance(try run(as: node, arguments) { try record.copy(prototype, in: creator, arguments) })
    }

    /// Runs user code as part of this creation, and wraps the error that it throws.
    private func run(as node: WaitNode?, _ arguments: Arguments?, _ body: () throws -> AnyInstance)
        throws(InjectleError) -> AnyInstance
    {
        do {
            return try Frame.run((entry, record, creator, arguments, request.origin), node: node) {
                let start = creator.willCreate(record, entry)
                do {
                    let instance = try body()
                    creator.didCreate(record, entry, since: start)
                    return instance
                } catch {
                    creator.didCreate(record, entry, since: start, failure: error)
                    throw error
                }
            }
        } catch {
            throw .creation(entry, record, threw: error, requestedBy: request)
        }
    }

    // MARK: Settling

    /// Ends the claim of a cell with an instance or without one, and wakes the waiters; a task creation that has not begun
    /// ends it later. Returns nil if the instance was disposed of meanwhile.
    private func settle(
        _ cell: Cell,
        of candidate: Candidate,
        as node: WaitNode,
        _ acquire: () throws(InjectleError) -> Outcome
    ) throws(InjectleError) -> Outcome? {
        var begins = false
        defer { if !begins { node.task?.abandon() } }
        let outcome: Outcome
        do throws(InjectleError) {
            outcome = try acquire()
        } catch {
            cell.fail(with: error)
            throw error
        }
        switch outcome {
        case .instance(let instance): if try !keep(instance, in: cell, of: candidate) { return nil }
        case .begun(let task):
            begins = true
            task.add(cell, of: candidate)
        default: cell.fail(with: nil)
        }
        return outcome
    }

    /// Adds an instance to a claimed cell, and wakes the waiters. Returns false if another cell has disposed of it meanwhile.
    @discardableResult
    func keep(_ instance: AnyInstance, in cell: Cell, of candidate: Candidate) throws(InjectleError) -> Bool {
        var kept = instance
        if candidate.key.isWeak {
            guard let reference = instance.weakened(for: record) else {
                let error = InjectleError.notAnObject(request, entry, record)
                cell.fail(with: error)
                throw error
            }
            kept = reference
        }
        guard let disposal = instance.disposal, candidate.ownsInstance else {
            _ = cell.fill(with: kept, waking: instance)
            return true
        }
        guard disposal.retain(by: cell) else {
            cell.fail(with: nil)
            return false
        }
        // Else, the cell has ended during the creation.
        if !cell.fill(with: kept, waking: instance) { Ending.disposeUnkept(instance, of: cell) }
        return true
    }

    /// The instance as the requested type, which reads find from now on if the lifetime allows that.
    func delivered(_ instance: AnyInstance) throws(InjectleError) -> AnyInstance {
        guard let form = instance.cast(to: entry.identity.type) else {
            throw .wrongType(record, origin: entry.identity, request)
        }
        let lifetime = traits.lifetime
        if let given = record.given {
            if !entry.isTemporary { entry.show(form, of: given, in: nil, of: record) }
        } else if lifetime.isShared || lifetime.isWeak, !entry.isTemporary,
            let cell = candidates.first(where: { !$0.isProperty })?.holder.presentCell(of: record)
        {
            if !lifetime.isWeak {
                entry.show(form, of: instance, in: cell, of: record)
            } else if let reference = cell.state.withLock({ $0.instance }) {
                entry.show(reference, of: reference, in: cell, of: record)
            }
        }
        return form
    }
}
