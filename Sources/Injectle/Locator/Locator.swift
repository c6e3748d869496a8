internal import CInjectle

/// A dependency injection container: stores registrations, and creates and returns their services.
///
/// ```swift
/// let locator = Locator("checkout")
/// locator.register(.lazy { DeLorean() }, for: (any Car).self)
/// let car: any Car = try locator.resolve()
/// print(car.name)  // Prints "DeLorean"
/// ```
///
/// Calls of ``resolve(fileID:line:)->Service``, and properties marked ``Inject``, ``Optject`` or
/// ``Injected``, resolve services. A locator with a parent finds the parent's registrations, too.
///
/// Any thread can use a locator. It holds no lock while a closure, a hook, a check or a behavior runs. When the last
/// reference to it is released, it releases its instances, also those that refer to each other in circles.
@safe
public final class Locator: Sendable {
    /// The default locator of the process.
    public static let `default` = Locator(LocatorCore(nil, member: .default))

    /// The locator that replaces the default one between ``testUp()`` and ``testDown()``.
    public static let test = Locator(LocatorCore(nil, member: .test))

    /// The current locator: the override of this task, else the test locator or the default one.
    ///
    /// ```swift
    /// let mocks = Locator("mocks") { $0.register(.eager(Taxi()), for: (any Car).self) }
    /// Locator.$shared.withValue(mocks) {
    ///     print(Trip().describe())  // Prints "a trip by taxi"
    /// }
    /// ```
    ///
    /// An override applies to the closure and to its child tasks, but not to detached tasks. An object keeps the
    /// override in which it is created.
    @_disfavoredOverload @TaskLocal public static var shared: Locator = CurrentLocator.allowingOverrides()

    /// The default value of the task-local: a locator without a core, which uses the default or the test locator at each
    /// call, since the default value of a task-local is fixed.
    @usableFromInline static let current = Locator(ambientIn: ())

    /// The header of its core, for readers. Nil for the shared locator, which has no core of its own.
    @usableFromInline nonisolated(unsafe) let header: UnsafeMutablePointer<LocatorHeader>?
    // Sound to share: a core protects itself, and its header lives as long as it.

    /// The core, which this handle retains. Nil for the shared locator. It retains the parent's locator for this one.
    private let own: Unmanaged<LocatorCore>?

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
    ///   - isolation: The policy for services that are isolated to an actor: the parent's policy, if left out.
    public convenience init(
        _ name: String? = nil,
        parent: Locator? = nil,
        isolation: Isolation? = nil
    ) {
        self.init(
            unsafe LocatorCore(name, below: parent?.readHeader, retainsLocator: parent != nil, isolation: isolation)
        )
    }

    /// Creates a child of the locator with a header, which retains that locator if the caller has it.
    @usableFromInline
    convenience init(_ name: String?, below header: UnsafeMutablePointer<LocatorHeader>, retainsLocator: Bool) {
        self.init(LocatorCore(name, below: header, retainsLocator: retainsLocator))
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
    ///   - isolation: The policy for services that are isolated to an actor: the parent's policy, if left out.
    ///   - build: Registers the services of the locator.
    /// - Throws: The error of `build`.
    public convenience init(
        _ name: String? = nil,
        parent: Locator? = nil,
        isolation: Isolation? = nil,
        _ build: (Locator) throws -> Void
    ) rethrows {
        self.init(name, parent: parent, isolation: isolation)
        try build(self)
    }

    private init(_ core: LocatorCore) {
        unsafe own = unsafe .passRetained(core)
        unsafe header = unsafe core.header
    }

    private init(ambientIn _: Void) {
        unsafe own = nil
        unsafe header = nil
    }

    deinit {
        if let own = unsafe own { unsafe LocatorCore.release(own) }
    }

    @usableFromInline
    var core: LocatorCore { unsafe own?.takeUnretainedValue() ?? CurrentLocator.core }

    var isCurrent: Bool { unsafe own == nil }

    /// The header of the core, for readers. It lives as long as this locator.
    @usableFromInline var readHeader: UnsafeMutablePointer<LocatorHeader> {
        @inlinable @inline(__always) get { unsafe header ?? CurrentLocator.header }
    }

    /// The policy for services that are isolated to an actor.
    ///
    /// A change applies to later requests, but not to services that an ``Injected`` property has already resolved. A
    /// child starts with the policy that its parent has at that moment.
    ///
    /// - Complexity: O(1) to read; O(*n*) in the number of registrations to set ``Isolation/strict``.
    public var isolation: Isolation {
        get { core.isolation }
        set { core.isolation = newValue }
    }

    /// The lifetime of later registrations that choose none: `.lazy { … }` and `.initializer(…)` without
    /// ``Registration/lifetime(_:)``. Nil, as in a new locator, for singletons.
    ///
    /// ```swift
    /// locator.defaultLifetime = .weak
    /// locator.register(.lazy { Garage() })
    /// locator.register(.lazy { Database() }.lifetime(.lazy))
    /// print(locator.registrations.map(\.lifetime))  // Prints "[weak, lazy]"
    /// ```
    ///
    /// `.volatile`, `.eager`, `.factory` and `registerLazySingleton` keep their lifetimes. A child starts with the default
    /// lifetime that its parent has at that moment.
    public var defaultLifetime: Lifetime? {
        get {
            let core = core
            return core.lock.withLock { core.defaultLifetime }
        }
        set {
            let core = core
            core.lock.withLock { core.assign(newValue) }
        }
    }

    /// The policy of a locator for callers that do not run on the actor of a service.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {}
    /// locator.register(.lazy(.main) { ViewModel() })
    /// locator.isolation = .strict
    /// do { _ = try locator.resolve(ViewModel.self) } catch { print(error.code) }  // Prints "wrongIsolation"
    /// let model: ViewModel = try await locator.resolveAsync()  // runs on the main actor
    /// ```
    public struct Isolation: Hashable, Sendable {
        /// How long an asker waits for the main actor to begin, or nil if it does not.
        let limit: Duration?

        /// Throws ``InjectleError/wrongIsolation`` at once: only callers on the actor create the service, and callers
        /// elsewhere get an existing instance only if it is `Sendable`.
        public static var strict: Isolation { Isolation(limit: nil) }

        /// Waits for the main actor to create its services, and returns existing instances to all callers.
        ///
        /// ```swift
        /// let batch = Locator("batch", isolation: .waiting(upTo: .seconds(30)))
        /// print(batch.isolation == .waiting(upTo: .seconds(2)))  // Prints "false"
        /// ```
        ///
        /// The default is a limit of two seconds. A synchronous caller does not wait for other actors.
        ///
        /// - Parameter limit: The longest wait for the main actor to begin, at most ten years; then the caller gets
        ///   ``InjectleError/wrongIsolation``.
        /// - Returns: The policy.
        public static func waiting(upTo limit: Duration) -> Isolation { Isolation(limit: limit) }
    }
}
