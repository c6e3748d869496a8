internal import CInjectle

/// The one ending of instances: of a close, a reset, an unregistration, a replacement, a scope, a resolve, and of the
/// last reference to a locator.
///
/// 1. The cells end, so that nothing is created in them any more.
/// 2. The disposers run in reverse order of creation, while all instances can still be read.
/// 3. The instances are released in reverse order of creation, each unreadable only once it is itself released: so a
///    `deinit` can read its dependencies.
///
/// `endNow` does this on the calling thread (`Ending+Now`). An async disposer, and a disposer or an instance of another
/// actor, leave themselves and all that was created before to a task (`Ending+Rest`). A close awaits every step
/// (`Ending+Close`).
///
/// Most endings need no object. This is one that other code can wait for: with disposers, with a rest in a task, or of
/// a close. It has a node of the wait-for graph, since it waits for creations and other endings, and they can wait for
/// it: two disposers can close each other's locators.
///
/// Invariant: a core gets its close under its lock, and keeps it. Whoever begins the ending calls `decide` and
/// `end` once. The flags of `progress` are 1 once it has ended.
final class Ending: Sendable {
    struct Progress {
        /// The locator that ends, until it has. Not weak: a weak reference to a core would slow all its strong ones.
        var core: LocatorCore?
        /// The locators whose closes wait for it, unless it is a close itself.
        var waitingCores: [LocatorCore] = []
        /// The `onDispose` hooks, once one has begun.
        var disposers: RunningDisposers?
        /// The callers that wait until it is decided whether the ending needs a task.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isDecided = false
        /// Whether a caller of the close waits for its errors.
        var hasCaller = false
        var task: Task<Void, Never>?
        /// Another ending that this one waits for.
        var awaited: Ending?
        /// Waits for creations that the ending has cancelled.
        var creations: Task<Void, Never>?
        /// The items that are left to a task, in order of creation. It takes the last one, and no other variable
        /// retains that.
        var items: [EndingItem] = []
        /// The number of items whose disposers have not run.
        var undisposed = 0
    }

    let progress: Mutex<Progress>

    init(of core: LocatorCore?, waitedForBy cores: [LocatorCore] = []) {
        progress = Mutex(Progress(core: core, waitingCores: cores))
    }

    var node: Node { Node(self) }

    var isInProgress: Bool { progress.flags == 0 }

    /// Whether it is the close of a locator and not of an ancestor, or has ended.
    func isClose(of core: LocatorCore) -> Bool { progress.withLock { $0.core == nil || $0.core === core } }

    /// The `onDispose` hooks that the ending runs.
    var disposers: RunningDisposers {
        progress.withLock { progress in
            if let present = progress.disposers { return present }
            let created = RunningDisposers()
            progress.disposers = created
            return created
        }
    }

    // MARK: The locators whose closes wait for it

    /// Adds an ending to a locator, whose close waits for it if that begins later. The lock of the core is held.
    static func add(to core: LocatorCore, _ state: inout LocatorCore.State) -> Ending {
        let ending = Ending(of: core, waitedForBy: [core])
        state.ensuredExtras.endingsInProgress.append(ending)
        return ending
    }

    /// Adds the ending of instances of some registrations to their locators, before the cells end. Nil if no
    /// registration has disposers.
    static func add(forDisposersOf instances: [(record: AnyRecord, holder: any CellHolder)]) -> Ending? {
        let cores = instances.filter(\.record.traits.hasDisposers).map {
            LocatorCore.owner(of: $0.record, in: $0.holder)
        }
        return cores.isEmpty ? nil : add(to: cores)
    }

    /// Adds an ending to locators.
    static func add(to cores: [LocatorCore]) -> Ending {
        let ending = Ending(of: cores.first)
        for core in cores { ending.add(to: core) }
        return ending
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

    // MARK: Waiting for the end

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

    // MARK: The calling code

    /// The ending whose part in a task the calling code belongs to, as an async disposer does.
    static let local = OwnTaskLocal<Ending>()

    /// The ending that the calling task belongs to, unless it has ended.
    private static var innermost: Ending? {
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
    func perform<Value>(_ body: () async -> Value) async -> Value { await Ending.local.withValue(self, body) }
}
