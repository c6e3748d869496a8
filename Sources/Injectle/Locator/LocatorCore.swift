/// The state of a locator: its entries, its cells, and its links to other locators.
///
/// A `Locator` is a handle of its core. Instances can refer to the core, also in circles; when the last handle is released, it
/// ends the core, which breaks them.
///
/// Invariant: `table` protects itself. All else that changes is in `state`.
@usableFromInline final class LocatorCore: Sendable {
    @usableFromInline struct State {
        /// The entries with a key, by its hash.
        var keyed: [Int: [Entry]] = [:]
        /// Counts the changes of registrations.
        var revision = 0
        /// Counts the entries with a key that were added or removed.
        var keyedRevision = 0
        /// The number of registrations that were ever inserted.
        var registered = 0
        /// The number of checks of insertions in progress.
        var checks = 0
        /// The cells of instances that this locator has of its ancestors' registrations.
        var inheritedCells = CellTable()
        var mainActorTimeout = Duration.seconds(2)
        /// The locators that keep it from ending: its own, and its children's, which retain it.
        var handles = 1
        /// The cores of the children, until their last handle is released.
        var children: [LocatorCore] = []
        /// The position among the children of the parent. It changes under the lock of the parent, too.
        var position = 0
        /// What few locators have.
        var extras: Extras?

        /// What few locators have, which is created if there is none.
        var neededExtras: Extras {
            get { extras ?? Extras() }
            _modify {
                var present = extras.take() ?? Extras()
                defer { extras = present }
                yield &present
            }
        }
    }

    /// The part of the state that few locators have. The lock of the locator guards it.
    struct Extras {
        /// The names of the locators that this one copies.
        var copiedNames: Set<String> = []
        /// The types that only children have, as checks were told.
        var servicesOfChildren: Set<ObjectIdentifier> = []
        /// The entries of registrations that decorators request.
        var hidden: [Entry] = []
        /// Defaults of keys that looks have found, and no request.
        var defaults: [Found] = []
        /// The modules that were applied.
        var appliedModules: [AppliedModule] = []
        /// Counts the changes of the applied modules.
        var modulesRevision = 0
        /// The observers of this locator and of its descendants.
        var behaviors: [AddedBehavior] = []
        /// The number of behaviors that were ever added.
        var addedBehaviors = 0
        /// The starts in progress.
        var starts: [RunningStart] = []
        /// The close of this locator, once that has begun.
        var closing: CloseOperation?
        /// Whether the close in progress removes it from its parent, since its last handle was released meanwhile.
        var isLeftToClose = false
        /// The errors of disposers of this locator and of its descendants, in the close.
        var disposalErrors: [InjectleError] = []
        /// The endings of instances that are in progress in tasks.
        var rests: [CloseOperation] = []
        /// The runs that wait for the end of this locator or of its children.
        var endObservers: [AsyncStream<Void>.Continuation] = []
        /// The number of holds.
        var holds = 0
        /// Whether the release of the last hold closes this locator.
        var isClosedByLastHold = false
    }

    let name: String?
    /// The member of `Locator` that is this locator, if it is one of the two of the process: "default" or "test".
    let member: String?
    @usableFromInline let parent: LocatorCore?
    /// Whether its locator retains the parent's locator.
    let retainsParentLocator: Bool
    @usableFromInline let table: TypeTable<Entry>
    @usableFromInline let state = Mutex(State())

    /// - Parameter retainsLocator: Whether the locator of the core retains the parent's locator, which the caller retains then.
    init(
        _ name: String?,
        member: String? = nil,
        below parent: LocatorCore? = nil,
        retainsLocator: Bool = false,
        mainActorTimeout: Duration? = nil
    ) {
        self.name = name
        self.member = member
        self.parent = parent
        retainsParentLocator = retainsLocator
        table = TypeTable(below: parent?.table)
        guard let parent else {
            if let mainActorTimeout { self.mainActorTimeout = mainActorTimeout }
            return
        }
        parent.state.withLock { parentState in
            state.flags = parent.inheritedFlags
            state.withLock { state in
                state.mainActorTimeout = mainActorTimeout ?? parentState.mainActorTimeout
                if let closing = parentState.extras?.closing { state.neededExtras.closing = closing }
                state.position = parentState.children.count
            }
            if retainsLocator { parentState.handles += 1 }
            parentState.children.append(self)
        }
    }

    /// The locator in the text of errors.
    var title: String {
        if let member { return "the \(member) locator" }
        return name.map { "the locator \"\($0)\"" } ?? "a locator without a name"
    }

    /// The locator in the code of errors.
    var expression: String { member.map { "Locator.\($0)" } ?? "locator" }

    /// The locator and its ancestors, nearest first.
    var chain: some Sequence<LocatorCore> { sequence(first: self, next: \.parent) }

    /// The ancestor without a parent, or the locator itself.
    var root: LocatorCore { chain.reduce(self) { $1 } }

    /// Whether this locator has a name, or is a copy of a locator that has it.
    func isNamed(_ name: String?) -> Bool {
        guard let name else { return self.name == nil }
        return self.name == name || state.withLock { $0.extras?.copiedNames.contains(name) ?? false }
    }

    var mainActorTimeout: Duration {
        get { state.withLock { $0.mainActorTimeout } }
        set { state.withLock { $0.mainActorTimeout = newValue } }
    }

    // MARK: Children

    /// The cores of the locators whose parent this is.
    var children: [LocatorCore] { state.withLock { $0.children } }

    /// The cores of all locators below this one, each after its parent.
    var descendants: [LocatorCore] {
        var all = children
        var position = 0
        while position < all.count {
            all += all[position].children
            position += 1
        }
        return all
    }

    /// Releases a handle of a core, and ends the core with the last one, and then the ancestors that only it has retained.
    static func releaseHandle(of core: LocatorCore) {
        var core = core
        // One after the other, since a long chain would overflow the stack.
        while core.dropHandle() {
            core.end()
            guard let parent = core.leaveParent() else { return }
            core = parent
        }
    }

    /// Returns whether the caller has to end the core. A close in progress does it itself, in its order.
    private func dropHandle() -> Bool {
        state.withLock { state in
            state.handles -= 1
            if state.handles > 0 { return false }
            guard state.extras?.closing?.isInProgress == true else { return true }
            state.extras?.isLeftToClose = true
            return false
        }
    }

    /// Completes the release of a core that was left to a close, which has ended.
    func completeRelease() {
        let isLeft = state.withLock { state in
            guard state.extras?.isLeftToClose == true else { return false }
            state.extras?.isLeftToClose = false
            return true
        }
        if isLeft, let parent = leaveParent() { LocatorCore.releaseHandle(of: parent) }
    }

    /// Removes a core that has ended from its parent, of which it may need services until its instances are released. Returns
    /// the parent if the caller has to release its handle.
    private func leaveParent() -> LocatorCore? {
        guard let parent else { return nil }
        let rests = state.withLock { $0.extras?.rests ?? [] }
        if rests.isEmpty {
            parent.remove(child: self)
            return retainsParentLocator ? parent : nil
        }
        Task {
            for rest in rests { await rest.wait() }
            if let parent = leaveParent() { LocatorCore.releaseHandle(of: parent) }
        }
        return nil
    }

    /// Removes a child, whose place the last one gets.
    private func remove(child: LocatorCore) {
        state.withLock { state in
            let position = child.state.withLock { $0.position }
            guard let last = state.children.popLast(), last !== child else { return }
            state.children[position] = last
            last.state.withLock { $0.position = position }
        }
    }
}

extension LocatorCore: CellHolder {
    /// The cells of a registration are in it, for the locator that has registered it, and in the locator for an inherited one.
    func withCells(of record: AnyRecord, _ body: (inout CellSet, Bool) -> Void) {
        state.withLock { state in
            if record.core === self { return body(&record.cells, isTerminated) }
            state.inheritedCells.withCells(of: record) { body(&$0, isTerminated) }
        }
    }

    /// All cells: of its registrations, and of inherited ones.
    var cells: [Cell] {
        state.withLock { state in
            records(in: state).flatMap(\.cells.all) + state.inheritedCells.all
        }
    }

    /// All registrations, each once, in no order. The lock is held.
    func records(in state: State) -> [AnyRecord] {
        var records: [AnyRecord] = []
        forEachRecord(in: state) { records.append($0) }
        return records
    }

    /// Calls `body` for each registration once, in no order. The lock is held.
    func forEachRecord(in state: State, _ body: (AnyRecord) -> Void) {
        table.forEach { $0.forEachFirst(body) }
        for entry in state.extras?.hidden ?? [] { entry.forEachFirst(body) }
        if state.keyed.isEmpty { return }
        for entry in state.keyed.values.joined() { entry.forEachFirst(body) }
    }
}

/// The state that each read of a locator checks, in one word.
extension LocatorCore {
    /// Behaviors of the locator or of an ancestor observe `didResolve`: each read is an event.
    private static var observedReads: UInt { 1 }
    /// The locator is closed or being closed: reads look whether it still is open.
    private static var closing: UInt { 2 }
    /// The locator has ended and ignores registrations.
    private static var terminated: UInt { 4 }
    /// The locator ends, since its last handle was released.
    private static var ending: UInt { 8 }
    /// Reads that find one of these flags take the slow path.
    @usableFromInline static var slowReads: UInt { @inlinable @inline(__always) get { 15 } }
    private static var ofState: UInt { closing | terminated | ending }

    /// Whether a read may return an existing instance at once.
    @inlinable @inline(__always)
    var isPlain: Bool { state.flags & LocatorCore.slowReads == 0 }

    /// The locator is being built by the closure that it was created with.
    private static var building: UInt { 16 }

    /// Whether a closure registers the services of a new locator. It has no other user yet.
    @usableFromInline var isBeingBuilt: Bool {
        get { state.flags & LocatorCore.building != 0 }
        set {
            let flag = newValue ? LocatorCore.building : 0
            state.withLock { _ in state.flags = state.flags & ~LocatorCore.building | flag }
        }
    }

    /// Whether the close has begun.
    var isClosing: Bool { state.flags & LocatorCore.closing != 0 }

    /// Whether the last handle was released, or the locator was closed.
    var isTerminated: Bool { state.flags & LocatorCore.terminated != 0 }

    /// The nearest locator, from this one up to its root, that has ended. A child of a resolver can outlive its parent.
    var terminated: LocatorCore? { chain.first(where: \.isTerminated) }

    /// The kinds of events that behaviors of the locator or of an ancestor observe.
    var observedKinds: UInt8 { UInt8(truncatingIfNeeded: state.flags >> 8) }

    /// The kinds of a child's events that behaviors of the locator or of an ancestor observe.
    var kindsObservedBelow: UInt8 { UInt8(truncatingIfNeeded: state.flags >> 16) }

    /// The flags of a new child. The lock is held.
    private var inheritedFlags: UInt {
        let kinds = kindsObservedBelow
        return (isClosing ? state.flags & LocatorCore.ofState : 0) | LocatorCore.flags(kinds, below: kinds)
    }

    private static func flags(_ kinds: UInt8, below: UInt8) -> UInt {
        UInt(kinds) << 8 | UInt(below) << 16 | (kinds & Locator.Event.Kind.didResolve.bit != 0 ? observedReads : 0)
    }

    /// Sets the kinds of events that behaviors observe, in the locator and below it. The lock is held.
    func observe(_ kinds: UInt8, below: UInt8) {
        let kept = state.flags & (LocatorCore.ofState | LocatorCore.building)
        state.flags = kept | LocatorCore.flags(kinds, below: below)
    }

    /// Whether it keeps no new instances.
    var isEnding: Bool { state.flags & LocatorCore.ofState != 0 }

    /// The lock is held.
    func setEnding() { state.flags |= LocatorCore.ending }

    /// The lock is held.
    func setClosing() { state.flags |= LocatorCore.closing }

    /// The lock is held.
    func setTerminated() { state.flags |= LocatorCore.terminated }
}
