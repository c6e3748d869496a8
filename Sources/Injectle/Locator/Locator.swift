internal import CInjectle

/// A registry of services.
///
/// A locator keeps registrations, makes instances of them, and hands them out to whoever asks: to
/// ``resolve(_:isolation:fileID:line:)->Service`` and to the properties that are marked ``Inject``, ``Optject`` or
/// ``Injected``.
///
/// ```swift
/// let locator = Locator("checkout")
/// locator.register(.lazy { Basket() })
/// let basket: Basket = try locator.resolve()
/// ```
///
/// It can be used from any thread. A locator with a parent finds there what it does not have itself. When the last
/// reference to a locator goes, it lets go of everything it made, even where instances refer to it in circles.
public final class Locator: Sendable {
    /// The registrations of the running program.
    public static let `default` = Locator(Core(nil, kind: .default))

    /// The registrations that count between ``Injectle/testUp()`` and ``Injectle/testDown()``.
    public static let test: Locator = {
        Ambient.allowOverrides()
        return Locator(Core(nil, kind: .test))
    }()

    /// The locator in force: the override of this task, else the test locator or the default one.
    ///
    /// ```swift
    /// Locator.$shared.withValue(mocks) {
    ///     // Here, and in the tasks that are started here, properties read from `mocks`.
    /// }
    /// ```
    @TaskLocal public static var shared: Locator = ambient

    /// Stands for whichever of the two process-wide locators counts at the moment of asking, since the value of a
    /// task-local outside of any task is fixed once.
    static let ambient = Locator(ambientIn: ())

    /// What readers see of its core. Nil in the ambient locator alone.
    @usableFromInline nonisolated(unsafe) let head: UnsafeMutablePointer<CoreHead>?
    // Sound to share: a core protects itself, and its head lives as long as it.

    /// The core, retained once for this handle. Nil in the ambient locator alone.
    private let own: Unmanaged<Core>?
    /// Keeps the parent's services for as long as this locator is used.
    private let parent: Locator?

    /// Makes a locator.
    ///
    /// - Parameters:
    ///   - name: What errors call it.
    ///   - parent: Where it looks for what it does not have itself. It is kept alive.
    ///   - isolation: How it treats services that belong to an actor; if left out, as the parent does.
    public convenience init(_ name: String? = nil, parent: Locator? = nil, isolation: Isolation? = nil) {
        Ambient.allowOverrides()
        self.init(Core(name, parent: parent?.core, isolation: isolation), parent: parent)
    }

    /// A child that finds what a core has, without keeping the locator of that.
    convenience init(_ name: String?, of parent: Core) {
        Ambient.allowOverrides()
        self.init(Core(name, parent: parent))
    }

    /// Makes a locator and fills it: if `build` throws, there is none.
    ///
    /// ```swift
    /// let mocks = Locator("mocks") { locator in
    ///     locator.register(.eager(FixedClock()), for: (any Clock).self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: What errors call it.
    ///   - parent: Where it looks for what it does not have itself. It is kept alive.
    ///   - isolation: How it treats services that belong to an actor; if left out, as the parent does.
    ///   - build: Registers what the locator holds.
    /// - Throws: What `build` throws.
    public convenience init(
        _ name: String? = nil,
        parent: Locator? = nil,
        isolation: Isolation? = nil,
        _ build: (Locator) throws -> Void
    ) rethrows {
        self.init(name, parent: parent, isolation: isolation)
        try build(self)
    }

    private init(_ core: Core, parent: Locator? = nil) {
        own = .passRetained(core)
        head = core.head
        self.parent = parent
    }

    private init(ambientIn _: Void) {
        own = nil
        head = nil
        parent = nil
    }

    deinit {
        guard var core = own?.takeRetainedValue() else { return }
        core.leaveParent()
        // Where nobody else refers to it, nobody can be reading from it, and it goes without waiting for readers.
        // But what goes is told of, and disposed of.
        if core.isOfDisposed || core.isWatched || !isKnownUniquelyReferenced(&core) { core.empty(forGood: true) }
    }

    /// A locator that finds here what it does not have itself.
    ///
    /// ```swift
    /// let request = Locator.default.child("request")
    /// request.register(.eager(user))
    /// ```
    ///
    /// - Parameter name: What errors call it.
    /// - Returns: A locator without registrations of its own, which keeps this one alive.
    public func child(_ name: String? = nil) -> Locator {
        Locator(name, parent: self)
    }

    /// A locator that finds here what it does not have itself, and is filled: if `build` throws, there is none.
    ///
    /// - Parameters:
    ///   - name: What errors call it.
    ///   - build: Registers what the child holds.
    /// - Throws: What `build` throws.
    public func child(_ name: String? = nil, _ build: (Locator) throws -> Void) rethrows -> Locator {
        try Locator(name, parent: self, build)
    }

    @usableFromInline
    var core: Core { own?.takeUnretainedValue() ?? Ambient.core }

    var isAmbient: Bool { own == nil }

    /// What readers see of the core that this stands for, which is there for as long as this is.
    @usableFromInline var readHead: UnsafeMutablePointer<CoreHead> {
        @inlinable @inline(__always) get { head ?? Ambient.head }
    }

    /// How the locator treats services that belong to an actor.
    ///
    /// A change counts for what is asked afterwards, but for what an ``Injected`` property has resolved already: that
    /// it keeps. A child starts with what its parent has at that moment.
    public var isolation: Isolation {
        get { core.isolation }
        set { core.isolation = newValue }
    }

    /// How a locator treats services that belong to an actor when they are asked for from elsewhere.
    public struct Isolation: Hashable, Sendable {
        /// How long an asker waits for the main actor to begin, or nil if it does not.
        let limit: Duration?

        /// Refuses: a service whose closure runs on an actor is made only there, and once made, it is handed out
        /// elsewhere only if it is `Sendable`.
        public static var strict: Isolation { Isolation(limit: nil) }

        /// Lets whoever asks wait, so long at most, for the main actor to make its services, and hands what is made to
        /// anyone. Two seconds, where nothing is said.
        public static func waiting(upTo limit: Duration) -> Isolation { Isolation(limit: limit) }
    }
}

/// Which of the process-wide locators is the shared one, and whether a task may have an override.
///
/// Both are words that readers look at without a lock: see `CInjectle.h`.
@usableFromInline
enum Ambient {
    /// What readers see of the shared locator's core, where no override is in force.
    @usableFromInline
    static var head: UnsafeMutablePointer<CoreHead> {
        // Nobody may have called `testUp()` yet. The default locator, like the test locator, lives as long as the
        // process.
        injectle_shared()?.assumingMemoryBound(to: CoreHead.self) ?? Locator.default.core.head
    }

    /// The core of the shared locator, where no override is in force.
    static var core: Core { head.pointee.owner.takeUnretainedValue() }

    /// Makes one of the process-wide locators the shared one.
    static func change(to locator: Locator) {
        injectle_share(locator.core.head)
    }

    /// Notes that there is a locator that a task may have as its override.
    static func allowOverrides() {
        if injectle_ambient_allows_overrides() { return }
        injectle_ambient_allow_overrides(Unmanaged.passUnretained(Locator.$shared).toOpaque())
    }

    /// The override of this task, if there is one.
    static var override: Locator? {
        guard let locator = borrowedOverride?.takeUnretainedValue() else { return nil }
        return locator.isAmbient ? nil : locator
    }

    /// What readers see of the core of this task's override, if there is one.
    static var overrideHead: UnsafeMutablePointer<CoreHead>? {
        borrowedOverride?._withUnsafeGuaranteedRef { $0.head }
    }

    /// What the task-local is bound to. A task-local is found by the address of the object that declares it.
    private static var borrowedOverride: Unmanaged<Locator>? {
        // While no other locator was ever made there is nothing to be in force.
        guard injectle_ambient_allows_overrides() else { return nil }
        return injectle_override().map { Unmanaged.fromOpaque($0) }
    }
}
