// The driver for tasks, which suspend while another creation is in progress.

extension Creation {
    /// The service as a value of the entry's type. Nil if the registration was removed meanwhile.
    func provideInTask(_ isolation: isolated (any Actor)?) async throws(InjectleError) -> AnyInstance? {
        if traits.isAsync, candidates.isEmpty { return try await provideUncached(isolation) }
        while true {
            // A cancelled task receives an instance that exists, and creates none.
            switch try await acquireInTask(traits.isAsync && Task.isCancelled ? .useExisting : .await, isolation) {
            case .instance(let instance): return try delivered(instance)
            case .begun(let creation):
                guard let waiter = creation.begin() else { continue }
                if let instance = try await result(awaiting: waiter, isOwn: true) { return try delivered(instance) }
            case .waiting(let waiter):
                if let instance = try await result(awaiting: waiter, isOwn: false) { return try delivered(instance) }
            case .removed:
                try checkRemoved()
                return nil
            default:
                throw .cancelled(request, entry.identity)
            }
        }
    }

    private func result(awaiting waiter: Waiter, isOwn: Bool) async throws(InjectleError) -> AnyInstance? {
        guard await waiter.suspend() else { throw .cancelled(request, entry.identity) }
        return try result(of: waiter, isOwn: isOwn)
    }

    /// Creates an instance that no cell holds, in the calling task.
    private func provideUncached(_ isolation: isolated (any Actor)?) async throws(InjectleError) -> AnyInstance? {
        try checkDepth(of: inProgress)
        if Task.isCancelled { throw .cancelled(request, entry.identity) }
        return try await delivered(createInTask().get())
    }

    /// Acquires the instance on the actor of the closure.
    private func acquireInTask(_ policy: Policy, _ isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Outcome
    {
        if traits.isAsync || !traits.isolation.isActor { return try acquire(policy) }
        do {
            return try await traits.isolation.run { [self] in try acquire(policy) }
        } catch {
            throw .creation(entry, record, threw: error, requestedBy: request)
        }
    }

    /// Calls the async closure, in the calling task.
    func createInTask(as node: WaitNode? = nil) async -> Result<AnyInstance, InjectleError> {
        let (creator, arguments, undecorated) = (creator, request.arguments, undecorated)
        do {
            return .success(
                try await TaskFrame.run((entry, record, creator, arguments, request.origin), node: node) {
                    let start = creator.willCreate(record, entry)
                    do {
                        let instance = try await record.createAsync(in: creator, arguments, undecorated)
                        creator.didCreate(record, entry, since: start)
                        return instance
                    } catch {
                        creator.didCreate(record, entry, since: start, failure: error)
                        throw error
                    }
                }
            )
        } catch {
            return .failure(.creation(entry, record, threw: error, requestedBy: request))
        }
    }
}
