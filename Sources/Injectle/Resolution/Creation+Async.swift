// The driver for tasks, which suspend while another creation is in progress.

extension Creation {
    /// The service as a value of the requested type. Nil if the registration was removed meanwhile.
    func provideInTask(_ isolation: isolated (any Actor)?) async throws(InjectleError) -> AnyInstance? {
        guard let instance = try await acquireInTask(isolation) else {
            try checkRemoved()
            return nil
        }
        return try delivered(instance)
    }

    private func acquireInTask(_ isolation: isolated (any Actor)?) async throws(InjectleError) -> AnyInstance? {
        var creation = self
        if needsPrototype {
            creation.prototype = try await ofPrototype.acquireInTask(isolation)
            if creation.prototype == nil { return nil }
        }
        // An instance that no cell holds is created in the calling task.
        let task = record.traits.isAsync && candidates.count > 0 ? TaskCreation(of: found.identity) : nil
        while true {
            switch try await creation.advanceInTask(task, isolation) {
            case .finished(let instance): return instance
            case .removed: return nil
            case .wait(let waiter):
                let instance = try await result(awaiting: waiter, isOwn: false)
                if let instance, creation.candidates.count < 2 { return instance }
            case .create:
                guard let task else { return try await creation.createInTask().get() }
                let waiter = task.begin(creation, in: creation.firstClaim)
                if let instance = try await result(awaiting: waiter, isOwn: true) { return instance }
            }
        }
    }

    private func result(awaiting waiter: Waiter, isOwn: Bool) async throws(InjectleError) -> AnyInstance? {
        guard await waiter.suspend() else { throw .cancelled(request, found.identity) }
        return try result(of: waiter, isOwn: isOwn)
    }

    /// Advances on the actor of a synchronous closure, and calls that there.
    private mutating func advanceInTask(_ task: TaskCreation?, _ isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Step
    {
        if record.traits.isAsync {
            let node = task.map { Node($0) } ?? .thread
            return try advance(Driver(node: node, isTask: true, refusal: Task.isCancelled ? .cancelled : nil))
        }
        if !record.traits.isolation.isActor { return try advanceAndCreate() }
        let step: (Creation, Step)
        do {
            step = try await record.traits.isolation.run { [creation = self] in
                var creation = creation
                let step = try creation.advanceAndCreate()
                return (creation, step)
            }
        } catch {
            throw .creation(found, threw: error, requestedBy: request)
        }
        self = step.0
        return step.1
    }

    /// Advances, and calls a synchronous closure.
    private mutating func advanceAndCreate() throws(InjectleError) -> Step {
        while true {
            let step = try advance(Driver(node: .thread, isTask: true))
            guard case .create = step else { return step }
            if let instance = try complete(with: createHere()) { return .finished(instance) }
        }
    }

    /// Calls the async closure, in the calling task.
    ///
    /// - Parameter task: The creation that has the calling task.
    func createInTask(as task: TaskCreation? = nil) async -> Result<AnyInstance, InjectleError> {
        let (creator, arguments, undecorated) = (creator, request.arguments, undecorated)
        do {
            return .success(
                try await TaskFrame.run(work(arguments), node: task.map { Node($0).id } ?? 0) {
                    let start = creator.willCreate(record, found.identity)
                    do {
                        let instance = try await record.createAsync(in: creator, arguments, undecorated)
                        creator.didCreate(record, found.identity, since: start)
                        return instance
                    } catch {
                        creator.didCreate(record, found.identity, since: start, failure: error)
                        throw error
                    }
                }
            )
        } catch {
            return .failure(.creation(found, threw: error, requestedBy: request))
        }
    }
}
