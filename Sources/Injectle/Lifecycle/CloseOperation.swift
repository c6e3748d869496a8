/// The close of a locator and of its descendants.
///
/// It has four steps: the locators keep no new instances; running creations end; disposers run in reverse order of creation;
/// the locators end. Until the last step, instances can still be resolved, so a disposer can use the dependencies of its
/// service. If no step has to suspend, as in most requests, the caller that begins the close does all of them; else a task
/// does the rest, which the cancellation of a caller does not cancel.
///
/// It has a node of the wait-for graph, since it waits for creations and other closes, and they can wait for it: two disposers
/// can close each other's locators.
///
/// Invariant: a core gets its close under its lock, and keeps it. The caller that begins the close changes `progress` once.
/// Its flags are 1 once the close has ended.
final class CloseOperation: Sendable {
    /// `weak let` needs Swift 6.3.
    private struct Reference: Sendable {
        weak var core: LocatorCore?
    }

    private struct Progress {
        /// The callers that wait until it is decided whether the close needs a task.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isDecided = false
        var task: Task<[InjectleError], Never>?
    }

    private let progress = Mutex(Progress())
    private let closed: Reference
    let hooks = ClosingHooks()

    /// The close that the calling code belongs to, as a disposer does.
    static let local = OwnTaskLocal<CloseOperation>()
    private static var innermost: CloseOperation? { local.current }

    static var currentNode: Node? { innermost?.node }

    private var node: Node { Node(self) }

    static var currentHooks: ClosingHooks? { innermost?.hooks }

    private init(of core: LocatorCore) {
        closed = Reference(core: core)
    }

    /// Closes a core in steps, unless that has begun before, and waits until it is closed.
    ///
    /// - Returns: The errors of the disposers; none for a caller that the close waits for, such as a disposer.
    static func close(_ core: LocatorCore) async -> [InjectleError] {
        let waiting = Node.waiting
        // A disposer of a descendant runs before its ancestors are closed.
        let isBelow = innermost?.closed.core?.chain.contains { $0 === core } ?? false
        let (closing, isFirst, canWait) = core.state.withLock { state in
            let present = state.extras?.closing
            let isFirst = present == nil
            let closing = present ?? CloseOperation(of: core)
            // Before the close begins to wait itself.
            let canWait = !isBelow && WaitGraph.begin(waiting, waitingFor: closing.node)
            if isFirst { core.begin(closing, &state) }
            return (closing, isFirst, canWait)
        }
        if isFirst, closing.begin(core) {
            WaitGraph.end(canWait ? waiting : [], waitingFor: closing.node)
            return []
        }
        guard canWait else { return [] }
        defer { WaitGraph.end(waiting, waitingFor: closing.node) }
        return await closing.wait()
    }

    /// Waits for the end. Returns the errors of the disposers.
    private func wait() async -> [InjectleError] {
        await withCheckedContinuation { continuation in
            let isDecided = progress.withLock { progress in
                if !progress.isDecided { progress.waiting.append(continuation) }
                return progress.isDecided
            }
            if isDecided { continuation.resume() }
        }
        return await progress.withLock { $0.task }?.value ?? []
    }

    /// Returns whether the core is closed already.
    private func begin(_ core: LocatorCore) -> Bool {
        let others = CloseOperation.local.withValue(self) { closeAtOnce(core) }
        let task = others.map { others in
            Task {
                await CloseOperation.local.withValue(self) { await close(core, after: others) }
            }
        }
        let waiting = progress.withLock { progress in
            defer { progress = Progress(isDecided: true, task: task) }
            return progress.waiting
        }
        for caller in waiting { caller.resume() }
        return task == nil
    }

    /// Closes the core if no step has to suspend, and returns nil. Else it returns the closes that the rest waits for.
    private func closeAtOnce(_ core: LocatorCore) -> [CloseOperation]? {
        if core.hasNothingToAwait {
            core.end()
            if core.children.isEmpty { return nil }
        }
        let others = beginBelow(core)
        let cores = [core] + core.descendants
        for core in cores { core.endStarts() }
        let cells = cores.flatMap(\.allCells)
        let mustSuspend =
            !others.isEmpty
            || cells.contains { $0.record.traits.hasDisposers || $0.state.withLock { $0.creator != nil } }
        if mustSuspend { return others }
        end(core)
        return nil
    }

    /// Does the rest, once other closes have ended. Returns the errors of the disposers.
    private func close(_ core: LocatorCore, after others: [CloseOperation]) async -> [InjectleError] {
        for other in others where WaitGraph.begin([node.id], waitingFor: other.node) {
            _ = await other.wait()
            WaitGraph.end([node.id], waitingFor: other.node)
        }
        await endCreations(in: core)
        return await dispose(in: core)
    }

    /// Ends all instances, and then the locators. A disposer can register a service, whose disposer runs, too.
    private func dispose(in core: LocatorCore) async -> [InjectleError] {
        var errors: [InjectleError] = []
        repeat {
            errors += await Ending.run { $0 = ([core] + core.descendants).flatMap(\.allMembers) }
        } while ([core] + core.descendants).flatMap(\.allCells).contains { cell in
            cell.record.traits.hasDisposers && cell.state.withLock { !$0.isEnded }
        }
        end(core)
        return errors
    }

    /// Ends the locators, the innermost first.
    private func end(_ core: LocatorCore) {
        for core in ([core] + core.descendants).reversed() where !core.isTerminated { core.end() }
        // Code that runs when instances are released can create children.
        while let late = core.descendants.last(where: { !$0.isTerminated }) { late.end() }
    }

    /// Begins the close of all descendants. Returns other closes that have begun before.
    private func beginBelow(_ core: LocatorCore) -> [CloseOperation] {
        var (others, pending): ([CloseOperation], [LocatorCore]) = ([], core.children)
        while let child = pending.popLast() {
            let closing = child.state.withLock { state in
                if state.extras?.closing == nil { child.begin(self, &state) }
                return state.extras?.closing ?? self
            }
            if closing !== self { others.append(closing) }
            // Children that are created from now on inherit the close.
            pending += child.children
        }
        return others
    }

    /// Cancels the creations in progress, and waits for them, unless they wait for this close.
    private func endCreations(in core: LocatorCore) async {
        while true {
            var waiters: [Waiter] = []
            for cell in ([core] + core.descendants).flatMap(\.allCells) {
                let waiter = cell.state.withLock { state -> Waiter? in
                    // A creation that waits for this close is not waited for.
                    guard let creator = state.creator, WaitGraph.begin([node.id], waitingFor: creator, in: cell) else {
                        return nil
                    }
                    let waiter = Waiter(for: creator, in: cell, nodes: [node.id], isTask: true)
                    state.enter(waiter)
                    creator.task?.isWaitedFor()
                    return waiter
                }
                if let waiter { waiters.append(waiter) }
            }
            if waiters.isEmpty { return }
            for waiter in waiters { waiter.creator.task?.cancel() }
            for waiter in waiters { _ = await waiter.suspend() }
        }
    }
}

extension LocatorCore {
    /// Begins a close. The lock is held.
    fileprivate func begin(_ closing: CloseOperation, _ state: inout State) {
        state.neededExtras.closing = closing
        setClosing()
    }

    /// Whether it has no children, disposers, creations or starts in progress, nor instances in other holders.
    fileprivate var hasNothingToAwait: Bool {
        state.withLock { state in
            guard state.children.isEmpty, state.extras?.starts.isEmpty ?? true else { return false }
            var hasNothing = true
            forEachRecord(in: state) { record in
                if record.traits.hasDisposers || record.traits.lifetime.usesOtherHolders || record.cells.isInCreation {
                    hasNothing = false
                }
            }
            state.inheritedCells.forEach { cell in
                if cell.record.traits.hasDisposers || cell.isInCreation { hasNothing = false }
            }
            return hasNothing
        }
    }

    /// The cells of this locator and of its registrations: also in scopes and in named ancestors.
    fileprivate var allCells: [Cell] {
        cells + cellHoldersElsewhere.flatMap { $0.holder.cells(of: $0.record) }
    }

    /// Ends these cells. Returns those with an instance, and the registrations.
    fileprivate var allMembers: [Ending.Member] {
        var seen: Set<ObjectIdentifier> = []
        let elsewhere = cellHoldersElsewhere.flatMap { $0.holder.endCells(of: $0.record) }
        return (cells.compactMap(endCell) + elsewhere).filter { member in
            member.cell.map { seen.insert(ObjectIdentifier($0)).inserted } ?? false
        }
    }

    /// A holder of cells of a registration.
    private struct Elsewhere {
        let holder: any CellHolder
        let record: AnyRecord
    }

    private var cellHoldersElsewhere: [Elsewhere] {
        let records: [AnyRecord] = state.withLock { state in self.records(in: state) }
        return records.flatMap { record -> [Elsewhere] in
            let scopes = (record.scopes?.current ?? [:]).values.map { Elsewhere(holder: $0, record: record) }
            guard record.traits.lifetime.usesOtherLocators, let parent else { return scopes }
            return scopes + parent.chain.map { Elsewhere(holder: $0, record: record) }
        }
    }
}
