internal import CInjectle

/// A registry of services.
///
/// A locator keeps registrations, makes instances of them, and hands them out to whoever asks: to ``resolve(_:isolation:fileID:line:)``
/// and to the properties that are marked ``Inject``, ``Optject`` or ``Injected``.
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
    public static let `default` = Locator(Core(title: "the default locator", expression: "Locator.default"))

    /// The registrations that count between ``Injectle/testUp()`` and ``Injectle/testDown()``.
    public static let test: Locator = {
        injectle_ambient_allow_overrides()
        return Locator(Core(title: "the test locator", expression: "Locator.test"))
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

    /// Nil in the ambient locator alone.
    @usableFromInline let own: Core?
    /// Keeps the parent's services for as long as this locator is used.
    private let parent: Locator?

    /// Makes a locator.
    ///
    /// - Parameters:
    ///   - name: What errors call it.
    ///   - parent: Where it looks for what it does not have itself. It is kept alive.
    ///   - isolation: How it treats services that belong to an actor; if left out, as the parent does.
    public convenience init(_ name: String? = nil, parent: Locator? = nil, isolation: Isolation? = nil) {
        injectle_ambient_allow_overrides()
        let title = name.map { "the locator \"\($0)\"" } ?? "a locator without a name"
        self.init(Core(title: title, parent: parent?.core, isolation: isolation), parent: parent)
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
        own = core
        self.parent = parent
    }

    private init(ambientIn _: Void) {
        own = nil
        parent = nil
    }

    deinit {
        own?.empty(forGood: true)
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
    var core: Core { own ?? Ambient.core }

    /// How the locator treats services that belong to an actor.
    ///
    /// A change counts for what is asked afterwards. A child starts with what its parent has at that moment.
    public var isolation: Isolation {
        get { core.isolation }
        set { core.isolation = newValue }
    }

    /// How a locator treats services that belong to an actor when they are asked for from elsewhere.
    public struct Isolation: Hashable, Sendable {
        /// How long an asker waits for the main actor to begin, or nil if it does not.
        let limit: Duration?

        /// Refuses: a service whose closure runs on an actor is made only there, and once made, it is handed out elsewhere
        /// only if it is `Sendable`.
        public static var strict: Isolation { Isolation(limit: nil) }

        /// Lets whoever asks wait, so long at most, for the main actor to make its services, and hands what is made to
        /// anyone. Two seconds, where nothing is said.
        public static func waiting(upTo limit: Duration) -> Isolation { Isolation(limit: limit) }
    }
}

/// Which of the process-wide locators is the shared one, and whether a task may have an override.
///
/// Both are words that readers look at without a lock: see `CInjectle.h`.
enum Ambient {
    /// The core of the shared locator, where no override is in force.
    static var core: Core {
        if let shared = injectle_shared() { return Unmanaged<Core>.fromOpaque(shared).takeUnretainedValue() }
        // Nobody has called `testUp()` yet. The default locator, like the test locator, lives as long as the process.
        return Locator.default.core
    }

    /// Makes one of the process-wide locators the shared one.
    static func change(to locator: Locator) {
        injectle_share(Unmanaged.passUnretained(locator.core).toOpaque())
    }

    /// The override of this task, if there is one.
    static var override: Locator? {
        // While no other locator was ever made there is nothing to be in force.
        guard injectle_ambient() & 1 == 1 else { return nil }
        let locator = Locator.shared
        return locator.own == nil ? nil : locator
    }
}
