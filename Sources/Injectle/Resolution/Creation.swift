/// The acquisition of an instance for one request that has found its entry.
///
/// This type decides; two drivers wait. The plan lists the caches that can hold the instance, in order. The first one
/// that has it provides it; otherwise the creation claims their cells, in order, and creates the instance once, while
/// other creations wait for the cells. `Creation+Blocking` drives it on a thread, `Creation+Async` in a task.
///
/// Invariant: one thread or task drives it until its plan is determined; from then on it is immutable.
@safe
final class Creation: @unchecked Sendable {
    // Sound to share: see the invariant. A request carries what its caller may pass on.

    let entry: Entry
    let request: ResolveRequest
    /// The locator that the request was made to: the entry's locator or a descendant of it.
    let caller: LocatorCore
    let record: RegistrationRecord
    @safe @exclusivity(unchecked) private(set) var plan: LifetimePlan

    /// - Parameter plan: The plan, if that is not to be determined by the lifetime.
    init(of entry: Entry, for request: ResolveRequest, from caller: LocatorCore, by plan: LifetimePlan? = nil) {
        self.entry = entry
        self.request = request
        self.caller = caller
        record = entry.record
        self.plan = plan ?? LifetimePlan(creator: caller)
    }

    /// What a creation may do to acquire an instance.
    enum AcquirePolicy {
        /// Create it, or wait for another creation of it.
        case create
        /// Create it, unless another creation is in progress.
        case createUnlessBusy
        /// Take it from a cache, or wait for another creation of it.
        case useCached
        /// Create it, or return the task creation to begin or the waiter to await.
        case await
    }

    /// The result of a step: an instance, or the reason for which there is none yet, which says what to do next.
    enum Outcome {
        case instance(Instance, isCached: Bool)
        /// The instance is in the caller's memory.
        case stored
        /// The registration was removed meanwhile.
        case removed
        /// No cache has the instance, and the policy does not allow to create it here.
        case missing
        /// Another creation is in progress, and the policy does not allow to wait for it.
        case busy
        /// The cell is claimed for the node, which has to create the instance.
        case claimed(OnceCell, WaitNode)
        /// Cells are claimed for a task that has not begun.
        case begun(TaskCreation)
        /// The waiter has entered the cell of another creation.
        case waiting(OnceCell.Waiter)
        /// The instance can be neither waited for nor created.
        case refused(InjectleError.Kind)
    }

    /// Determines the caches of the instance.
    func determinePlan(for property: InjectionPoint? = nil) throws(InjectleError) {
        plan = try LifetimePlan(for: self, property)
    }

    /// Throws if a locator is terminated. Otherwise the caller looks the registration up again.
    func checkRemoved() throws(InjectleError) {
        for core in [caller, plan.creator] where core.isTerminated { throw .ended(request, core) }
    }

    /// Throws an error of the creation, unless a decorator was replaced together with the service that it wraps.
    func checkReplaced(after error: InjectleError) throws(InjectleError) {
        guard error.kind == .missing, error.identity?.keyPart?.decorated != nil, entry.isDetached else { throw error }
        try checkRemoved()
    }

    // MARK: Acquiring

    /// - Parameters:
    ///   - node: The node that creates, if the thread's frames do not tell.
    ///   - storage: The caller's memory, for an instance that no cache holds.
    func acquire(
        _ policy: AcquirePolicy,
        as node: WaitNode? = nil,
        into storage: UnsafeMutableRawPointer? = nil
    ) throws(InjectleError) -> Outcome {
        // An instance of another scope is no cycle: the cell tells whether the scope is the same.
        let isCycle = !plan.usesCustomScope && isInProgress
        let policy = isCycle || Frame.isTooDeep ? .useCached : policy
        let outcome: Outcome
        if let storage = unsafe storage, plan.candidates.isEmpty, policy != .useCached,
            record.serviceType == entry.identity.type
        {
            outcome = try unsafe create(policy, as: node, into: storage)
        } else {
            outcome = try acquire(at: 0, policy, as: node)
        }
        switch outcome {
        case .missing, .busy: try checkDepth(isCycle: isCycle)
        default: break
        }
        return outcome
    }

    /// Whether this service is being created on the way to here.
    var isInProgress: Bool { Frame.isCreating(record, in: plan.creator, given: request.arguments) }

    func checkDepth(isCycle: Bool) throws(InjectleError) {
        if isCycle { throw .circularDependency(request, entry) }
        if Frame.isTooDeep { throw .tooDeep(request, entry) }
    }

    /// The instance from the cache at a position of the plan, from a later one, or, after the last, a new one.
    private func acquire(at index: Int, _ policy: AcquirePolicy, as given: WaitNode?) throws(InjectleError) -> Outcome {
        guard index < plan.candidates.count else { return try create(policy, as: given) }
        let candidate = plan.candidates[index]
        let node = given ?? (policy == .await ? nil : Frame.currentNode)
        // From a later cache, found without a claim here.
        var found: Instance?
        while true {
            var outcome = Outcome.removed
            _ = candidate.cache.withCell(of: record, for: caller, given: candidate.key) { cell in
                switch cell.state.answer {
                case .use(let instance):
                    outcome = .instance(instance, isCached: true)
                case .make where policy == .useCached && found == nil:
                    outcome = .missing
                case .make:
                    outcome = claim(cell, of: candidate, policy, as: node, given: given, hasFound: found != nil)
                case .wait(for: let creator):
                    outcome = wait(for: creator, in: cell, of: candidate.cache, policy, as: node)
                }
            }
            switch outcome {
            case .removed, .busy, .stored, .begun:
                return outcome
            case .refused(.circularDependency):
                throw .circularDependency(request, entry)
            case .refused(.deadlock):
                throw .deadlock(request, entry)
            case .refused:
                throw .ended(request, entry.core.isClosing ? entry.core : caller)
            case .instance(let cached, _):
                if let instance = cached.revived(as: record.serviceType) { return .instance(instance, isCached: true) }
                discard(cached, from: candidate)
            case .waiting(let waiter):
                guard let waiter = waiter as? OnceCell.ThreadWaiter else { return outcome }
                MainActorBridge.wait(for: waiter)
                if let instance = try result(of: waiter) { return .instance(instance, isCached: false) }
            case .missing:
                let later = try acquire(at: index + 1, policy, as: given)
                guard case .instance(let instance, _) = later else { return later }
                found = instance
            case .claimed(let cell, let node):
                return try settle(cell, of: candidate) { () throws(InjectleError) in
                    if let found { return .instance(found, isCached: false) }
                    return try acquire(at: index + 1, policy, as: node)
                }
            }
        }
    }

    /// Claims an idle cell. Its lock is held.
    private func claim(
        _ cell: OnceCell,
        of candidate: LifetimePlan.Candidate,
        _ policy: AcquirePolicy,
        as node: WaitNode?,
        given: WaitNode?,
        hasFound: Bool
    ) -> Outcome {
        if !hasFound, !candidate.isGraphScoped, entry.core.isClosing || caller.isClosing,
            candidate.ownsInstance || candidate.isWeak && record.isAsynchronous
        {
            return .refused(.locatorClosed)
        }
        // No task creates an instance that exists, so threads may wait for the node that adds it to the cell.
        let inTask = !hasFound && record.isAsynchronous
        let node = node ?? (inTask ? TaskCreation(self) : WaitNode())
        _ = cell.state.ask(as: node)
        if given == nil, let task = node as? TaskCreation {
            cell.state.enter(task.makeRequester(in: cell, of: candidate.cache))
        }
        return .claimed(cell, node)
    }

    /// Enters a wait for another creation, unless the wait would never end. The cell's lock is held.
    ///
    /// - Parameter node: The node of this thread. A thread without one can wait for any creation.
    private func wait(
        for creator: WaitNode,
        in cell: OnceCell,
        of cache: any InstanceCache,
        _ policy: AcquirePolicy,
        as node: WaitNode?
    ) -> Outcome {
        let isTask = policy == .await
        if policy == .createUnlessBusy || !isTask && creator is TaskCreation { return .busy }
        let node = isTask ? TaskCreation.waitingNode : node
        if node === creator || isTask && TaskFrame.isWithin(creator) { return .refused(.circularDependency) }
        if let node, !node.begin(waitingFor: creator) { return .refused(.deadlock) }
        let waiter =
            isTask
            ? OnceCell.TaskWaiter(node: node, creator: creator) { cache.leave(cell, $0) }
            : OnceCell.ThreadWaiter(node: node, creator: creator)
        cell.state.enter(waiter)
        if isTask { creator.isWaitedFor() }
        return .waiting(waiter)
    }

    /// The instance that a wait has ended with. Nil if the caller has to try again.
    ///
    /// - Parameter isOwn: Whether the waiter requested the creation that failed.
    func result(of waiter: OnceCell.Waiter, isOwn: Bool = false) throws(InjectleError) -> Instance? {
        switch waiter.outcome {
        case .success(let instance): return instance
        case .failure(let error) where isOwn || !error.concernsOneCreation: throw error
        // This thread would wait for the main actor again, after the threads before it.
        case .failure(let error)
        where error.isTimeout && waiter is OnceCell.ThreadWaiter && !MainActorBridge.isMainThread:
            throw error
        case .failure, nil: return nil
        }
    }

    // MARK: Creating

    /// Creates an instance, or a copy of the prototype.
    private func create(_ policy: AcquirePolicy, as node: WaitNode?) throws(InjectleError) -> Outcome {
        guard policy != .useCached else { return .missing }
        // A task creation claimed the cells.
        if record.isAsynchronous { return (node as? TaskCreation).map { .begun($0) } ?? .missing }
        var outcome = Outcome.stored
        let instance = try unsafe Instance.make(of: record.serviceType) { storage throws(InjectleError) in
            outcome = try unsafe create(policy, as: node, into: storage)
            if case .stored = outcome { return true } else { return false }
        }
        return instance.map { .instance($0, isCached: false) } ?? outcome
    }

    private func create(_ policy: AcquirePolicy, as node: WaitNode?, into storage: UnsafeMutableRawPointer)
        throws(InjectleError) -> Outcome
    {
        if let copy = unsafe record.copy, !plan.isPrototype {
            let creation = Creation(of: entry, for: request, from: caller, by: .prototype(of: entry))
            let outcome = try creation.acquire(at: 0, policy, as: node)
            guard case .instance(let prototype, _) = outcome else { return outcome }
            try run(as: node) {
                unsafe copy(.passUnretained(plan.creator), request.arguments, prototype.storage, storage)
            }
        } else if record.isSingleton {
            // Removing the last registration releases the closure, also between the claim and here.
            guard let make = unsafe entry.core.singletonFactory(of: record) else { return .removed }
            try run(as: node) { unsafe make(.passUnretained(plan.creator), arguments, storage) }
        } else {
            try run(as: node) { unsafe record.factory(.passUnretained(plan.creator), request.arguments, storage) }
        }
        return .stored
    }

    /// The arguments for the closure. A prototype serves every caller, so it is created without any.
    private var arguments: Arguments? { plan.isPrototype ? nil : request.arguments }

    /// Runs user code as part of this creation, and wraps the error that it returns.
    private func run(as node: WaitNode?, _ body: () -> (any Error)?) throws(InjectleError) {
        func make() throws { if let error = body() { throw error } }
        do {
            try Frame.run(entry: entry, core: plan.creator, for: request.origin, node: node, arguments: arguments) {
                try plan.creator.withEvents(of: entry, make)
            }
        } catch {
            throw .creation(entry, threw: error, requestedBy: request)
        }
    }

    // MARK: Delivering

    /// The instance as the requested type, which readers find from now on if the lifetime allows that.
    func deliver(_ instance: Instance, isCached: Bool = false) throws(InjectleError) -> Instance {
        let form = try cast(instance)
        if record.isShared { entry.core.publish(form, of: instance, in: entry) }
        if isCached, entry.publishesInstance(of: caller) {
            caller.makeScopedCache().publish(instance, as: form, of: record)
        }
        return form
    }

    func cast(_ instance: Instance) throws(InjectleError) -> Instance {
        guard let form = instance.cast(to: entry.identity.type) else {
            throw .wrongType(record, origin: entry.identity, request)
        }
        return form
    }
}
