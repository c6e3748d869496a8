/// The acquisition of an instance for one request that has found its registration.
///
/// A lifetime gives the cells that can have the instance, in order. The first one that has it provides it; otherwise
/// the creation claims the cells, in order, and creates the instance once, while others wait for the cells. `advance`
/// decides what comes next, and does not wait: two drivers wait and create. `Acquisition+Blocking` drives it on a
/// thread, `Acquisition+Async` in a task. `Acquisition+Completing` ends it.
///
/// Invariant: between `advance` and `complete`, the driver's claims are the cells of all candidates. Nothing waits with
/// a claim.
///
/// Functions that are not inlined keep their variables out of the stack frames in which dependencies are created.
final class Acquisition: Sendable {
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

    private init(_ other: Acquisition, candidates: Candidates, creator: LocatorCore, prototype: AnyInstance?) {
        request = other.request
        found = other.found
        caller = other.caller
        self.candidates = candidates
        self.creator = creator
        isPrototype = prototype == nil
        self.prototype = prototype
    }

    /// The acquisition of the prototype of a factory.
    var ofPrototype: Acquisition {
        let registrant = found.entry.core
        return Acquisition(
            self,
            candidates: Candidates(Candidate(holder: registrant)),
            creator: registrant,
            prototype: nil
        )
    }

    /// The acquisition of a copy of a prototype.
    func copying(_ prototype: AnyInstance) -> Acquisition {
        Acquisition(self, candidates: candidates, creator: creator, prototype: prototype)
    }

    var record: AnyRecord { found.record }

    /// Whether a copy needs the prototype first.
    var needsPrototype: Bool { prototype == nil && !isPrototype && record.copiesPrototype }

    /// The copy that a property has. It needs no prototype, which can have ended by a reset.
    var keptCopy: AnyInstance? {
        for candidate in candidates.all where candidate.isProperty {
            if let kept = candidate.holder.presentCell(of: record)?.state.withLock({ $0.instance }) { return kept }
        }
        return nil
    }

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
        /// Advance again.
        case again
        /// Wait for the instance of this cell, which was created here and is not published.
        case unpublished(Cell)
        /// Advance again, after other creations.
        indirect case repeated(Repetition)
    }

    /// Why a creation is repeated, after others.
    struct Repetition {
        /// How often a creation is repeated that fails: then the error is thrown.
        static let limit = 10

        /// Nil if the creation has an instance, which is discarded.
        let error: InjectleError?
        /// The first cells of these other creations.
        let predecessors: [Cell]
    }

    /// Who drives a creation.
    struct Driver {
        /// The creation, if it has a task of its own.
        var task: TaskCreation?
        let isTask: Bool
        /// Why the driver may create nothing, and only look for an instance.
        var refusal: Refusal?
    }

    /// Uses the instance of the first cell that has one, or claims all cells.
    @inline(never)
    func advance(_ driver: Driver, _ claims: inout CellClaims) throws(InjectleError) -> Step {
        if let ready = record.readyInstance { return .finished(ready) }
        // The same service in another scope is no circle. `enter` finds the one in the same scope.
        let outer = candidates.hasScope ? nil : inProgress
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
            claims.fail(with: .failed(error), in: candidates)
            throw error
        }
    }

    private func search(_ driver: inout Driver, _ claims: inout CellClaims) throws(InjectleError) -> Step {
        var index = 0
        while index < candidates.count {
            let candidate = candidates[index]
            guard let cell = candidate.holder.cell(of: record, for: candidate.key) else {
                // The record or the holder has ended.
                claims.fail(with: .ended, in: candidates)
                return .removed
            }
            switch try enter(cell, of: candidate, &driver, claims) {
            case .instance(let kept):
                guard let instance = kept.revived(by: record) else {
                    candidate.holder.remove(cell)
                    continue
                }
                if claims.count == 0 { return .finished(instance) }
                // Until it is released, an instance that was disposed of is read, but no other cell gets it.
                if instance.disposal?.isDisposed ?? false {
                    index += 1
                    continue
                }
                if case .finished = try complete(with: .success(instance), &claims) { return .finished(instance) }
                index = 0
            case .unpublished(let instance):
                // No other cell gets it before it is published.
                claims.fail(with: .ended, in: candidates)
                return .finished(instance)
            case .ended: candidate.holder.remove(cell)
            case .wait(let waiter):
                claims.fail(with: .ended, in: candidates)
                return .wait(waiter)
            case .claimed:
                claims.append(cell, of: index)
                index += 1
            case .refused:
                cell.removeIfUnused(from: candidate.holder)
                index += 1
            }
        }
        if case .circular(let outer) = driver.refusal, let early = earlyInstance(of: outer) { return .finished(early) }
        if let refusal = driver.refusal { throw error(of: refusal) }
        return .create
    }

    /// The instance of a creation on the way to here, whose cell has ended meanwhile.
    private func earlyInstance(of outer: Frame.Link) -> AnyInstance? {
        guard !record.traits.lifetime.isTransient, !record.copiesPrototype, let early = outer.early else { return nil }
        if let cell = outer.cell { WaitGraph.use(early, lentBy: cell) }
        return early
    }

    private enum Entering {
        case instance(AnyInstance)
        case unpublished(AnyInstance)
        case ended
        case claimed
        case refused
        case wait(Waiter)
    }

    /// Uses or claims a cell, or enters it as a waiter.
    private func enter(_ cell: Cell, of candidate: Candidate, _ driver: inout Driver, _ claims: CellClaims)
        throws(InjectleError) -> Entering
    {
        while true {
            let entering = cell.state.withLock { state -> Entering? in
                switch state.phase {
                case .filled(let instance): return .instance(instance)
                case .ended: return .ended
                case .empty:
                    if driver.refusal == nil, let core = endingLocator(of: candidate) { driver.refusal = .ending(core) }
                    if driver.refusal != nil { return .refused }
                    state.claim(as: Node(claims.firstCell ?? cell, in: driver.task))
                    return .claimed
                case .creation: return nil
                }
            }
            if let entering { return entering }
            if let entering = try join(cell, driver) { return entering }
        }
    }

    /// Waits for another creation, or uses its instance before it is published. Nil if that creation has ended.
    @inline(never)
    private func join(_ cell: Cell, _ driver: Driver) throws(InjectleError) -> Entering? {
        switch WaitGraph.join(cell, .current, isTask: driver.isTask) {
        case .wait(let waiter): return .wait(waiter)
        case .ended: return nil
        case .use(let instance): return .unpublished(instance)
        case .circular(let circle): throw .circularDependency(request, found, circle)
        case .deadlock: throw .deadlock(request, found)
        case .asynchronous: throw error(of: driver.refusal ?? .asynchronous)
        }
    }

    /// What follows after an instance that was created here and is not published.
    func join(_ cell: Cell, isTask: Bool) throws(InjectleError) -> Step {
        switch try join(cell, Driver(isTask: isTask)) {
        case .wait(let waiter): .wait(waiter)
        case .unpublished(let instance), .instance(let instance): .finished(instance)
        case .ended, .claimed, .refused, nil: .again
        }
    }

    /// A creation of this service on the way to here.
    var inProgress: Frame.Link? { Frame.creation(of: record, in: creator, given: request.arguments) }

    /// The error for one that a closure has thrown.
    @inline(never)
    func failure(_ error: any Error) -> InjectleError { .creation(found, threw: error, requestedBy: request) }

    /// Throws if a locator has ended. Otherwise the caller looks the registration up again.
    @inline(never)
    func checkRemoved() throws(InjectleError) {
        for core in [caller, creator] where core.hasEnded { throw .ended(request, core) }
    }
}
