/// The acquisition of an instance for one request that has found its registration.
///
/// A lifetime gives the cells that can have the instance, in order. The first one that has it provides it; otherwise the
/// creation claims the cells, in order, and creates the instance once, while others wait for the cells. `advance` decides what
/// comes next, and takes no time: two drivers wait and create. `Creation+Blocking` drives it on a thread, `Creation+Async` in a
/// task.
///
/// Invariant: between `advance` and `complete`, the driver's claims are the cells of all candidates. Nothing waits with a claim.
///
/// Functions that are not inlined keep their variables out of the frames on the stack in which dependencies are created.
final class Creation: Sendable {
    let request: Request
    let found: Found
    /// The locator that the request was made to: the entry's locator or a descendant of it.
    let caller: LocatorCore
    /// In order: the first cell that has the instance provides it.
    let candidates: Candidates
    /// The locator that creates the instance, and resolves its dependencies.
    let creator: LocatorCore
    /// Whether the instance is the prototype of a factory, which serves every caller, and so gets no arguments.
    let isPrototype: Bool
    /// The prototype to copy.
    let prototype: AnyInstance?

    /// The acquisition for a request that has found a registration.
    ///
    /// - Parameter property: The property that the instance is injected into, which caches it if nothing else does.
    @inline(never)
    init(_ found: Found, for request: Request, from caller: LocatorCore, _ property: InjectionPoint? = nil)
        throws(InjectleError)
    {
        var cells = try LifetimeCells(found, for: request, from: caller)
        let lifetime = found.record.traits.lifetime
        if let property {
            if lifetime.isShared || cells.candidates.outliveResolve {
                property.releaseOwn()
            } else {
                let own = property.cells(for: found.record, requestedIn: caller)
                cells.candidates.insertFirst(Candidate(holder: own, isProperty: true))
            }
        }
        self.request = request
        self.found = found
        self.caller = caller
        candidates = cells.candidates
        creator = cells.creator
        isPrototype = false
        prototype = nil
    }

    private init(_ other: Creation, candidates: Candidates, creator: LocatorCore, prototype: AnyInstance?) {
        request = other.request
        found = other.found
        caller = other.caller
        self.candidates = candidates
        self.creator = creator
        isPrototype = prototype == nil
        self.prototype = prototype
    }

    /// The acquisition of the prototype of a factory.
    var ofPrototype: Creation {
        let registrant = found.entry.core
        return Creation(
            self,
            candidates: Candidates(Candidate(holder: registrant)),
            creator: registrant,
            prototype: nil
        )
    }

    /// The acquisition of a copy of a prototype.
    func copying(_ prototype: AnyInstance) -> Creation {
        Creation(self, candidates: candidates, creator: creator, prototype: prototype)
    }

    var record: AnyRecord { found.record }

    /// Whether a copy needs the prototype first.
    var needsPrototype: Bool { prototype == nil && !isPrototype && record.copiesPrototype }

    // MARK: Deciding

    /// What the driver of a creation has to do.
    enum Step {
        /// Return the instance.
        case finished(AnyInstance)
        /// Look the registration up again, since it was removed meanwhile.
        case removed
        /// Wait, and then advance again.
        case wait(Waiter)
        /// Create the instance, and then call `complete`.
        case create
    }

    /// Who drives a creation.
    struct Driver {
        /// The node that claims cells.
        let node: Node
        let isTask: Bool
        /// Why the driver may create nothing, and only look for an instance.
        var refusal: Refusal?
    }

    /// Why nothing may be created.
    enum Refusal {
        /// The service is being created on the way to here.
        case circular(Frame.Link)
        case tooDeep
        /// The closure is isolated to an actor that the thread cannot wait for.
        case isolation
        /// The closure is async, and a thread requests the service.
        case asynchronous
        /// The calling task was cancelled.
        case cancelled
        /// A locator that would have to dispose of the instance ends.
        case ending(LocatorCore)
    }

    /// Uses the instance of the first cell that has one, or claims all cells.
    @inline(never)
    func advance(_ driver: Driver, _ claims: inout CellClaims) throws(InjectleError) -> Step {
        if let given = record.given { return .finished(given) }
        // An instance of another scope is no circle: the cell tells whether the scope is the same.
        let outer = candidates.hasScope ? nil : inProgress
        if let early = outer?.early, !record.traits.lifetime.isTransient, !record.copiesPrototype {
            return .finished(early)
        }
        var driver = driver
        if let outer {
            driver.refusal = .circular(outer)
        } else if Frame.isTooDeep {
            driver.refusal = .tooDeep
        }
        claims = CellClaims()
        do throws(InjectleError) {
            return try search(&driver, &claims)
        } catch {
            claims.fail(with: error, in: candidates)
            throw error
        }
    }

    private func search(_ driver: inout Driver, _ claims: inout CellClaims) throws(InjectleError) -> Step {
        var index = 0
        while index < candidates.count {
            let candidate = candidates[index]
            guard let cell = candidate.holder.cell(of: record, for: candidate.key) else {
                // The record or the holder has ended.
                claims.fail(with: nil, in: candidates)
                return .removed
            }
            switch try enter(cell, of: candidate, &driver) {
            case .instance(let kept):
                guard let instance = kept.revived(by: record) else {
                    candidate.holder.remove(cell)
                    continue
                }
                // Until it is released, an instance that was disposed of is read, but no other cell gets it.
                if claims.count > 0, instance.disposal?.isDisposed ?? false {
                    index += 1
                    continue
                }
                if try complete(with: .success(instance), &claims) != nil { return .finished(instance) }
                index = 0
            case .ended: candidate.holder.remove(cell)
            case .wait(let waiter):
                claims.fail(with: nil, in: candidates)
                return .wait(waiter)
            case .claimed:
                claims.append(cell, of: index)
                index += 1
            case .refused:
                cell.removeIfUnused(from: candidate.holder)
                index += 1
            }
        }
        if let refusal = driver.refusal { throw error(of: refusal) }
        return .create
    }

    private enum Entering {
        case instance(AnyInstance)
        case ended
        case claimed
        case refused
        case wait(Waiter)
    }

    /// Uses or claims a cell, or enters it as a waiter.
    private func enter(_ cell: Cell, of candidate: Candidate, _ driver: inout Driver) throws(InjectleError) -> Entering
    {
        try cell.state.withLock { state throws(InjectleError) in
            switch state.phase {
            case .filled(let instance): return .instance(instance)
            case .ended: return .ended
            case .empty:
                if driver.refusal == nil, let core = endingLocator(of: candidate) { driver.refusal = .ending(core) }
                if driver.refusal != nil { return .refused }
                state.claim(as: driver.node)
                return .claimed
            case .creation(let creator, _):
                let waiter = try waiter(for: creator, in: cell, driver)
                state.enter(waiter)
                return .wait(waiter)
            }
        }
    }

    /// A locator that would have to dispose of the instance, and ends.
    private func endingLocator(of candidate: Candidate) -> LocatorCore? {
        let entryCore = found.entry.core
        guard entryCore.isEnding || caller.isEnding, !candidate.isGraph,
            candidate.ownsInstance || candidate.key.isWeak && record.traits.isAsync
        else { return nil }
        if entryCore.isEnding { return entryCore }
        // An open parent creates what a disposer of its child reads, in the parent.
        return (candidate.holder as? LocatorCore).flatMap { $0.isEnding ? $0 : nil }
    }

    /// Begins to wait for another creation, unless the wait would never end. The cell's lock is held.
    private func waiter(for creator: Node, in cell: Cell, _ driver: Driver) throws(InjectleError) -> Waiter {
        if !driver.isTask, creator.task != nil { throw error(of: driver.refusal ?? .asynchronous) }
        let nodes = Node.waiting
        if creator == driver.node || !WaitGraph.begin(nodes, waitingFor: creator, in: cell) {
            guard let outer = inProgress else { throw .deadlock(request, found) }
            throw error(of: .circular(outer))
        }
        if driver.isTask { creator.task?.isWaitedFor() }
        return Waiter(for: creator, in: cell, nodes: nodes, isTask: driver.isTask)
    }

    /// A creation of this service on the way to here.
    var inProgress: Frame.Link? { Frame.creation(of: record, in: creator, given: request.arguments) }

    func error(of refusal: Refusal) -> InjectleError {
        switch refusal {
        case .circular(let outer): .circularDependency(request, found, from: outer.depth)
        case .tooDeep: .tooDeep(request, found)
        case .isolation: .isolation(request, found)
        case .asynchronous: .asynchronous(request, found, caller)
        case .cancelled: .cancelled(request, found.identity)
        case .ending(let core): .ended(request, core)
        }
    }

    /// The error for one that a closure has thrown.
    @inline(never)
    func failure(_ error: any Error) -> InjectleError { .creation(found, threw: error, requestedBy: request) }

    /// Throws if a locator has ended. Otherwise the caller looks the registration up again.
    @inline(never)
    func checkRemoved() throws(InjectleError) {
        for core in [caller, creator] where core.isTerminated { throw .ended(request, core) }
    }

    // MARK: Completing

    /// Ends the claims with an instance or an error, and wakes the waiters. Returns nil if the instance was disposed of meanwhile.
    ///
    /// - Parameter isAbandoned: Whether nobody waits for the failure.
    @discardableResult
    @inline(never)
    func complete(
        with result: Result<AnyInstance, InjectleError>,
        _ claims: inout CellClaims,
        isAbandoned: Bool = false
    ) throws(InjectleError) -> AnyInstance? {
        let claimed = claims
        claims = CellClaims()
        switch result {
        case .failure(let error):
            claimed.fail(with: isAbandoned ? nil : error, in: candidates)
            throw error
        case .success(let instance):
            for index in 0..<claimed.count {
                do throws(InjectleError) {
                    if try keep(instance, in: claimed[index]) { continue }
                    claimed.fail(with: nil, in: candidates, from: index + 1)
                    return nil
                } catch {
                    claimed.fail(with: error, in: candidates, from: index + 1)
                    throw error
                }
            }
            return instance
        }
    }

    /// Adds an instance to a claimed cell, and wakes the waiters. Returns false if the instance was disposed of meanwhile.
    private func keep(_ instance: AnyInstance, in claim: CellClaims.Claim) throws(InjectleError) -> Bool {
        let (cell, candidate) = (claim.cell, candidates[claim.index])
        var kept = instance
        if candidate.key.isWeak {
            guard let reference = instance.weakened(for: record) else {
                let error = InjectleError.notAnObject(request, found)
                cell.fail(with: error, in: candidate.holder)
                throw error
            }
            kept = reference
        }
        guard let disposal = instance.disposal, candidate.ownsInstance else {
            _ = cell.fill(with: kept, waking: instance)
            return true
        }
        guard disposal.retain(by: cell) else {
            cell.fail(with: nil, in: candidate.holder)
            return false
        }
        if cell.fill(with: kept, waking: instance) { return true }
        // The cell has ended during the creation.
        let isKeptElsewhere = disposal.isOwned(beside: cell)
        Ending.disposeUnkept(instance, of: cell)
        return isKeptElsewhere
    }

    /// The instance that a wait has ended with. Nil if the caller has to try again.
    ///
    /// - Parameter isOwn: Whether the waiter requested the creation that failed.
    @inline(never)
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

    // MARK: Delivering

    /// The actor on which the instance has to be cast, if a cast elsewhere fails: a conformance can be isolated to it. A value
    /// was of its identities when it was registered, so that only the isolation can make that cast fail.
    var castIsolation: ClosureIsolation? {
        let isolation = record.traits.isolation
        if isolation.isActor { return isolation }
        return record.traits.lifetime.isGiven && !found.isFoundByKeyAlone ? .mainActor : nil
    }

    /// The instance, which was cast to the requested type, as reads find it from now on if the lifetime allows that.
    @inline(never)
    func delivered(_ instance: AnyInstance, as form: AnyInstance?) throws(InjectleError) -> AnyInstance {
        guard let form else { throw .wrongType(record, origin: found.identity, request) }
        if found.isFoundByKeyAlone { return form }
        if let given = record.given {
            found.entry.show(form, of: given, in: nil, of: record)
            return form
        }
        let lifetime = record.traits.lifetime
        guard lifetime.isShared || lifetime.isWeak, let cell = found.entry.core.presentCell(of: record) else {
            return form
        }
        if !lifetime.isWeak {
            found.entry.show(form, of: instance, in: cell, of: record)
        } else if let reference = cell.state.withLock({ $0.instance }) {
            found.entry.show(reference, of: reference, in: cell, of: record)
        }
        return form
    }
}
