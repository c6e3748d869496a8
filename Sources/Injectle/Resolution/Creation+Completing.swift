// The end of a creation: the claimed cells get the instance, the waiters wake, and the caller gets it as the requested type.

extension Creation {
    /// Ends the claims with an instance or an error, and wakes the waiters. The driver has to advance again if the instance was
    /// disposed of meanwhile, is not published yet, or was created with one whose creation has failed.
    ///
    /// - Parameter isAbandoned: Whether nobody waits for the failure.
    @discardableResult
    @inline(never)
    func complete(
        with result: Result<AnyInstance, InjectleError>,
        _ claims: inout CellClaims,
        isAbandoned: Bool = false
    ) throws(InjectleError) -> Step {
        let claimed = claims
        claims = CellClaims()
        switch result {
        case .failure(let error):
            let isSuperseded = isSuperseded
            let repetition = fail(claimed, with: error, isAbandoned: isAbandoned || isSuperseded)
            if isSuperseded { return .removed }
            if let repetition { return .repeated(repetition) }
            throw error
        case .success(let instance):
            if claimed.areInCircle { return try completeInCircle(with: instance, claimed) }
            return try publish(instance, in: claimed) ? .finished(instance) : .again
        }
    }

    /// Ends the claims without an instance. Returns why the creation is repeated, if it is.
    private func fail(_ claimed: CellClaims, with error: InjectleError, isAbandoned: Bool) -> Repetition? {
        guard claimed.areInCircle, let node = claimed.firstCell?.node else {
            claimed.fail(with: isAbandoned ? .ended : .failed(error), in: candidates)
            return nil
        }
        let failure = WaitGraph.fail(node, isCircle: error == .circularDependency || error == .deadlock)
        let repetition = failure.isRepeated ? Repetition(error: error, others: failure.others) : nil
        let outcome = repetition.map { Waiter.Outcome.repeated($0) } ?? .failed(error)
        claimed.fail(with: isAbandoned ? .ended : outcome, in: candidates)
        for other in failure.discarded { other.end(false) }
        return repetition
    }

    /// Whether another registration has replaced the decorator, and the decorated registration with it: then the caller looks
    /// the registration up again.
    var isSuperseded: Bool { record.decorated != nil && record.isEnded }

    /// Adds an instance to the claimed cells. Returns false if it was disposed of meanwhile.
    private func publish(_ instance: AnyInstance, in claimed: CellClaims) throws(InjectleError) -> Bool {
        for index in 0..<claimed.count {
            do throws(InjectleError) {
                if try keep(instance, in: claimed[index]) { continue }
                claimed.fail(with: .ended, in: candidates, from: index + 1)
                return false
            } catch {
                claimed.fail(with: .failed(error), in: candidates, from: index + 1)
                throw error
            }
        }
        return true
    }

    /// Ends the claims with an instance that was used before it was complete, or that was created with such instances.
    @inline(never)
    private func completeInCircle(with instance: AnyInstance, _ claimed: CellClaims) throws(InjectleError) -> Step {
        let node = required(claimed.firstCell).node
        let finished = WaitState.Finished(instance) { [self] isPublished in
            if isPublished { _ = try? publish(instance, in: claimed) } else { discard(instance, from: claimed) }
        }
        switch WaitGraph.finish(node, with: finished) {
        case .unpublished: return .again
        case .published(let all):
            for other in all where other.instance !== instance { other.end(true) }
            return try publish(instance, in: claimed) ? .finished(instance) : .again
        case .discarded(let all):
            for other in all { other.end(false) }
            return .again
        }
    }

    /// Ends the claims of an instance that was created with one whose creation has failed, and disposes of it.
    private func discard(_ instance: AnyInstance, from claimed: CellClaims) {
        for index in 0..<claimed.count {
            let (cell, candidate) = (claimed[index].cell, candidates[claimed[index].index])
            let isOwned = candidate.ownsInstance && instance.disposal?.retain(by: cell) == true
            cell.fail(with: .ended, in: candidate.holder)
            if isOwned { Ending.disposeUnkept(instance, of: cell) }
        }
    }

    /// Adds an instance to a claimed cell, and wakes the waiters. Returns false if the instance was disposed of meanwhile.
    private func keep(_ instance: AnyInstance, in claim: CellClaims.Claim) throws(InjectleError) -> Bool {
        let (cell, candidate) = (claim.cell, candidates[claim.index])
        var kept = instance
        if candidate.key.isWeak {
            guard let reference = instance.weakened(for: record) else {
                let error = InjectleError.notAnObject(request, found)
                cell.fail(with: .failed(error), in: candidate.holder)
                throw error
            }
            kept = reference
        }
        guard let disposal = instance.disposal, candidate.ownsInstance else {
            // A cell that has ended meanwhile leaves the instance to the callers.
            let isReturned = instance.disposal == nil
            let ended = cell.fill(with: kept)
            ended.wake(with: ended.isKept || isReturned ? .created(instance) : .ended)
            return true
        }
        guard disposal.retain(by: cell) else {
            cell.fail(with: .ended, in: candidate.holder)
            return false
        }
        let ended = cell.fill(with: kept)
        if ended.isKept {
            ended.wake(with: .created(instance))
            return true
        }
        // The cell has ended during the creation. Callers continue after the disposal.
        let isKeptElsewhere = disposal.isOwned(beside: cell)
        Ending.disposeUnkept(instance, of: cell)
        ended.wake(with: .ended)
        return isKeptElsewhere
    }

    /// The instance that a wait has ended with. Nil if the caller has to try again.
    ///
    /// - Parameter isOwn: Whether the waiter requested the creation that failed.
    @inline(never)
    func result(of waiter: Waiter, isOwn: Bool = false) throws(InjectleError) -> AnyInstance? {
        switch waiter.outcome {
        case .created(let instance): return instance
        case .circular(let circle): throw .circularDependency(request, found, circle)
        case .failed(let error) where isOwn || !error.concernsOneCreation: throw error
        // This thread would wait for the main actor again, after the threads before it.
        case .failed(let error) where error.isTimeout && waiter.gate != nil && !MainActorBridge.isMainThread:
            throw error
        case .failed, .repeated, .ended: return nil
        }
    }

    // MARK: Delivering

    /// The actor on which the instance has to be cast, if a cast elsewhere fails: a conformance can be isolated to it. A value
    /// was of its identities when it was registered, so that only the isolation can make that cast fail.
    var castIsolation: ClosureIsolation? {
        let isolation = record.traits.isolation
        if isolation.isActor { return isolation }
        return record.traits.lifetime.isGiven && !found.isFoundByKeyAlone ? .mainActor : nil
    }

    /// The instance, which was cast to the requested type, as reads find it from now on if the lifetime allows that.
    @inline(never)
    func delivered(_ instance: AnyInstance, as form: AnyInstance?) throws(InjectleError) -> AnyInstance {
        guard let form else { throw .wrongType(record, origin: found.identity, request) }
        if found.isFoundByKeyAlone { return form }
        if let given = record.given {
            found.entry.show(form, of: given, in: nil, of: record)
            return form
        }
        let lifetime = record.traits.lifetime
        guard lifetime.isShared || lifetime.isWeak, let cell = found.entry.core.presentCell(of: record) else {
            return form
        }
        if !lifetime.isWeak {
            found.entry.show(form, of: instance, in: cell, of: record)
        } else if let reference = cell.state.withLock({ $0.instance }) {
            found.entry.show(reference, of: reference, in: cell, of: record)
        }
        return form
    }
}
