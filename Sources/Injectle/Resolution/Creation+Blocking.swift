// The driver for threads, which block while another creation is in progress.

extension Creation {
    /// Initializes `storage` with a value of the entry's type. Returns false if the registration was removed meanwhile.
    func provide(for property: InjectionPoint? = nil, into storage: UnsafeMutableRawPointer)
        throws(InjectleError) -> Bool
    {
        let start = caller.begin(.didResolve)
        do throws(InjectleError) {
            guard try unsafe provideUnobserved(for: property, into: storage) else { return false }
        } catch {
            try checkReplaced(after: error)
            return false
        }
        if let start {
            let (identity, source) = (entry.identity, Locator.Event.Source(request.origin, entry.core))
            caller.send(.didResolve, of: record, as: identity, since: start, isAsynchronous: false, source: source)
        }
        return true
    }

    private func provideUnobserved(for property: InjectionPoint?, into storage: UnsafeMutableRawPointer)
        throws(InjectleError) -> Bool
    {
        if unsafe entry.copyService(to: storage) { return true }
        // A weak reference alone needs no plan.
        if property == nil, record.isWeaklyReferenced, let instance = entry.core.instance(of: record) {
            try unsafe deliver(instance).copy(to: storage)
            return true
        }
        try determinePlan(for: property)
        switch try unsafe attempt(
            record.isolation.isHere && !record.isAsynchronous ? .create : .useCached,
            into: storage
        ) {
        case .stored: return true
        case .removed: try checkRemoved()
        case _ where record.isAsynchronous: throw .asynchronous(request, entry, caller)
        default: return try unsafe provideOnMainActor(into: storage)
        }
        return false
    }

    private func attempt(_ policy: AcquirePolicy, as node: WaitNode? = nil, into storage: UnsafeMutableRawPointer)
        throws(InjectleError) -> Outcome
    {
        let outcome = try unsafe acquire(policy, as: node, into: storage)
        guard case .instance(let instance, let isCached) = outcome else { return outcome }
        try unsafe deliver(instance, isCached: isCached).copy(to: storage)
        return .stored
    }

    /// Creates the instance on the main actor. A wait for another creation blocks this thread, not the main actor.
    private func provideOnMainActor(into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        guard case .mainActor = record.isolation else { throw .isolation(request, entry) }
        let limit = caller.lock.withLock { caller.mainActorTimeout }
        record.noteMainActorCaller(of: request)
        let node = Frame.currentNode ?? WaitNode()
        while true {
            // Sound to share: this thread waits for the job.
            nonisolated(unsafe) var outcome: Result<Outcome, InjectleError>?
            let start = caller.begin(.didWait)
            let body = Frame.inThisContext { [self] in
                do throws(InjectleError) {
                    unsafe outcome = unsafe .success(try attempt(.createUnlessBusy, as: node, into: storage))
                } catch {
                    unsafe outcome = .failure(error)
                }
            }
            let deadline = Deadline(after: limit)
            let result = MainActorBridge.run(before: deadline, as: node, interrupting: { Frame.currentNode }, body)
            let failure = InjectleError.isolation(request, entry, result, limit: limit)
            if let start {
                let identity = entry.identity
                caller.send(.didWait, of: record, as: identity, since: start, failure: failure, isAsynchronous: false)
            }
            guard let outcome = unsafe outcome else { throw failure ?? .isolation(request, entry) }
            var next = try outcome.get()
            if case .busy = next { next = try unsafe attempt(.useCached, into: storage) }
            switch next {
            case .stored: return true
            case .removed:
                try checkRemoved()
                return false
            default: continue
            }
        }
    }
}
