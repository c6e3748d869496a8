// The driver for threads, which block while another creation is in progress.

extension Creation {
    /// The service as a value of the requested type. Nil if the registration was removed meanwhile.
    func provide() throws(InjectleError) -> AnyInstance? {
        let start = caller.begin(.didResolve)
        guard let instance = try acquire() else {
            try checkRemoved()
            return nil
        }
        let form = try delivered(instance, as: cast(instance))
        if let start { caller.didResolve(found, request, since: start, isAsynchronous: false) }
        return form
    }

    /// The instance as the requested type. Nil if it is not of that type.
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
        if needsPrototype {
            guard let prototype = try ofPrototype.acquire() else { return nil }
            return try copying(prototype).acquire()
        }
        let isHere = record.traits.isolation.isHere
        var driver = Driver(node: .thread, isTask: false)
        if record.traits.isAsync {
            driver.refusal = .asynchronous
        } else if !isHere, !record.traits.isolation.isMainActor {
            driver.refusal = .isolation
        }
        var claims = CellClaims()
        while true {
            switch try advance(driver, &claims) {
            case .finished(let instance): return instance
            case .removed: return nil
            case .wait(let waiter):
                MainActorBridge.wait(for: waiter)
                if let instance = try result(of: waiter), candidates.count < 2 { return instance }
            case .create:
                let result = isHere ? createHere() : createOnMainActor()
                if let instance = try complete(with: result, &claims) { return instance }
            }
        }
    }

    /// Runs the closure and the hooks on this thread, as part of this creation.
    func createHere() -> Result<AnyInstance, InjectleError> {
        let arguments = arguments
        do {
            let instance = try Frame.run(work(arguments)) {
                let start = creator.willCreate(record, found.identity)
                do {
                    let instance =
                        if let prototype {
                            try record.copy(prototype, in: creator, arguments)
                        } else {
                            try record.create(in: creator, arguments)
                        }
                    try checkTaken(arguments)
                    creator.didCreate(record, found.identity, since: start)
                    return instance
                } catch {
                    creator.didCreate(record, found.identity, since: start, failure: error)
                    throw error
                }
            }
            return .success(instance)
        } catch {
            return .failure(.creation(found, threw: error, requestedBy: request))
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

    func work(_ arguments: Arguments?) -> Frame.Work {
        Frame.Work(found.identity, record, creator, arguments, request.origin, found.entry)
    }

    /// Runs the closure and the hooks on the main actor, while this thread waits.
    private func createOnMainActor() -> Result<AnyInstance, InjectleError> {
        let result = Mutex<Result<AnyInstance, InjectleError>?>(nil)
        let body = Frame.inThisContext { [self] in
            let created = createHere()
            result.withLock { $0 = created }
        }
        let reason = MainActorBridge.run(within: caller.mainActorTimeout, body)
        return result.current ?? .failure(.isolation(request, found, timeout: reason))
    }
}
