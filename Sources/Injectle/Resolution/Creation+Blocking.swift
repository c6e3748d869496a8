// The driver for threads, which block while another creation is in progress.

extension Creation {
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
        let form = try deliver(instance)
        caller.didResolve(found, request, since: start, isAsynchronous: false)
        return form
    }

    private func deliver(_ instance: AnyInstance) throws(InjectleError) -> AnyInstance {
        try delivered(instance, as: cast(instance))
    }

    /// The instance as the requested type. Nil if it is not of that type.
    @inline(never)
    private func cast(_ instance: AnyInstance) throws(InjectleError) -> AnyInstance? {
        let type = found.identity.type
        if let form = instance.cast(to: type) { return form }
        guard let isolation = castIsolation, isolation.isMainActor, !isolation.isHere else { return nil }
        let form = Mutex<AnyInstance?>(nil)
        let reason = MainActorBridge.run(within: caller.mainActorTimeout) {
            let cast = instance.cast(to: type)
            form.withLock { $0 = cast }
        }
        if let reason { throw .isolation(request, found, timeout: reason) }
        return form.current
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
        guard let prototype = try ofPrototype.acquire() else { return nil }
        return try copying(prototype).acquire()
    }

    /// The calling thread, which can call a closure that is not isolated, or to an actor it runs on, or to the main actor.
    private var driver: Driver {
        var driver = Driver(isTask: false)
        if record.traits.isAsync {
            driver.refusal = .asynchronous
        } else if !record.traits.isolation.isMainActor, !record.traits.isolation.isHere {
            driver.refusal = .isolation
        }
        return driver
    }

    /// Runs the closure and the hooks as part of this creation: on this thread, or on the main actor while this thread waits.
    func createHere(_ claims: CellClaims) -> Result<AnyInstance, InjectleError> {
        let arguments = arguments
        defer { withExtendedLifetime(arguments) {} }
        do {
            var frame = frame(arguments, claims)
            return .success(
                try Frame.run(&frame) {
                    if !record.traits.isolation.isHere { return try callOnMainActor(arguments) }
                    return creator.observesCreations ? try callObserved(arguments) : try call(arguments)
                }
            )
        } catch {
            return .failure(failure(error))
        }
    }

    /// The frame of the creation, which retains all of its objects except the arguments.
    func frame(_ arguments: Arguments?, _ claims: CellClaims) -> Frame {
        var frame = Frame(found.identity, record, in: creator, arguments, request.origin, found.entry)
        frame.claim(claims.firstCell)
        return frame
    }

    /// Calls the closure and the hooks.
    private func call(_ arguments: Arguments?) throws -> AnyInstance {
        guard let prototype else {
            let instance = try record.create(in: creator, arguments)
            try checkTaken(arguments)
            return instance
        }
        return try record.copy(prototype, in: creator, arguments)
    }

    @inline(never)
    private func callObserved(_ arguments: Arguments?) throws -> AnyInstance {
        let start = creator.willCreate(record, found.identity)
        do {
            let instance = try call(arguments)
            creator.didCreate(record, found.identity, since: start)
            return instance
        } catch {
            creator.didCreate(record, found.identity, since: start, failure: error)
            throw error
        }
    }

    /// The arguments of the creation.
    var arguments: Arguments? {
        guard let arguments = request.arguments, !isPrototype else { return nil }
        return record.traits.isInitializer ? arguments.toBeTaken : arguments
    }

    /// Throws if nothing in the created service has taken an argument.
    func checkTaken(_ arguments: Arguments?) throws(InjectleError) {
        if let untaken = arguments?.untaken, !untaken.isEmpty { throw .untaken(request, found, untaken) }
    }

    /// Calls the closure and the hooks on the main actor, while this thread waits.
    @inline(never)
    private func callOnMainActor(_ arguments: Arguments?) throws -> AnyInstance {
        let result = Mutex<Result<AnyInstance, any Error>?>(nil)
        let body = Frame.inThisContext { [self] in
            let created = Result { creator.observesCreations ? try callObserved(arguments) : try call(arguments) }
            result.withLock { $0 = created }
        }
        if let reason = MainActorBridge.run(within: caller.mainActorTimeout, body) {
            throw CreationFailure.mainActorTimeout(reason)
        }
        return try required(result.current).get()
    }
}
