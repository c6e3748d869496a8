/// The state of a locator: its entries, its cells, and its links to other locators.
///
/// A `Locator` is a handle of its core. Instances can refer to the core, also in circles; when the last handle is
/// released, it ends the core, which breaks them.
///
/// Invariant: `table` is read without a lock, and changes under the lock of `state`. All else that changes is in
/// `state`.
@usableFromInline final class LocatorCore: Sendable {
    @usableFromInline struct State {
        /// The entries with a key, by its hash.
        var entriesByKeyHash: [Int: [Entry]] = [:]
        /// Counts the changes of registrations.
        var revision = 0
        /// Counts the entries with a key that were added or removed.
        var keyedRevision = 0
        /// The number of registrations that were ever inserted.
        var insertionCount = 0
        /// The number of checks of insertions in progress.
        var checks = 0
        /// The cells of other locators' registrations: of ancestors, and of descendants whose lifetime names this
        /// locator.
        var cellsOfOthers = CellTable()
        var mainActorTimeout = Duration.seconds(2)
        /// The locators that keep it from ending: its own, and its children's, which retain it.
        var handles = 1
        /// The cores of the children, until their last handle is released.
        var children: [LocatorCore] = []
        /// The position among the children of the parent. It changes under the lock of the parent, too.
        var position = 0
        /// The close of this locator, once that has begun.
        var closing: Ending?
        /// What few locators have.
        private(set) var extras: Extras?

        /// The same, created if there is none.
        var ensuredExtras: Extras {
            mutating get {
                if let extras { return extras }
                let created = Extras()
                extras = created
                return created
            }
        }
    }

    /// The part of the state that few locators have. The lock of the locator guards it, so no reference to it is kept.
    final class Extras {
        /// The names of the locators that this one copies.
        var copiedNames: Set<String> = []
        /// The identities at which overrides have removed a registration, and registered nothing.
        var hiddenByOverrides: [HiddenIdentity] = []
        /// The entries of registrations that decorators request.
        var wrapped: [Entry] = []
        /// Defaults of keys that checks have found, and no request.
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
        /// Whether the close in progress removes it from its parent, since its last handle was released meanwhile.
        var isLeftToClose = false
        /// The errors of disposers of this locator and of its descendants, in the close.
        var disposalErrors: [InjectleError] = []
        /// The endings of instances in progress that a close waits for: with disposers, or in tasks.
        var endingsInProgress: [Ending] = []
        /// Cells that have ended while their instances are created, until that has returned: a close cancels it, and
        /// waits.
        var lateCreations: [Cell] = []
        /// The graph instances of resolves in progress that this locator has created: a close ends them, too.
        var graphs: [CellList] = []
        /// What waits for the end of this locator, of its children or of its holds.
        var observers: [LocatorObserver] = []
        /// The holds that are not released.
        var holds: [PresentHold] = []
        /// The close after the release of the last hold, if its code has left it to that.
        var closeAfterHolds: CloseAfterHolds?
    }

    let name: String?
    /// The name of the static property of `Locator` that has this locator, if it is one of the two of the process.
    let memberName: String?
    let parent: LocatorCore?
    /// Whether its locator retains the parent's locator.
    let retainsParentLocator: Bool
    let table: TypeTable<Entry>
    @usableFromInline let state = Mutex(State())

    /// - Parameter retainsLocator: Whether the locator of the core retains the parent's locator, which the caller
    ///   retains then.
    init(
        _ name: String?,
        memberName: String? = nil,
        below parent: LocatorCore? = nil,
        retainsLocator: Bool = false,
        mainActorTimeout: Duration? = nil
    ) {
        self.name = name
        self.memberName = memberName
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
                if let closing = parentState.closing { state.closing = closing }
                state.position = parentState.children.count
            }
            if retainsLocator { parentState.handles += 1 }
            parentState.children.append(self)
        }
    }

    /// The locator in the text of errors.
    var title: String {
        if let memberName { return "the \(memberName) locator" }
        return name.map { "the locator \"\($0)\"" } ?? "a locator without a name"
    }

    /// The locator in the code of errors.
    var expression: String { memberName.map { "Locator.\($0)" } ?? "locator" }

    /// The locator and its ancestors, nearest first.
    var chain: Chain { Chain(core: self) }

    struct Chain: Sequence, IteratorProtocol {
        fileprivate var core: LocatorCore?

        mutating func next() -> LocatorCore? {
            defer { core = core?.parent }
            return core
        }
    }

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
}

extension LocatorCore: CellHolder {
    /// The cells of a registration are in it, for the locator that has registered it, and in the locator for another
    /// one's registration.
    func withCells(of record: AnyRecord, _ body: (inout CellSet, Bool) -> Void) {
        state.withLock { state in
            if record.core === self { return body(&record.cells, hasEnded) }
            state.cellsOfOthers.withCells(of: record) { body(&$0, hasEnded) }
        }
    }

    /// All cells: of its registrations, and of other locators'.
    var cells: [Cell] {
        state.withLock { state in
            records(in: state).flatMap(\.cells.all) + state.cellsOfOthers.all
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
        for entry in state.extras?.wrapped ?? [] { entry.forEachFirst(body) }
        if state.entriesByKeyHash.isEmpty { return }
        for entry in state.entriesByKeyHash.values.joined() { entry.forEachFirst(body) }
    }
}
