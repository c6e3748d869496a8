/// The state of a locator: its entries, its cells, and its links to other locators.
///
/// A `Locator` is a handle of its core. Instances can refer to the core, also in circles; when the last handle is released, it
/// ends the core, which breaks them.
///
/// Invariant: `table` and `store` protect themselves. All else that changes is in `state`.
@usableFromInline final class LocatorCore: Sendable {
    @usableFromInline struct State {
        /// The entries with a key, by its hash.
        var keyed: [Int: [Entry]] = [:]
        /// The registrations that decorators wrap.
        var decorated: [Entry] = []
        /// Counts the changes of entries.
        var revision = 0
        /// The number of entries that were ever registered.
        var registered = 0
        /// The number of entries that a later registration of their identity replaces whichever arguments they declare: those
        /// of the locator that this one copies, and of earlier traits of a test.
        var layer = 0
        /// The names of the locators that this one copies.
        var copiedNames: Set<String> = []
        /// The types that only children have, as checks were told.
        var servicesOfChildren: Set<ObjectIdentifier> = []
        /// The ids of the modules that were applied, and the numbers of the calls that applied them.
        var appliedModules: [(id: AnyHashable, call: Int)] = []
        /// Counts the changes of the applied modules.
        var modulesRevision = 0
        /// The observers of this locator and of its descendants.
        var behaviors: [AddedBehavior] = []
        /// The number of behaviors that were ever added.
        var addedBehaviors = 0
        var mainActorTimeout = Duration.seconds(2)
        /// The locators that keep it from ending: its own, and its children's, which retain it.
        var handles = 1
        /// The cores of the children, until their last handle is released.
        var children: [ObjectIdentifier: LocatorCore] = [:]
        /// The starts in progress, by the address of the request.
        var starts: [ObjectIdentifier: (request: Request, updates: AsyncStream<Update>.Continuation)] = [:]
        /// The close of this locator, once that has begun.
        var closing: CloseOperation?
    }

    let name: String?
    /// The member of `Locator` that is this locator, if it is one of the two of the process: "default" or "test".
    let member: String?
    @usableFromInline let parent: LocatorCore?
    /// Whether its locator retains the parent's locator.
    let retainsParentLocator: Bool
    @usableFromInline let table: TypeTable
    /// The cells of the instances that this locator creates, and of those that it keeps for other lifetimes.
    let store = CellStore()
    @usableFromInline let state = Mutex(State())

    /// - Parameter retainsLocator: Whether the locator of the core retains the parent's locator, which the caller retains then.
    init(
        _ name: String?,
        member: String? = nil,
        below parent: LocatorCore? = nil,
        retainsLocator: Bool = false,
        mainActorTimeout: Duration? = nil
    ) {
        (self.name, self.member, self.parent, retainsParentLocator) = (name, member, parent, retainsLocator)
        table = TypeTable(below: parent?.table)
        guard let parent else {
            if let mainActorTimeout { self.mainActorTimeout = mainActorTimeout }
            return
        }
        parent.state.withLock { state in
            let (timeout, closing) = (mainActorTimeout ?? state.mainActorTimeout, state.closing)
            self.state.withLock { ($0.mainActorTimeout, $0.closing) = (timeout, closing) }
            self.state.flags = parent.inheritedFlags
            if retainsLocator { state.handles += 1 }
            state.children[ObjectIdentifier(self)] = self
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
        return self.name == name || state.withLock { $0.copiedNames.contains(name) }
    }

    var mainActorTimeout: Duration {
        get { state.withLock { $0.mainActorTimeout } }
        set { state.withLock { $0.mainActorTimeout = newValue } }
    }

    // MARK: Children

    /// The cores of the locators whose parent this is.
    var children: [LocatorCore] { state.withLock { Array($0.children.values) } }

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
        while core.state.withLock({ state in
            state.handles -= 1
            return state.handles == 0
        }) {
            core.end()
            let parent = core.parent
            _ = parent?.state.withLock { $0.children.removeValue(forKey: ObjectIdentifier(core)) }
            guard core.retainsParentLocator, let parent else { return }
            core = parent
        }
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
        state.flags = state.flags & LocatorCore.ofState | LocatorCore.flags(kinds, below: below)
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
