internal import CInjectle

/// Keeps registrations, makes services of them, and hands these out.
///
/// Whoever asks is given them: calls of ``resolve(_:isolation:fileID:line:)->Service``, and properties that are marked
/// ``Inject``, ``Optject`` or ``Injected``.
///
/// ```swift
/// let locator = Locator("checkout")
/// locator.register(.lazy { DeLorean() }, for: (any Car).self)
/// let car: any Car = try locator.resolve()
/// print(car.name)  // Prints "DeLorean"
/// ```
///
/// It can be used from any thread, and no lock is held while a closure, a hook, a check or a behavior runs. A locator
/// with a parent finds there what it does not have itself. When the last reference to a locator goes, it lets go of
/// everything it made, even where instances refer to it in circles.
public final class Locator: Sendable {
    /// The registrations of the running program, which are there for as long as that runs.
    public static let `default` = Locator(LocatorCore(nil, kind: .default))

    /// The registrations that count between ``Injectle/testUp()`` and ``Injectle/testDown()``.
    public static let test: Locator = {
        CurrentLocator.allowOverrides()
        return Locator(LocatorCore(nil, kind: .test))
    }()

    /// The locator in force: the override of this task, else the test locator or the default one.
    ///
    /// ```swift
    /// let mocks = Locator("mocks") { $0.register(.eager(Taxi()), for: (any Car).self) }
    /// Locator.$shared.withValue(mocks) {
    ///     print(Trip().describe())  // Prints "a trip by taxi"
    /// }
    /// ```
    ///
    /// An override counts in the closure, and in the tasks that are started there, but not in those that are detached.
    /// An object keeps the override that was in force where it was created.
    @TaskLocal public static var shared: Locator = current

    /// Stands for whichever of the two process-wide locators counts at the moment of asking, since the value of a
    /// task-local outside of any task is fixed once.
    static let current = Locator(ambientIn: ())

    /// What readers see of its core. Nil in the ambient locator alone.
    @usableFromInline nonisolated(unsafe) let header: UnsafeMutablePointer<LocatorHeader>?
    // Sound to share: a core protects itself, and its header lives as long as it.

    /// The core, retained once for this handle. Nil in the ambient locator alone.
    private let own: Unmanaged<LocatorCore>?
    /// Keeps the parent's services for as long as this locator is used.
    private let parent: Locator?

    /// Makes an empty locator.
    ///
    /// ```swift
    /// locator.register(.eager(Settings(currency: "EUR")))
    /// let session = Locator("session", parent: locator)
    /// print(try session.resolve(Settings.self).currency)  // Prints "EUR"
    /// ```
    ///
    /// - Parameters:
    ///   - name: What errors call it, and what a lifetime such as ``Lifetime/perLocator(named:)`` finds it by.
    ///   - parent: Where it looks for what it does not have itself. It is kept alive.
    ///   - isolation: How it treats services that belong to an actor; if left out, as the parent does.
    /// - Complexity: O(1)
    public convenience init(_ name: String? = nil, parent: Locator? = nil, isolation: Isolation? = nil) {
        CurrentLocator.allowOverrides()
        self.init(LocatorCore(name, parent: parent?.core, isolation: isolation), parent: parent)
    }

    /// Creates a child of a core, which retains the locator of that core if it is given.
    @usableFromInline
    convenience init(_ name: String?, of core: LocatorCore, retaining parent: Locator?) {
        CurrentLocator.allowOverrides()
        self.init(LocatorCore(name, parent: core), parent: parent)
    }

    /// Makes a locator and fills it: if `build` throws, there is none.
    ///
    /// ```swift
    /// let mocks = Locator("mocks") { locator in
    ///     locator.register(.eager(FixedClock()), for: (any WallClock).self)
    /// }
    /// print(mocks.registrations)  // Prints "[any App.WallClock: eager, created]"
    /// ```
    ///
    /// - Parameters:
    ///   - name: What errors call it.
    ///   - parent: Where it looks for what it does not have itself. It is kept alive.
    ///   - isolation: How it treats services that belong to an actor; if left out, as the parent does.
    ///   - build: Registers what the locator holds. It runs once, where this is called.
    /// - Throws: What `build` throws.
    /// - Complexity: O(1), besides what `build` costs.
    public convenience init(
        _ name: String? = nil,
        parent: Locator? = nil,
        isolation: Isolation? = nil,
        _ build: (Locator) throws -> Void
    ) rethrows {
        self.init(name, parent: parent, isolation: isolation)
        try build(self)
    }

    private init(_ core: LocatorCore, parent: Locator? = nil) {
        own = .passRetained(core)
        header = core.header
        self.parent = parent
    }

    private init(ambientIn _: Void) {
        own = nil
        header = nil
        parent = nil
    }

    deinit {
        guard var core = own?.takeRetainedValue() else { return }
        core.removeFromParent()
        // Where nobody else refers to it, nobody can be reading from it, and it goes without waiting for readers.
        // But what goes is told of, and disposed of.
        if core.hasDisposables || core.isObserved || !isKnownUniquelyReferenced(&core) { core.empty(forGood: true) }
    }

    @usableFromInline
    var core: LocatorCore { own?.takeUnretainedValue() ?? CurrentLocator.core }

    var isCurrent: Bool { own == nil }

    /// What readers see of the core that this stands for, which is there for as long as this is.
    @usableFromInline var readHeader: UnsafeMutablePointer<LocatorHeader> {
        @inlinable @inline(__always) get { header ?? CurrentLocator.header }
    }

    /// How the locator treats services that belong to an actor.
    ///
    /// A change counts for what is asked afterwards, but for what an ``Injected`` property has resolved already: that
    /// it keeps. A child starts with what its parent has at that moment.
    ///
    /// - Complexity: O(1) to read; O(*n*) in the number of registrations to make it ``Isolation/strict``.
    public var isolation: Isolation {
        get { core.isolation }
        set { core.isolation = newValue }
    }

    /// How a locator treats services that belong to an actor when they are asked for from elsewhere.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {}
    /// locator.register(.lazy(.main) { ViewModel() })
    /// locator.isolation = .strict
    /// do { _ = try locator.resolve(ViewModel.self) } catch { print(error.code) }  // Prints "wrongIsolation"
    /// let model: ViewModel = try await locator.resolveAsync()  // goes to the main actor
    /// ```
    ///
    /// It is a value, and can be shared by all threads.
    public struct Isolation: Hashable, Sendable {
        /// How long an asker waits for the main actor to begin, or nil if it does not.
        let limit: Duration?

        /// Refuses: a service whose closure runs on an actor is made only there, and once made, it is handed out
        /// elsewhere only if it is `Sendable`.
        ///
        /// Who is refused gets ``InjectleError/wrongIsolation``, at once.
        public static var strict: Isolation { Isolation(limit: nil) }

        /// Lets whoever asks wait for the main actor to make its services, and hands what is made to anyone.
        ///
        /// Where nothing is said, the limit is two seconds. What belongs to another actor is not waited for.
        ///
        /// ```swift
        /// let batch = Locator("batch", isolation: .waiting(upTo: .seconds(30)))
        /// print(batch.isolation == .waiting(upTo: .seconds(2)))  // Prints "false"
        /// ```
        ///
        /// - Parameter limit: How long an asker waits for the main actor to begin; then
        ///   ``InjectleError/wrongIsolation`` is thrown.
        /// - Returns: The policy, to be given to a locator.
        /// - Complexity: O(1)
        public static func waiting(upTo limit: Duration) -> Isolation { Isolation(limit: limit) }
    }
}

/// Which of the process-wide locators is the shared one, and whether a task may have an override.
///
/// Both are words that readers look at without a lock: see `CInjectle.h`.
@usableFromInline
enum CurrentLocator {
    /// What readers see of the shared locator's core, where no override is in force.
    @usableFromInline
    static var header: UnsafeMutablePointer<LocatorHeader> {
        // Nobody may have called `testUp()` yet. The default locator, like the test locator, lives as long as the
        // process.
        injectle_shared()?.assumingMemoryBound(to: LocatorHeader.self) ?? Locator.default.core.header
    }

    /// The core of the shared locator, where no override is in force.
    static var core: LocatorCore { header.pointee.owner.takeUnretainedValue() }

    /// Makes one of the process-wide locators the shared one.
    static func change(to locator: Locator) {
        injectle_share(locator.core.header)
    }

    /// Allows overrides from now on. Called before the first locator exists that a task may have as one.
    ///
    /// Readers look the override up by the address of the task-local, which returns it without a retain but is not
    /// documented. If that differs from the public way, they use the public way.
    static func allowOverrides() {
        if injectle_ambient_allows_overrides() { return }
        let key = Unmanaged.passUnretained(Locator.$shared).toOpaque()
        if !findsOverrides(byKey: key) { injectle_use_public_overrides(true) }
        injectle_ambient_allow_overrides(key)
    }

    /// Returns whether the look-up by a key finds what the public way finds: with no binding, in one, and in an inner one.
    static func findsOverrides(byKey key: UnsafeRawPointer) -> Bool {
        func agrees() -> Bool {
            let current = Unmanaged.passUnretained(Locator.current).toOpaque()
            return (injectle_task_local(key) ?? current) == Unmanaged.passUnretained(Locator.shared).toOpaque()
        }
        let agreesInside = Locator.$shared.withValue(.default) {
            agrees() && Locator.$shared.withValue(.current, operation: agrees) && agrees()
        }
        return agrees() && agreesInside
    }

    /// The override of this task, if there is one.
    static var override: Locator? {
        guard let locator = borrowedOverride?.takeUnretainedValue() else { return nil }
        return locator.isCurrent ? nil : locator
    }

    /// What readers see of the core of this task's override, if there is one.
    static var overrideHead: UnsafeMutablePointer<LocatorHeader>? {
        borrowedOverride?._withUnsafeGuaranteedRef { $0.header }
    }

    /// The locator that the task-local is bound to. The binding retains it.
    private static var borrowedOverride: Unmanaged<Locator>? {
        guard injectle_ambient_allows_overrides() else { return nil }
        if injectle_uses_public_overrides() { return .passUnretained(Locator.shared) }
        return injectle_override().map { Unmanaged.fromOpaque($0) }
    }
}
