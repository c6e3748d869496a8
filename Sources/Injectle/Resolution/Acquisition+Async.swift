// The driver for tasks, which suspend while another creation is in progress.

extension Acquisition {
    /// The service as a value of the requested type. Nil if the registration was removed meanwhile.
    func provideInTask(_ isolation: isolated (any Actor)?) async throws(InjectleError) -> AnyInstance? {
        guard let instance = try await acquireInTask(isolation) else { return nil }
        return try delivered(instance, as: await cast(instance))
    }

    /// The instance as the requested type. Nil if it is not of that type.
    private func cast(_ instance: AnyInstance) async throws(InjectleError) -> AnyInstance? {
        let type = found.type
        if let cast = instance.cast(to: type) { return cast }
        guard let castIsolation else { return nil }
        do {
            return try await castIsolation.run { instance.cast(to: type) }
        } catch {
            throw failure(error)
        }
    }

    private func acquireInTask(_ isolation: isolated (any Actor)?) async throws(InjectleError) -> AnyInstance? {
        if needsPrototype {
            if let keptCopy { return keptCopy }
            guard let prototype = try await ofPrototype.acquireInTask(isolation) else { return nil }
            return try await copying(prototype).acquireInTask(isolation)
        }
        var repetitions = 0
        while true {
            // An instance that no cell holds is created in the calling task.
            let task = record.traits.isAsync && candidates.count > 0 ? TaskCreation(of: found.identity) : nil
            var claims = CellClaims()
            var step = try await advanceInTask(task, &claims, isolation)
            if case .create = step { step = try await create(in: task, &claims) }
            if case .unpublished(let cell) = step { step = try join(cell, isTask: true) }
            switch step {
            case .finished(let instance): return instance
            case .removed:
                try checkRemoved()
                return nil
            case .wait(let waiter):
                try await suspend(waiter)
                if let instance = try result(of: waiter), candidates.count < 2 { return instance }
            case .repeated(let repetition):
                repetitions += 1
                if repetitions > Repetition.limit, let error = repetition.error { throw error }
                for cell in repetition.predecessors {
                    guard case .wait(let waiter) = WaitGraph.join(cell, .current, isTask: true) else { continue }
                    try await suspend(waiter)
                }
            case .create, .again, .unpublished: continue
            }
        }
    }

    private func suspend(_ waiter: Waiter) async throws(InjectleError) {
        MainActorBridge.nudge()
        guard await waiter.suspend() else { throw .cancelled(request, found.identity) }
    }

    /// Calls an async closure: in a task of its own if others can wait for it, or in the calling task.
    private func create(in task: TaskCreation?, _ claims: inout CellClaims) async throws(InjectleError) -> Step {
        guard let task else { return try complete(with: await createInTask(claims), &claims) }
        let waiter = task.begin(self, claims)
        try await suspend(waiter)
        if case .repeated(let repetition) = waiter.outcome { return .repeated(repetition) }
        return try result(of: waiter, isOwn: true).map { .finished($0) } ?? .again
    }

    /// Advances on the actor of a synchronous closure, and calls that there.
    private func advanceInTask(_ task: TaskCreation?, _ claims: inout CellClaims, _ isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Step
    {
        if record.traits.isAsync {
            let refusal = Task.isCancelled ? Refusal.cancelled : nil
            return try advance(Driver(task: task, isTask: true, refusal: refusal), &claims)
        }
        if !record.traits.isolation.isActor { return try advanceAndCreate() }
        do {
            return try await record.traits.isolation.run { [self] in try advanceAndCreate() }
        } catch {
            throw failure(error)
        }
    }

    /// Advances, and calls a synchronous closure.
    private func advanceAndCreate() throws(InjectleError) -> Step {
        var claims = CellClaims()
        while true {
            let step = try advance(Driver(isTask: true), &claims)
            guard case .create = step else { return step }
            let completed = try complete(with: createHere(claims), &claims)
            guard case .again = completed else { return completed }
        }
    }
}
