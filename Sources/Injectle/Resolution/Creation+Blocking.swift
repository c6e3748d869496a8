// The driver for threads, which block while another creation is in progress.

extension Creation {
    /// The service as a value of the entry's type. Nil if the registration was removed meanwhile.
    func provide() throws(InjectleError) -> AnyInstance? {
        let start = caller.begin(.didResolve)
        let instance = try provideUnobserved()
        if let start, instance != nil { caller.didResolve(found, request, since: start, isAsynchronous: false) }
        return instance
    }

    private func provideUnobserved() throws(InjectleError) -> AnyInstance? {
        switch try acquire(traits.isolation.isHere && !traits.isAsync ? .create : .useExisting) {
        case .instance(let instance): return try delivered(instance)
        case .removed: try checkRemoved()
        case _ where traits.isAsync: throw .asynchronous(request, entry, record, caller)
        default: return try provideOnMainActor()
        }
        return nil
    }

    /// Creates the instance on the main actor. A wait for another creation blocks this thread, not the main actor.
    private func provideOnMainActor() throws(InjectleError) -> AnyInstance? {
        guard traits.isolation.isMainActor else { throw .isolation(request, entry, record) }
        let limit = caller.mainActorTimeout
        let node = Frame.currentNode ?? WaitNode()
        while true {
            var next = try attemptOnMainActor(as: node, limit)
            if case .busy = next { next = try acquire(.useExisting) }
            switch next {
            case .instance(let instance): return try delivered(instance)
            case .removed:
                try checkRemoved()
                return nil
            default: continue
            }
        }
    }

    private func attemptOnMainActor(as node: WaitNode, _ limit: Duration) throws(InjectleError) -> Outcome {
        let outcome = Mutex<Result<Outcome, InjectleError>?>(nil)
        let body = Frame.inThisContext { [self] in
            do throws(InjectleError) {
                let result = try acquire(.createUnlessBusy, as: node)
                outcome.withLock { $0 = .success(result) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        let reason = MainActorBridge.run(within: limit, as: node, body)
        guard let outcome = outcome.current else { throw .isolation(request, entry, record, timeout: reason) }
        return try outcome.get()
    }
}
