/// The close of a locator and of its descendants.
///
/// It sets a flag, so that the locators keep no new instances, and then waits for what can still use these:
///
/// | | found in | the close |
/// | --- | --- | --- |
/// | work with a hold | `holds` | begins only once it is released (`Locator+Hold`) |
/// | starts | `starts` | lets them fail |
/// | other endings | `endingsInProgress` | waits, unless they wait for the close |
/// | creations | the cells of locators, scopes and resolves in progress | cancels them, and waits |
/// | creations whose cells have ended | `lateCreations` | the same, and then waits for their endings |
///
/// Then it ends all cells, as any ending does, and at last the locators. Until then, instances can be resolved, so a
/// disposer can use the dependencies of its service. If no step has to suspend, as in most requests, the caller that
/// begins the close does all of them; else a task does the rest, which the cancellation of a caller does not cancel.
extension Ending {
    /// Closes a core, unless that has begun before, and waits until it is closed.
    ///
    /// - Parameter limit: The time after which it leaves behind what the close waits for.
    static func close(_ core: LocatorCore, within limit: Duration? = nil) async -> CloseErrors {
        let areObserved = core.observes(.didDispose)
        // A disposer of a descendant runs before its ancestors are closed.
        let isBelow = isInCurrent(core)
        let (closing, isFirst) = core.state.withLock { state in
            if let present = state.closing { return (present, false) }
            let closing = Ending(of: core)
            core.beginClosing(by: closing, &state)
            return (closing, true)
        }
        let others: [Ending]
        switch isFirst ? closing.beginClose(of: core) : .suspended(by: []) {
        case .closed: return CloseErrors()
        case .suspended(let endings): others = endings
        }
        // First, since this wait could close a circle once the close itself waits.
        let wait = isBelow ? nil : WaitGraph.begin(.current, waitingFor: closing.node)
        if wait != nil { closing.progress.withLock { $0.hasCaller = true } }
        if isFirst { closing.leaveCloseToTask(core, after: others, areObserved) }
        guard let wait else { return CloseErrors() }
        defer { WaitGraph.end(wait) }
        // The close of an ancestor has its own limit.
        var errors: [InjectleError]?
        if let limit, closing.isClose(of: core) {
            if await !closing.wait(within: limit) { errors = closing.disposers.errors(of: core, after: limit) }
        } else {
            await closing.wait()
        }
        let all = errors ?? core.disposalErrors
        return CloseErrors(all: all, areObserved: areObserved, isFirst: isFirst)
    }

    /// How far a close has come on the thread of its caller.
    private enum Begun {
        case closed
        /// A task does the rest, after these endings.
        case suspended(by: [Ending])
    }

    /// Does all of the close if no step has to suspend.
    private func beginClose(of core: LocatorCore) -> Begun {
        let begun = perform { closeAtOnce(core) }
        if case .closed = begun {
            complete(core)
            decide(nil)
        }
        return begun
    }

    /// Leaves the rest to a task.
    private func leaveCloseToTask(_ core: LocatorCore, after others: [Ending], _ areObserved: Bool) {
        // Hooks that wait for holds go on. A close at once notifies of its end.
        core.notifyObservers()
        let task = Task {
            await perform { await close(core, after: others) }
            // Such as of a disposer, which does not wait for the close.
            if !progress.withLock({ $0.hasCaller }) {
                CloseErrors(all: core.disposalErrors, areObserved: areObserved).report(to: nil)
            }
            complete(core)
        }
        decide(task)
    }

    /// Completes the releases of locators that were left to the close.
    private func complete(_ core: LocatorCore) {
        end()
        if !core.hasChildren { return core.completeRelease() }
        for core in core.withDescendants.reversed() { core.completeRelease() }
    }

    /// Ends the locators if no step has to suspend.
    private func closeAtOnce(_ core: LocatorCore) -> Begun {
        if core.hasNothingToAwait {
            core.endLocator(by: .close)
            if !core.hasChildren {
                return core.hasEndingsInProgress ? .suspended(by: core.endingsInProgress) : .closed
            }
        }
        var others = beginBelow(core)
        let cores = core.withDescendants
        for core in cores {
            core.endStarts()
            others += core.endingsInProgress
        }
        if !others.isEmpty || cores.flatMap(\.allCells).contains(where: \.isAwaitedByClose) {
            return .suspended(by: others)
        }
        endLocators(core)
        // Of what a `deinit` has registered meanwhile.
        let late = core.withDescendants.flatMap(\.endingsInProgress)
        return late.isEmpty ? .closed : .suspended(by: late)
    }

    /// Begins the close of all descendants. Returns other closes that have begun before.
    private func beginBelow(_ core: LocatorCore) -> [Ending] {
        var others: [Ending] = []
        var pending: [LocatorCore] = core.children
        while let child = pending.popLast() {
            let closing = child.state.withLock { state in
                if state.closing == nil { child.beginClosing(by: self, &state) }
                return state.closing ?? self
            }
            if closing === self { child.notifyObservers() } else { others.append(closing) }
            // Children that are created from now on inherit the close.
            pending += child.children
        }
        return others
    }

    // MARK: In a task

    /// Does the rest, once other endings have ended.
    private func close(_ core: LocatorCore, after others: [Ending]) async {
        for other in others { await wait(for: other) }
        await awaitingCreations { [self] in await endCreations(in: core) }
        await dispose(in: core, after: others)
    }

    /// Waits for another ending, unless that waits for this one.
    private func wait(for other: Ending) async {
        guard let wait = WaitGraph.begin(CallingCode(besides: [node.id]), waitingFor: other.node) else { return }
        await awaiting(other) { await other.wait() }
        WaitGraph.end(wait)
    }

    /// Cancels the creations in progress, and waits for them, unless they wait for this close.
    private func endCreations(in core: LocatorCore) async {
        while !Task.isCancelled {
            var waiters: [Waiter] = []
            for cell in core.withDescendants.flatMap(\.allCells) {
                let joined = WaitGraph.join(cell, CallingCode(besides: [node.id]), isTask: true)
                if case .wait(let waiter) = joined { waiters.append(waiter) }
            }
            if waiters.isEmpty { break }
            for waiter in waiters { waiter.awaited.task?.cancel() }
            for waiter in waiters { _ = await waiter.suspend() }
        }
        for core in core.withDescendants { await core.waitForLateCreations() }
    }

    /// Adds the error of creations that the close leaves behind.
    func recordCreations(in core: LocatorCore, exceeding limit: Duration) {
        let cells = core.withDescendants.flatMap(\.allCells).filter(\.isInCreation)
        if cells.isEmpty { return }
        let error = InjectleError.closing(core, leaves: cells.map(\.record.traits.identity), after: limit)
        record(Failure(error: error, core: core), in: core)
        // The close can be left behind, too, in a hook that blocks its thread.
        disposers.add(error)
    }

    /// Ends all instances, and then the locators. A disposer can register a service, whose disposer runs, too, and
    /// begin other endings.
    private func dispose(in core: LocatorCore, after others: [Ending]) async {
        var awaited = others
        repeat {
            var items = core.withDescendants.flatMap { $0.endAllCells() }
            // The instances of endings that have begun meanwhile can use these.
            await waitForEndings(in: core, besides: &awaited)
            items.sortByCreation()
            setRest(&items, undisposed: items.count)
            for failure in await finishRest(areReturned: true) { record(failure, in: core) }
            await waitForEndings(in: core, besides: &awaited)
        } while core.withDescendants.flatMap(\.allCells).contains { cell in
            cell.canSuspendEnding && cell.state.withLock { !$0.isEnding }
        }
        endLocators(core)
        for late in core.withDescendants.flatMap(\.endingsInProgress) { await wait(for: late) }
    }

    /// Waits for the endings of instances, and adds them to those that it has waited for.
    private func waitForEndings(in core: LocatorCore, besides awaited: inout [Ending]) async {
        for other in core.withDescendants.flatMap(\.endingsInProgress)
        where !awaited.contains(where: { $0 === other }) {
            awaited.append(other)
            await wait(for: other)
        }
    }

    /// Adds the error of a disposer to its locator and to those above, which are closed with it.
    private func record(_ failure: Failure, in closed: LocatorCore) {
        for core in failure.core.chain {
            core.state.withLock { $0.ensuredExtras.disposalErrors.append(failure.error) }
            if core === closed { return }
        }
    }

    /// Ends the locators, the innermost first.
    private func endLocators(_ core: LocatorCore) {
        for core in core.withDescendants.reversed() where !core.hasEnded { core.endLocator(by: .close) }
        // Code that runs when instances are released can create children.
        while let late = core.descendants.last(where: { !$0.hasEnded }) { late.endLocator(by: .close) }
    }
}
