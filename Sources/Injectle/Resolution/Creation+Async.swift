// The driver for tasks, which suspend while another creation is in progress.

extension Creation {
    /// The service as a value of the entry's type. Nil if the registration was removed meanwhile.
    func provideInTask(_ isolation: isolated (any Actor)?) async throws(InjectleError) -> Instance? {
        do throws(InjectleError) {
            return try await provideUnchecked(isolation)
        } catch {
            try checkReplaced(after: error)
            return nil
        }
    }

    private func provideUnchecked(_ isolation: isolated (any Actor)?) async throws(InjectleError) -> Instance? {
        try determinePlan()
        if record.isAsynchronous, plan.candidates.isEmpty { return try await provideUncached(isolation) }
        while true {
            // A cancelled task receives an instance that exists, and creates none.
            switch try await acquireInTask(record.isAsynchronous && Task.isCancelled ? .useCached : .await, isolation) {
            case .instance(let instance, let isCached):
                return try deliver(instance, isCached: isCached)
            case .begun(let creation):
                guard let waiter = creation.begin() else { continue }
                if let instance = try await result(awaiting: waiter, isOwn: true) { return try deliver(instance) }
            case .waiting(let waiter):
                if let instance = try await result(awaiting: waiter, isOwn: false) { return try deliver(instance) }
            case .removed:
                try checkRemoved()
                return nil
            default:
                throw .cancelled(request, entry)
            }
        }
    }

    private func result(awaiting waiter: OnceCell.Waiter, isOwn: Bool) async throws(InjectleError) -> Instance? {
        guard let waiter = waiter as? OnceCell.TaskWaiter, await waiter.wait() else {
            throw .cancelled(request, entry)
        }
        return try result(of: waiter, isOwn: isOwn)
    }

    /// Creates an instance that no cache holds, in the calling task.
    private func provideUncached(_ isolation: isolated (any Actor)?) async throws(InjectleError) -> Instance? {
        try checkDepth(isCycle: isInProgress)
        if Task.isCancelled { throw .cancelled(request, entry) }
        guard let outcome = await createInTask() else { return nil }
        return try deliver(outcome.get())
    }

    /// Acquires the instance on the actor of the closure.
    private func acquireInTask(_ policy: AcquirePolicy, _ isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Outcome
    {
        if record.isAsynchronous || !record.isolation.isActor { return try unsafe acquire(policy) }
        if !record.isolation.isHere { record.noteMainActorCaller(of: request) }
        do {
            return try await record.isolation.run { [self] in try unsafe acquire(policy) }
        } catch {
            throw .creation(entry, threw: error, requestedBy: request)
        }
    }

    /// Calls the async closure, in the calling task. Nil if the registration was removed.
    func createInTask(as node: WaitNode? = nil) async -> Result<Instance, InjectleError>? {
        // Removing the last registration releases the closure, also between the claim and here.
        let closure = record.isSingleton ? entry.core.asyncFactory(of: record) : record.asyncFactory
        guard let closure else { return nil }
        let creator = plan.creator
        do {
            return .success(
                try await TaskFrame.run(
                    entry: entry,
                    core: creator,
                    for: request.origin,
                    arguments: request.arguments,
                    node: node
                ) {
                    let start = creator.willCreate(entry)
                    var failure: (any Error)?
                    defer { creator.didCreate(entry, since: start, failure: failure) }
                    do {
                        return try await closure(creator, request.arguments)
                    } catch {
                        failure = error
                        throw error
                    }
                }
            )
        } catch {
            return .failure(.creation(entry, threw: error, requestedBy: request))
        }
    }
}
