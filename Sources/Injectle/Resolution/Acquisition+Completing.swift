// The end of a creation: the claimed cells get the instance, the waiters wake, and the caller gets it as the requested
// type.

extension Acquisition {
    /// Ends the claims with an instance or an error, and wakes the waiters. The driver has to advance again if the
    /// instance was disposed of meanwhile, is not published yet, or was created with one whose creation has failed.
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
        let outer = CallingCode.current
        let node = claimed.areInCircle ? claimed.firstCell?.nodeID : nil
        if node == nil, !outer.isInCircle {
            claimed.fail(with: isAbandoned ? .ended : .failed(error), in: candidates)
            return nil
        }
        let failure = WaitGraph.fail(node, within: outer)
        let repetition = failure.isRepeated ? Repetition(error: error, predecessors: failure.predecessors) : nil
        let outcome = repetition.map { Waiter.Outcome.repeated($0) } ?? .failed(error)
        claimed.fail(with: isAbandoned ? .ended : outcome, in: candidates)
        Acquisition.discard(failure.discarded)
        return repetition
    }

    /// Whether another registration has replaced the decorator, and the decorated registration with it: then the caller
    /// looks the registration up again.
    private var isSuperseded: Bool { record.traits.isDecorator && record.isEnded }

    /// Adds an instance to the claimed cells. Returns false if it was disposed of meanwhile.
    private func publish(_ instance: AnyInstance, in claimed: CellClaims) throws(InjectleError) -> Bool {
        var late = LateInstances()
        defer { late.end() }
        return try fill(claimed, with: instance, &late)
    }

    /// Fills the claimed cells, and wakes those that wait for one that keeps the instance.
    private func fill(_ claimed: CellClaims, with instance: AnyInstance, _ late: inout LateInstances)
        throws(InjectleError) -> Bool
    {
        for index in 0..<claimed.count {
            do throws(InjectleError) {
                if try keep(instance, in: claimed[index], &late) { continue }
                claimed.fail(with: .ended, in: candidates, from: index + 1)
                return false
            } catch {
                claimed.fail(with: .failed(error), in: candidates, from: index + 1)
                throw error
            }
        }
        return true
    }

    /// Adds an instance to a claimed cell. Returns false if it was disposed of meanwhile.
    private func keep(_ instance: AnyInstance, in claim: CellClaims.Claim, _ late: inout LateInstances)
        throws(InjectleError) -> Bool
    {
        let cell = claim.cell
        let candidate = candidates[claim.index]
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
            let ended = cell.fill(with: kept)
            if ended.isLate {
                LocatorCore.owner(of: record, in: candidate.holder).removeLateCreation(in: cell)
                _ = cell.state.withLock { $0.release() }
            }
            // A cell that has ended meanwhile leaves an instance without disposers to the callers.
            ended.wake(with: !ended.isLate || instance.disposal == nil ? .created(instance) : .ended)
            return true
        }
        guard disposal.retain(by: cell) else {
            cell.fail(with: .ended, in: candidate.holder)
            return false
        }
        let ended = cell.fill(with: kept)
        if !ended.isLate {
            ended.wake(with: .created(instance))
            return true
        }
        late.add(cell, in: candidate.holder, instance, ended)
        return disposal.isOwned(beside: cell)
    }

    // MARK: Circles

    /// Ends the claims with an instance that was used before it was complete, or that was created with such instances.
    @inline(never)
    private func completeInCircle(with instance: AnyInstance, _ claimed: CellClaims) throws(InjectleError) -> Step {
        let cell = required(claimed.firstCell)
        switch WaitGraph.finish(cell.nodeID, with: WaitState.Finished(self, claimed, instance)) {
        case .unpublished:
            MainActorBridge.nudge()
            return .unpublished(cell)
        case .published(let all):
            return try publish(all, returning: instance) ? .finished(instance) : .again
        case .discarded(let all, let predecessors):
            Acquisition.discard(all)
            return .repeated(Repetition(error: nil, predecessors: predecessors))
        }
    }

    /// Publishes the instances of a circle. Returns false if the last one was disposed of meanwhile.
    private func publish(_ all: [WaitState.Finished], returning instance: AnyInstance) throws(InjectleError) -> Bool {
        var late = LateInstances()
        defer { late.end() }
        for other in all where other.instance !== instance {
            // The creation has returned: its caller gets the error of a weak cell from the next request.
            _ = try? other.acquisition.fill(other.claims, with: other.instance, &late)
        }
        guard let own = all.last(where: { $0.instance === instance }) else { return false }
        return try fill(own.claims, with: instance, &late)
    }

    /// Ends the claims of instances that were created with one whose creation has failed, and disposes of them.
    static func discard(_ all: [WaitState.Finished]) {
        if all.isEmpty { return }
        var late = LateInstances()
        for finished in all {
            for index in 0..<finished.claims.count {
                let claim = finished.claims[index]
                let candidate = finished.acquisition.candidates[claim.index]
                // An existing value stays the program's.
                let isOwned = candidate.ownsInstance && !finished.acquisition.record.traits.lifetime.isSupplied
                let isRetained = isOwned && finished.instance.disposal?.retain(by: claim.cell) == true
                guard isRetained else {
                    claim.cell.fail(with: .ended, in: candidate.holder)
                    continue
                }
                // The cell has no instance yet, so a close waits for the creation until the ending is added.
                _ = candidate.holder.endCell(claim.cell)
                let ended = claim.cell.fill(with: finished.instance)
                late.add(claim.cell, in: candidate.holder, finished.instance, ended)
            }
        }
        late.end()
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

    /// The actor on which the instance has to be cast, if a cast elsewhere fails: a conformance can be isolated to it.
    /// A value was of its identities when it was registered, so that only the isolation can make that cast fail.
    var castIsolation: ClosureIsolation? {
        let isolation = record.traits.isolation
        if isolation.isActor { return isolation }
        return record.traits.lifetime.isSupplied && !found.isFoundByKeyAlone ? .mainActor : nil
    }

    /// The instance, which was cast to the requested type, as reads find it from now on if the lifetime allows that.
    @inline(never)
    func delivered(_ instance: AnyInstance, as cast: AnyInstance?) throws(InjectleError) -> AnyInstance {
        guard let cast else { throw .wrongType(record, origin: found.identity, request) }
        if found.isFoundByKeyAlone { return cast }
        if let ready = record.readyInstance {
            found.entry.show(cast, of: ready, in: nil, of: record)
            return cast
        }
        let lifetime = record.traits.lifetime
        guard lifetime.isShared || lifetime.isWeak, let cell = found.entry.core.presentCell(of: record) else {
            return cast
        }
        if !lifetime.isWeak {
            found.entry.show(cast, of: instance, in: cell, of: record)
        } else if let reference = cell.state.withLock({ $0.instance }) {
            found.entry.show(reference, of: reference, in: cell, of: record)
        }
        return cast
    }
}
