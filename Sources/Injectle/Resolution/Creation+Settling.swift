// How the claim of a cell ends.

extension Creation {
    /// Ends the claim of a cell with an instance or without one, and wakes the waiters; a task creation that has not begun
    /// ends it later.
    func settle(
        _ cell: OnceCell,
        of candidate: LifetimePlan.Candidate,
        _ acquire: () throws(InjectleError) -> Outcome
    ) throws(InjectleError) -> Outcome {
        let outcome: Outcome
        do throws(InjectleError) {
            outcome = try acquire()
        } catch {
            end(cell, of: candidate, by: .failure(error))
            throw error
        }
        switch outcome {
        case .instance(let instance, _): _ = try end(cell, of: candidate, by: .success(instance))?.get()
        case .begun(let creation): creation.claims.append((cell, candidate))
        default: end(cell, of: candidate, by: nil)
        }
        return outcome
    }

    /// Ends the claim of a cell with an instance or an error, or gives it up, and wakes the waiters. Returns the outcome
    /// that they receive.
    @discardableResult
    func end(_ cell: OnceCell, of candidate: LifetimePlan.Candidate, by outcome: Result<Instance, InjectleError>?)
        -> OnceCell.Outcome?
    {
        var outcome = outcome
        var ended: OnceCell.Ended?
        if case .success(let instance)? = outcome {
            do throws(InjectleError) {
                ended = try cache(instance, in: cell, of: candidate)
            } catch {
                outcome = .failure(error)
            }
        }
        let waiting = ended ?? candidate.cache.fail(cell)
        waiting.wake(with: outcome)
        return outcome
    }

    /// Adds an instance to a claimed cell. Nil if it is disposed of already, since another cache has dropped it.
    private func cache(_ instance: Instance, in cell: OnceCell, of candidate: LifetimePlan.Candidate)
        throws(InjectleError) -> OnceCell.Ended?
    {
        if record.hasDisposers { Disposal.prepare(instance, madeOf: record, in: plan.creator) }
        var cached = instance
        if candidate.isWeak {
            guard let reference = instance.weakened else { throw .notAnObject(request, entry) }
            cached = reference
        } else if candidate.isProperty {
            cached = try cast(instance)
        }
        guard record.hasDisposers, candidate.ownsInstance else { return candidate.cache.succeed(cell, with: cached) }
        guard Disposal.keep(instance, madeOf: record, in: plan.creator) else { return nil }
        let ended = candidate.cache.succeed(cell, with: cached)
        if !ended.isKept {
            // The cell was discarded during the creation.
            var retired = RetireList()
            retired.add(cached: instance)
            retired.dispose()
        }
        return ended
    }

    /// Removes the weak reference to a released object from a cache.
    func discard(_ reference: Instance, from candidate: LifetimePlan.Candidate) {
        // Released after the lock.
        var removed: Instance?
        _ = candidate.cache.withCell(of: record, for: caller, given: candidate.key) { cell in
            if cell.state.product === reference { removed = cell.state.discard() }
        }
        withExtendedLifetime(removed) {}
    }
}

extension OnceCell.Ended {
    /// Wakes the waiters of the ended creation with its outcome, and the others without one, so that they ask again.
    @inline(__always)
    func wake(with outcome: OnceCell.Outcome?) {
        if !waiters.isEmpty || !others.isEmpty { wakeAll(with: outcome) }
    }

    private func wakeAll(with outcome: OnceCell.Outcome?) {
        for waiter in waiters { waiter.finish(with: outcome) }
        for waiter in others { waiter.finish(with: nil) }
    }
}
