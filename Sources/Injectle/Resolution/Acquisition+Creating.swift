// Calls the closure and the hooks, for both drivers.

extension Acquisition {
    /// Runs the closure and the hooks as part of this creation: on this thread, or on the main actor while this thread
    /// waits.
    func createHere(_ claims: CellClaims) -> Result<AnyInstance, InjectleError> {
        let arguments = arguments
        defer { withExtendedLifetime(arguments) {} }
        do {
            var frame = frame(arguments, claims)
            return .success(
                try Frame.run(&frame) {
                    if isDescendantBound { return try callWithCreatorBound(arguments) }
                    if !record.traits.isolation.isHere { return try callOnMainActor(arguments) }
                    return creator.observesCreations ? try callObserved(arguments) : try call(arguments)
                }
            )
        } catch {
            return .failure(failure(error))
        }
    }

    /// Whether a descendant of the creator is bound in the task: a service that descendants share must not get the
    /// services of one of them by `Locator.shared`.
    @inline(never)
    private var isDescendantBound: Bool {
        guard !record.traits.lifetime.resolvesFromCaller, let bound = LocatorCore.boundCore, bound !== creator else {
            return false
        }
        return bound.chain.contains { $0 === creator }
    }

    /// The locator of the creator. Throws if its last handle was released meanwhile: a child that a resolver has made
    /// retains none.
    private var creatorLocator: Locator {
        get throws(InjectleError) {
            guard let locator = creator.handle else { throw .ended(request, creator) }
            return locator
        }
    }

    /// Calls the closure and the hooks with the locator of the creator as the current one.
    @inline(never)
    private func callWithCreatorBound(_ arguments: Arguments?) throws -> AnyInstance {
        try Locator.$shared.withValue(creatorLocator) {
            if !record.traits.isolation.isHere { return try callOnMainActor(arguments) }
            return creator.observesCreations ? try callObserved(arguments) : try call(arguments)
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
        return try required(result.snapshot).get()
    }

    /// Calls the async closure, in the calling task.
    func createInTask(_ claims: CellClaims) async -> Result<AnyInstance, InjectleError> {
        let arguments = arguments
        do {
            return .success(
                try await TaskFrame.run(frame(arguments, claims)) {
                    if !isDescendantBound { return try await callAsync(arguments) }
                    return try await Locator.$shared.withValue(creatorLocator) {
                        try await callAsync(arguments)
                    }
                }
            )
        } catch {
            return .failure(failure(error))
        }
    }

    private func callAsync(_ arguments: Arguments?) async throws -> AnyInstance {
        let start = creator.willCreate(record, found.identity)
        do {
            let instance = try await record.createAsync(in: creator, arguments)
            try checkTaken(arguments)
            creator.didCreate(record, found.identity, since: start)
            return instance
        } catch {
            creator.didCreate(record, found.identity, since: start, failure: error)
            throw error
        }
    }
}
