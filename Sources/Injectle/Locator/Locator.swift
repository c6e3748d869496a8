/// A dependency injection container: stores registrations, and creates and returns their services.
///
/// ```swift
/// let locator = Locator("checkout")
/// locator.register(.lazy { DeLorean() }, for: (any Car).self)
/// let car: any Car = try locator.resolve()
/// print(car.name)  // Prints "DeLorean"
/// ```
///
/// Calls of ``resolve(_:key:arguments:fileID:line:)``, and properties marked ``Inject``, ``Optject`` or
/// ``Injected``, resolve services. A locator with a parent finds the parent's registrations, too.
///
/// Any thread can use a locator. It holds no lock while a closure, a hook, a check or a behavior runs. When the last
/// reference to it is released, it releases its instances, also those that refer to each other in circles.
public final class Locator: Sendable {
    /// The default locator of the process.
    public static let `default` = Locator(LocatorCore(nil, memberName: "default"))

    /// The locator that replaces the default one between ``testUp()`` and ``testDown()``.
    public static let test = Locator(LocatorCore(nil, memberName: "test"))

    /// The current locator: the one that is bound in this task, else the test locator or the default one.
    ///
    /// ```swift
    /// let mocks = Locator("mocks") { $0.register(.eager(Taxi()), for: (any Car).self) }
    /// Locator.$shared.withValue(mocks) {
    ///     print(Trip().describe())  // Prints "a trip by taxi"
    /// }
    /// ```
    ///
    /// `withValue` binds a locator for the closure and its child tasks, but not for detached tasks. An object keeps the
    /// bound locator with which it is created.
    @_disfavoredOverload @TaskLocal public static var shared: Locator = LocatorCore.allowingBindings()

    /// The default value of the task-local, where no locator is bound: a locator without a core, which uses the default
    /// or the test locator at each call, since the default value of a task-local is fixed.
    static let unbound = Locator(nil)

    /// The core, which ends with this handle. Nil for `unbound`.
    private let own: LocatorCore?
    @usableFromInline let borrowed: Borrowed<LocatorCore>?

    /// Creates an empty locator.
    ///
    /// ```swift
    /// locator.register(.eager(Settings(currency: "EUR")))
    /// let session = Locator("session", parent: locator)
    /// print(try session.resolve(Settings.self).currency)  // Prints "EUR"
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name in error texts, and for ``Lifetime/perLocator(named:)``.
    ///   - parent: The locator whose registrations it inherits, and which it retains.
    ///   - mainActorTimeout: The initial ``mainActorTimeout``: the parent's, if left out.
    public convenience init(_ name: Name? = nil, parent: Locator? = nil, mainActorTimeout: Duration? = nil) {
        let retains = parent != nil
        let timeout = mainActorTimeout
        self.init(LocatorCore(name?.rawValue, below: parent?.core, retainsLocator: retains, mainActorTimeout: timeout))
    }

    /// Creates a locator and registers its services.
    ///
    /// ```swift
    /// let mocks = Locator("mocks") { locator in
    ///     locator.register(.eager(FixedClock()), for: (any WallClock).self)
    /// }
    /// print(mocks.registrations)  // Prints "[any App.WallClock: eager, created]"
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name in error texts, and for ``Lifetime/perLocator(named:)``.
    ///   - parent: The locator whose registrations it inherits, and which it retains.
    ///   - mainActorTimeout: The initial ``mainActorTimeout``: the parent's, if left out.
    ///   - build: Registers the services of the locator.
    /// - Throws: The error of `build`.
    public convenience init(
        _ name: Name? = nil,
        parent: Locator? = nil,
        mainActorTimeout: Duration? = nil,
        _ build: (Locator) throws -> Void
    ) rethrows {
        self.init(name, parent: parent, mainActorTimeout: mainActorTimeout)
        try build(self)
    }

    init(_ core: LocatorCore?) {
        own = core
        borrowed = core.map { Borrowed($0) }
    }

    deinit {
        if let own { LocatorCore.releaseHandle(of: own) }
    }

    @usableFromInline var core: LocatorCore { own ?? .processCore }

    /// Whether it is the one without a core.
    var isUnbound: Bool { own == nil }

    /// How long a synchronous caller waits for the main actor to begin creating one of its services: two seconds in a
    /// new locator without a parent.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {}
    /// locator.register(.lazy(.main) { ViewModel() })
    /// locator.mainActorTimeout = .milliseconds(100)
    /// let model: ViewModel = try await locator.resolveAsync()  // Runs on the main actor and needs no timeout.
    /// ```
    ///
    /// A caller that waits longer gets ``InjectleError/wrongIsolation``. A synchronous caller does not wait for other
    /// actors. A change applies to later requests; a child starts with the timeout that its parent has at that moment.
    /// At most ten years.
    public var mainActorTimeout: Duration {
        get { core.mainActorTimeout }
        set { core.mainActorTimeout = newValue }
    }
}
