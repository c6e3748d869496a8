internal import CInjectle

/// An ending that other code can wait for: the close of a locator, or the rest of another ending, for which the close
/// of the locator waits.
///
/// It has a node of the wait-for graph, since it waits for creations and other endings, and they can wait for it: two
/// disposers can close each other's locators.
///
/// Invariant: a core gets its close under its lock, and keeps it. Whoever begins the ending calls `decide` and
/// `end` once. The flags of `progress` are 1 once it has ended.
final class EndingOperation: Sendable {
    private struct Progress {
        /// The locator that ends, until it has. Not weak: a weak reference to a core would slow all its strong ones.
        var core: LocatorCore?
        /// The locators whose closes wait for it, unless it is a close itself.
        var waitingCores: [LocatorCore] = []
        /// The `onDispose` hooks, once one has begun.
        var disposers: RunningDisposers?
        /// The callers that wait until it is decided whether the ending needs a task.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isDecided = false
        var task: Task<Void, Never>?
        /// Another ending that this one waits for.
        var awaited: EndingOperation?
        /// Waits for creations that the ending has cancelled.
        var creations: Task<Void, Never>?
    }

    private let progress: Mutex<Progress>

    /// The ending whose part in a task the calling code belongs to, as an async disposer does.
    static let local = OwnTaskLocal<EndingOperation>()

    /// The ending that the calling task belongs to, unless it has ended.
    private static var innermost: EndingOperation? {
        // Before `local`, whose initialization each access checks by a call.
        injectle_has_task_values() ? local.current.flatMap { $0.isInProgress ? $0 : nil } : nil
    }

    /// Whether the close of a locator waits for that ending, which is of the locator or of a descendant.
    static func isInCurrent(_ core: LocatorCore) -> Bool {
        guard let innermost else { return false }
        let (own, others) = innermost.progress.withLock { ($0.core, $0.waitingCores) }
        return (others + [own].compactMap(\.self)).contains { $0.chain.contains { $0 === core } }
    }

    static var currentDisposers: RunningDisposers? { innermost?.disposers }

    /// The endings that cannot end before the calling code has.
    static var currentNodes: [UInt] {
        var nodes: [UInt] = []
        let onThread = injectle_ending()
        if onThread != 0 { nodes.append(onThread) }
        if let innermost { nodes.append(innermost.node.id) }
        return nodes
    }

    /// Runs `body` as code of the ending, on this thread.
    func perform<Value>(_ body: () -> Value) -> Value {
        let outer = injectle_ending()
        injectle_set_ending(node.id)
        defer { injectle_set_ending(outer) }
        return body()
    }

    /// Runs `body` as code of the ending, in this task.
    func perform<Value>(_ body: () async -> Value) async -> Value {
        await EndingOperation.local.withValue(self, body)
    }

    var isInProgress: Bool { progress.flags == 0 }

    var node: Node { Node(self) }

    init(of core: LocatorCore?, waitedForBy cores: [LocatorCore] = []) {
        progress = Mutex(Progress(core: core, waitingCores: cores))
    }

    /// Lets the close of another locator wait for it, too, before cells with disposers end there.
    func add(to core: LocatorCore) {
        let isNew = progress.withLock { progress in
            if progress.waitingCores.contains(where: { $0 === core }) { return false }
            progress.waitingCores.append(core)
            return true
        }
        if isNew { core.state.withLock { $0.ensuredExtras.endingsInProgress.append(self) } }
    }

    /// The `onDispose` hooks that the ending runs.
    var disposers: RunningDisposers {
        progress.withLock { progress in
            if let present = progress.disposers { return present }
            let created = RunningDisposers()
            progress.disposers = created
            return created
        }
    }

    /// Ends it, also for the locators whose closes wait for it.
    func end() {
        let (core, cores) = progress.withLock { state in
            progress.flags = 1
            defer { state.waitingCores = [] }
            return (state.core.take(), state.waitingCores)
        }
        for core in cores { core.state.withLock { $0.extras?.endingsInProgress.removeAll { $0 === self } } }
        withExtendedLifetime(core) {}
    }

    /// Waits for the end.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isDecided = progress.withLock { progress in
                if !progress.isDecided { progress.waiting.append(continuation) }
                return progress.isDecided
            }
            if isDecided { continuation.resume() }
        }
        await progress.withLock { $0.task }?.value
    }

    /// Waits for the end. After each `limit`, leaves behind the hook or the creations that the ending waits for. Returns
    /// false if two limits in a row find nothing to leave, as where synchronous code blocks a thread.
    func wait(within limit: Duration) async -> Bool {
        let hasEnded = FirstValue<Bool>()
        // A task and no `Timer`: its turn comes after hooks that are due, so that these have begun on a busy machine.
        let timer = Task {
            var isStuck = false
            while true {
                let pause = max(limit.clamped, .milliseconds(isStuck ? 100 : 1))
                try await Task.sleep(until: .now + pause, clock: .continuous)
                let hasLeft = leaveBehind(after: limit)
                // Hooks that begin later are left behind, too.
                if !hasLeft, isStuck { hasEnded.set(false) }
                isStuck = !hasLeft
            }
        }
        Task {
            await wait()
            timer.cancel()
            hasEnded.set(true)
        }
        return await hasEnded.value
    }

    /// Whether it is the close of a locator and not of an ancestor, or has ended.
    func isClose(of core: LocatorCore) -> Bool { progress.withLock { $0.core == nil || $0.core === core } }

    /// Leaves behind what the ending waits for: an async hook, or creations that ignore their cancellation. Returns
    /// false if it waits for neither.
    private func leaveBehind(after limit: Duration) -> Bool {
        let progress = progress.snapshot
        if let awaited = progress.awaited { return awaited.leaveBehind(after: limit) }
        if let creations = progress.creations, let core = progress.core {
            if !creations.isCancelled { recordCreations(in: core, exceeding: limit) }
            creations.cancel()
            return true
        }
        return progress.disposers?.leaveRunning(after: limit) ?? false
    }

    /// Runs `body`, which waits for another ending.
    func awaiting(_ other: EndingOperation, _ body: () async -> Void) async {
        progress.withLock { $0.awaited = other }
        await body()
        let former = progress.withLock { $0.awaited.take() }
        withExtendedLifetime(former) {}
    }

    /// Runs `body`, which waits for creations until its task is cancelled: a task of its own, since hooks run in the
    /// one of the ending.
    func awaitingCreations(_ body: @escaping @Sendable () async -> Void) async {
        let task = Task { await body() }
        progress.withLock { $0.creations = task }
        await task.value
        progress.withLock { $0.creations = nil }
    }

    /// Decides whether a task does the rest, and wakes the callers that wait for this.
    func decide(_ task: Task<Void, Never>?) {
        var waiting: [CheckedContinuation<Void, Never>] = []
        progress.withLock { progress in
            progress.isDecided = true
            progress.task = task
            swap(&progress.waiting, &waiting)
        }
        for caller in waiting { caller.resume() }
    }
}
