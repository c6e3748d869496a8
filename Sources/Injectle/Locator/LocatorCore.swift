internal import CInjectle

/// The state of a locator: its entries, its cached instances, and its links to other locators.
///
/// A `Locator` is a handle of its core. Instances can refer to the core, also in circles; when the last handle is
/// released, it empties the core, which breaks them.
///
/// Invariant: the guarded variables change under `lock` only, and no user code runs while it is held: no closure, no
/// hash or comparison of a key, no cast and no `deinit`. Readers reach the index's block and the parent through `header`,
/// inside a read section, without the lock; code that unlinks an object they can reach adds it to a `RetireList`, which it
/// disposes of after the lock.
@usableFromInline
@safe
final class LocatorCore: @unchecked Sendable {
    // Sound to share: see the invariant.

    /// The locators of the process.
    enum Member: String { case `default`, test }

    let name: String?
    /// The member of `Locator` that is this locator, if it is one of the two of the process.
    let member: Member?
    /// Changed only with the last reference to this core.
    @safe @exclusivity(unchecked) private(set) var parent: LocatorCore?
    @usableFromInline let header: UnsafeMutablePointer<LocatorHeader>
    /// Its memory has the header.
    let lock: Lock

    // MARK: Guarded

    // Unchecked where it is hot: the lock excludes overlapping accesses.
    @safe @exclusivity(unchecked) var index = EntryIndex()
    /// The instances that this locator creates and caches, by record.
    @safe @exclusivity(unchecked) var cells: [ObjectIdentifier: OnceCell] = .init()
    /// The instances that it caches for other lifetimes.
    @safe @exclusivity(unchecked) var scopedCache: ScopedCache?
    /// The ids of the modules that were applied, and the numbers of the calls that applied them.
    @safe @exclusivity(unchecked) var appliedModules: [(id: AnyHashable, call: Int)] = []
    /// Counts the changes of the applied modules.
    @safe @exclusivity(unchecked) var modulesRevision = 0
    /// The number of entries that were ever registered.
    @safe @exclusivity(unchecked) var registered = 0
    @safe @exclusivity(unchecked) var mainActorTimeout: Duration
    /// Whether its locator retains the parent's locator. Set by the initializer.
    @safe @exclusivity(unchecked) var retainsParentLocator = false
    /// The locators that keep it from ending: see `LocatorCore+Children.swift`.
    @safe @exclusivity(unchecked) var handles = 1
    @safe @exclusivity(unchecked) var firstChild: Unmanaged<LocatorCore>?
    /// The neighbors in the parent's list, whose lock guards them.
    @safe @exclusivity(unchecked) var nextSibling: Unmanaged<LocatorCore>?
    @safe @exclusivity(unchecked) var previousSibling: Unmanaged<LocatorCore>?
    /// The close of this locator, once that has begun.
    @safe @exclusivity(unchecked) var closing: CloseOperation?
    /// Whether any registration had disposers, or instances that other caches can hold.
    @safe @exclusivity(unchecked) var mustBeEmptied = false
    /// The observers of this locator and of its descendants.
    @safe @exclusivity(unchecked) var behaviors: [AddedBehavior] = []
    /// The number of behaviors that were ever added.
    @safe @exclusivity(unchecked) var addedBehaviors = 0
    /// The number of entries that a later registration of their identity replaces whichever arguments they declare: those of
    /// the locator that this one copies, and of earlier traits of a test.
    @safe @exclusivity(unchecked) var layer = 0
    /// The names of the locators that this one copies. Set before others have it.
    @safe @exclusivity(unchecked) var copiedNames: Set<String> = []

    /// Creates the core of one locator, which removes it from its parent's list again.
    ///
    /// - Parameters:
    ///   - parent: The header of the parent, which the caller retains.
    ///   - retainsLocator: Whether the locator of the core retains the parent's locator.
    @safe
    init(
        _ name: String?,
        member: Member? = nil,
        below parent: UnsafeMutablePointer<LocatorHeader>? = nil,
        retainsLocator: Bool = false,
        mainActorTimeout: Duration? = nil
    ) {
        self.name = name
        self.member = member
        self.parent = unsafe parent?.pointee.owner.takeUnretainedValue()
        self.mainActorTimeout = mainActorTimeout ?? .seconds(2)
        // All threads read the header of a root. Locators of requests belong to one thread, and take the faster way.
        let isRoot = unsafe parent == nil
        lock = Lock(isAlone: isRoot, with: MemoryLayout<LocatorHeader>.size)
        unsafe header = unsafe lock.memory(isAlone: isRoot).bindMemory(to: LocatorHeader.self, capacity: 1)
        unsafe header.initialize(to: LocatorHeader(parent: parent, owner: .passUnretained(self)))
        guard let parent = self.parent else { return }
        join(parent, retainsLocator: retainsLocator) {
            if mainActorTimeout == nil { self.mainActorTimeout = parent.mainActorTimeout }
            if let closing = parent.closing {
                begin(closing)
                set(LocatorHeader.terminated, parent.isTerminated)
            }
            inheritObserved(from: parent)
        }
    }

    deinit {
        // Without references, no thread reads.
        freeContents()
        // One after the other, since a long chain would overflow the stack.
        var last = takeParent()
        while isKnownUniquelyReferenced(&last) { last = last?.takeParent() }
    }

    private func takeParent() -> LocatorCore? {
        defer { parent = nil }
        return parent
    }

    /// Frees the tables and the caches. No thread reads.
    func freeContents() {
        endScopedCache()?.release()
        index.destroy()
    }

    /// The locator in the text of errors.
    var title: String { LocatorCore.title(of: name, member: member) }

    static func title(of name: String?, member: Member?) -> String {
        if let member { return "the \(member.rawValue) locator" }
        return name.map { "the locator \"\($0)\"" } ?? "a locator without a name"
    }

    /// The locator in the code of errors.
    var expression: String { member.map { "Locator.\($0.rawValue)" } ?? "locator" }

    /// The locator and its ancestors, nearest first.
    var chain: some Sequence<LocatorCore> { sequence(first: self, next: \.parent) }

    /// The ancestor without a parent, or the locator itself.
    var root: LocatorCore {
        var root = self
        while let parent = root.parent { root = parent }
        return root
    }

    // MARK: Flags

    /// Sets a flag that readers check. The lock is held, or no other thread has the core.
    func set(_ flag: UInt, _ isSet: Bool) {
        let flags = unsafe injectle_load_number(&header.pointee.flags)
        unsafe injectle_store_number(&header.pointee.flags, isSet ? flags | flag : flags & ~flag)
    }

    /// The nearest locator, from this one up to its root, that is terminated. A child of a resolver can outlive its parent.
    var terminated: LocatorCore? { chain.first(where: \.isTerminated) }

    /// Whether the last handle was released, or the locator was closed.
    var isTerminated: Bool { unsafe LocatorHeader.has(LocatorHeader.terminated, header) }
}
