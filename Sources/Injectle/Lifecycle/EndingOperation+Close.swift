/// The close of a locator and of its descendants.
///
/// It has four steps: the locators keep no new instances; running creations end; disposers run in reverse order of
/// creation; the locators end. Until the last step, instances can still be resolved, so a disposer can use the
/// dependencies of its service. If no step has to suspend, as in most requests, the caller that begins the close does
/// all of them; else a task does the rest, which the cancellation of a caller does not cancel.
extension EndingOperation {
    /// Closes a core in steps, unless that has begun before, and waits until it is closed.
    ///
    /// - Parameter limit: The time after which it leaves behind what the close waits for.
    /// - Returns: The errors of the disposers; none for a caller that the close waits for, such as a disposer.
    static func close(_ core: LocatorCore, within limit: Duration? = nil) async -> [InjectleError] {
        // A disposer of a descendant runs before its ancestors are closed.
        let isBelow = isInCurrent(core)
        let (closing, isFirst) = core.state.withLock { state in
            if let present = state.closing { return (present, false) }
            let closing = EndingOperation(of: core)
            core.beginClosing(by: closing, &state)
            return (closing, true)
        }
        let others = isFirst ? closing.beginClose(of: core) : []
        guard let others else { return [] }
        // First, since this wait could close a circle once the close itself waits.
        let wait = isBelow ? nil : WaitGraph.begin(.current, waitingFor: closing.node)
        if isFirst { closing.leaveToTask(core, after: others) }
        guard let wait else { return [] }
        defer { WaitGraph.end(wait) }
        // The close of an ancestor has its own limit.
        if let limit, closing.isClose(of: core) {
            if await !closing.wait(within: limit) { return closing.disposers.errors(of: core, after: limit) }
        } else {
            await closing.wait()
        }
        return core.state.withLock { $0.extras?.disposalErrors ?? [] }
    }

    /// Closes the core and completes the close if no step has to suspend, and returns nil. Else it returns the endings
    /// that a task waits for, which does the rest.
    private func beginClose(of core: LocatorCore) -> [EndingOperation]? {
        if let others = perform({ closeAtOnce(core) }) { return others }
        complete(core)
        decide(nil)
        return nil
    }

    /// Leaves the rest to a task.
    private func leaveToTask(_ core: LocatorCore, after others: [EndingOperation]) {
        // Hooks that wait for holds go on. A close at once notifies of its end.
        core.notifyEndObservers()
        let task = Task {
            await perform { await close(core, after: others) }
            complete(core)
        }
        decide(task)
    }

    /// Completes the releases of locators that were left to the close.
    private func complete(_ core: LocatorCore) {
        end()
        if !core.hasChildren { return core.completeRelease() }
        for core in ([core] + core.descendants).reversed() { core.completeRelease() }
    }

    /// Ends the locators if no step has to suspend. Returns nil if nothing is left to await, else the other endings that
    /// are in progress, maybe none.
    private func closeAtOnce(_ core: LocatorCore) -> [EndingOperation]? {
        if core.hasNothingToAwait {
            core.endLocator(by: .close)
            if !core.hasChildren { return core.hasEndingsInProgress ? core.endingsInProgress : nil }
        }
        var others = beginBelow(core)
        let cores = [core] + core.descendants
        for core in cores {
            core.endStarts()
            others += core.endingsInProgress
        }
        let cells = cores.flatMap(\.allCells)
        let mustSuspend =
            !others.isEmpty
            || cells.contains { cell in
                let record = cell.record
                return record.traits.hasDisposers || cell.isInCreation || record.isReleasedElsewhere
            }
        if mustSuspend { return others }
        endLocators(core)
        // Of what a `deinit` has registered meanwhile.
        let late = ([core] + core.descendants).flatMap(\.endingsInProgress)
        return late.isEmpty ? nil : late
    }

    /// Does the rest, once other closes have ended.
    private func close(_ core: LocatorCore, after others: [EndingOperation]) async {
        for other in others { await wait(for: other) }
        await awaitingCreations { [self] in await endCreations(in: core) }
        await dispose(in: core, after: others)
    }

    /// Waits for another ending, unless that waits for this one.
    private func wait(for other: EndingOperation) async {
        guard let wait = WaitGraph.begin(CallingCode(besides: [node.id]), waitingFor: other.node) else { return }
        await awaiting(other) { await other.wait() }
        WaitGraph.end(wait)
    }

    /// Ends all instances, and then the locators. A disposer can register a service, whose disposer runs, too, and
    /// begin other endings.
    private func dispose(in core: LocatorCore, after others: [EndingOperation]) async {
        var awaited = others
        repeat {
            let failures = await Ending.endAwaiting { items in
                items = ([core] + core.descendants).flatMap { $0.endAllCells() }
                // The instances of endings that have begun meanwhile can use these.
                await waitForEndings(in: core, besides: &awaited)
            }
            for failure in failures { record(failure, in: core) }
            await waitForEndings(in: core, besides: &awaited)
        } while ([core] + core.descendants).flatMap(\.allCells).contains { cell in
            let record = cell.record
            return (record.traits.hasDisposers || record.isReleasedElsewhere) && cell.state.withLock { !$0.isEnding }
        }
        endLocators(core)
        for late in ([core] + core.descendants).flatMap(\.endingsInProgress) { await wait(for: late) }
    }

    /// Waits for the endings of instances, and adds them to those that it has waited for.
    private func waitForEndings(in core: LocatorCore, besides awaited: inout [EndingOperation]) async {
        for other in ([core] + core.descendants).flatMap(\.endingsInProgress)
        where !awaited.contains(where: { $0 === other }) {
            awaited.append(other)
            await wait(for: other)
        }
    }

    /// Adds the error of a disposer to its locator and to those above, which are closed with it.
    private func record(_ failure: EndingRest.Failure, in closed: LocatorCore) {
        for core in failure.core.chain {
            core.state.withLock { $0.ensuredExtras.disposalErrors.append(failure.error) }
            if core === closed { return }
        }
    }

    /// Ends the locators, the innermost first.
    private func endLocators(_ core: LocatorCore) {
        for core in ([core] + core.descendants).reversed() where !core.hasEnded { core.endLocator(by: .close) }
        // Code that runs when instances are released can create children.
        while let late = core.descendants.last(where: { !$0.hasEnded }) { late.endLocator(by: .close) }
    }

    /// Begins the close of all descendants. Returns other closes that have begun before.
    private func beginBelow(_ core: LocatorCore) -> [EndingOperation] {
        var others: [EndingOperation] = []
        var pending: [LocatorCore] = core.children
        while let child = pending.popLast() {
            let closing = child.state.withLock { state in
                if state.closing == nil { child.beginClosing(by: self, &state) }
                return state.closing ?? self
            }
            if closing === self { child.notifyEndObservers() } else { others.append(closing) }
            // Children that are created from now on inherit the close.
            pending += child.children
        }
        return others
    }

    /// Adds the error of creations that the close leaves behind.
    func recordCreations(in core: LocatorCore, exceeding limit: Duration) {
        let cells = ([core] + core.descendants).flatMap(\.allCells).filter(\.isInCreation)
        if cells.isEmpty { return }
        let error = InjectleError.closing(core, leaves: cells.map(\.record.traits.identity), after: limit)
        record(EndingRest.Failure(error: error, core: core), in: core)
    }

    /// Cancels the creations in progress, and waits for them, unless they wait for this close.
    private func endCreations(in core: LocatorCore) async {
        while !Task.isCancelled {
            var waiters: [Waiter] = []
            for cell in ([core] + core.descendants).flatMap(\.allCells) {
                // A creation that waits for this close is not waited for.
                let joined = WaitGraph.join(cell, CallingCode(besides: [node.id]), isTask: true)
                if case .wait(let waiter) = joined { waiters.append(waiter) }
            }
            if waiters.isEmpty { break }
            for waiter in waiters { waiter.awaited.task?.cancel() }
            for waiter in waiters { _ = await waiter.suspend() }
        }
        for core in [core] + core.descendants { await core.waitForLateCreations() }
    }
}
