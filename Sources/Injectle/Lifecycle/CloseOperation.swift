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
    private let node = WaitNode()
    /// The callers that wait until it is decided whether the close needs a task; whether that is decided; and the task.
    private let progress = Mutex<
        (waiting: [CheckedContinuation<Void, Never>], isDecided: Bool, task: Task<[InjectleError], Never>?)
    >(([], false, nil))
    private weak let core: LocatorCore?
    let hooks = ClosingHooks()

    /// The close that the calling code belongs to, as a disposer does.
    @TaskLocal private static var current: CloseOperation?

    /// The close that the calling code belongs to, unless it has ended.
    private static var innermost: CloseOperation? {
        guard let current, current.progress.flags == 0 else { return nil }
        return current
    }

    static var currentNode: WaitNode? { innermost?.node }

    static var currentHooks: ClosingHooks? { innermost?.hooks }

    private init(of core: LocatorCore) {
        self.core = core
    }

    /// Closes a core in steps, unless that has begun before, and waits until it is closed.
    ///
    /// - Returns: The errors of the disposers; none for a caller that the close waits for, such as a disposer.
    static func close(_ core: LocatorCore) async -> [InjectleError] {
        let waiting = currentNode ?? TaskFrame.currentNode
        // A disposer of a descendant runs before its ancestors are closed.
        let isBelow = innermost?.core?.chain.contains { $0 === core } ?? false
        let (closing, isFirst, canWait) = core.state.withLock { state in
            let isFirst = state.closing == nil
            let closing = state.closing ?? CloseOperation(of: core)
            // Before the close begins to wait itself.
            let canWait = !isBelow && waiting?.begin(waitingFor: closing.node) ?? true
            if isFirst { core.begin(closing, &state) }
            return (closing, isFirst, canWait)
        }
        if isFirst { closing.begin(core) }
        guard canWait else { return [] }
        defer { waiting?.end(waitingFor: closing.node) }
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

    private func begin(_ core: LocatorCore) {
        let rest = CloseOperation.$current.withValue(self) { closeAtOnce(core) }
        let task = rest.map { rest in
            Task {
                defer { progress.flags = 1 }
                return await CloseOperation.$current.withValue(self, operation: rest)
            }
        }
        if task == nil { progress.flags = 1 }
        let waiting = progress.withLock { progress in
            defer { progress = ([], true, task) }
            return progress.waiting
        }
        for caller in waiting { caller.resume() }
    }

    /// Closes the core, as far as no step has to suspend. Returns the rest, or nil if there is none.
    private func closeAtOnce(_ core: LocatorCore) -> (@Sendable () async -> [InjectleError])? {
        let others = beginBelow(core)
        let cores = [core] + core.descendants
        for core in cores { core.endStarts() }
        let cells = cores.flatMap(\.allCells)
        let mustSuspend =
            !others.isEmpty
            || cells.contains { $0.record.traits.hasDisposers || $0.state.withLock { $0.creator != nil } }
        if !mustSuspend {
            end(core)
            return nil
        }
        return { [self] in
            for other in others where node.begin(waitingFor: other.node) {
                _ = await other.wait()
                node.end(waitingFor: other.node)
            }
            await endCreations(in: core)
            return await dispose(in: core)
        }
    }

    /// Ends all instances, and then the locators. A disposer can register a service, whose disposer runs, too.
    private func dispose(in core: LocatorCore) async -> [InjectleError] {
        var errors: [InjectleError] = []
        repeat {
            errors += await Ending.run { ([core] + core.descendants).flatMap(\.allMembers) }
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
                if state.closing == nil { child.begin(self, &state) }
                return state.closing ?? self
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
                    guard let creator = state.creator, node.begin(waitingFor: creator) else { return nil }
                    let waiter = Waiter(for: creator, in: cell, node: node, isTask: true)
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
        state.closing = closing
        setClosing()
    }

    /// The stores that have cells of this locator or of its registrations: its own, the scopes' and the named ancestors'.
    private var stores: [(store: CellStore, record: AnyRecord?)] {
        let records = registrations.compactMap(\.record)
        let scopes = records.flatMap { record in
            (record.scopes?.current ?? [:]).values.map { (store: $0, record: AnyRecord?.some(record)) }
        }
        let ancestors = records.filter(\.traits.lifetime.usesOtherLocators).flatMap { record in
            (parent?.chain.map(\.store) ?? []).map { (store: $0, record: AnyRecord?.some(record)) }
        }
        return [(store, nil)] + scopes + ancestors
    }

    fileprivate var allCells: [Cell] { stores.flatMap { $0.store.cells(of: $0.record) } }

    /// Ends these cells. Returns those with an instance.
    fileprivate var allMembers: [Ending.Member] {
        var seen: Set<ObjectIdentifier> = []
        return stores.flatMap { $0.store.end($0.record) }.filter { seen.insert(ObjectIdentifier($0.cell)).inserted }
    }
}
