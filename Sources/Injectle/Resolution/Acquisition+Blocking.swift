// The driver for threads, which block while another creation is in progress.

extension Acquisition {
    /// The service as a value of the requested type. Nil if the registration was removed meanwhile.
    func provide() throws(InjectleError) -> AnyInstance? {
        if caller.observes(.didResolve) { return try provideObserved() }
        guard let instance = try acquire() else { return nil }
        return try deliver(instance)
    }

    @inline(never)
    private func provideObserved() throws(InjectleError) -> AnyInstance? {
        let start = ContinuousClock.now
        guard let instance = try acquire() else { return nil }
        let delivered = try deliver(instance)
        caller.didResolve(found, request, since: start, isAsynchronous: false)
        return delivered
    }

    private func deliver(_ instance: AnyInstance) throws(InjectleError) -> AnyInstance {
        try delivered(instance, as: cast(instance))
    }

    /// The instance as the requested type. Nil if it is not of that type.
    @inline(never)
    private func cast(_ instance: AnyInstance) throws(InjectleError) -> AnyInstance? {
        let type = found.type
        if let cast = instance.cast(to: type) { return cast }
        guard let isolation = castIsolation, isolation.isMainActor, !isolation.isHere else { return nil }
        let result = Mutex<AnyInstance?>(nil)
        let reason = MainActorBridge.run(within: caller.mainActorTimeout) {
            let cast = instance.cast(to: type)
            result.withLock { $0 = cast }
        }
        if let reason { throw .isolation(request, found, timeout: reason) }
        return result.snapshot
    }

    /// The instance as the closure has returned it. Nil if the registration was removed meanwhile.
    private func acquire() throws(InjectleError) -> AnyInstance? {
        if needsPrototype { return try acquireCopy() }
        let driver = driver
        var claims = CellClaims()
        var repetitions = 0
        while true {
            var step = try advance(driver, &claims)
            if case .create = step { step = try complete(with: createHere(claims), &claims) }
            if case .unpublished(let cell) = step { step = try join(cell, isTask: false) }
            if let instance = try instance(after: step, &repetitions) { return instance }
            if case .removed = step { return nil }
        }
    }

    /// Waits where a step requires that. Nil if the driver has to advance again, or the registration was removed.
    @inline(never)
    private func instance(after step: Step, _ repetitions: inout Int) throws(InjectleError) -> AnyInstance? {
        switch step {
        case .finished(let instance): return instance
        case .removed: try checkRemoved()
        case .wait(let waiter):
            MainActorBridge.wait(for: waiter)
            let instance = try result(of: waiter)
            // The cells of the other candidates have to keep it, too.
            return candidates.count < 2 ? instance : nil
        case .repeated(let repetition):
            repetitions += 1
            if repetitions > Repetition.limit, let error = repetition.error { throw error }
            for cell in repetition.predecessors {
                guard case .wait(let waiter) = WaitGraph.join(cell, .current, isTask: false) else { continue }
                MainActorBridge.wait(for: waiter)
            }
        case .create, .again, .unpublished: break
        }
        return nil
    }

    private func acquireCopy() throws(InjectleError) -> AnyInstance? {
        if let keptCopy { return keptCopy }
        guard let prototype = try ofPrototype.acquire() else { return nil }
        return try copying(prototype).acquire()
    }

    /// The calling thread, which can call a closure that is not isolated, or to an actor it runs on, or to the main
    /// actor.
    private var driver: Driver {
        var driver = Driver(isTask: false)
        if record.traits.isAsync {
            driver.refusal = .asynchronous
        } else if !record.traits.isolation.isMainActor, !record.traits.isolation.isHere {
            driver.refusal = .isolation
        }
        return driver
    }
}
