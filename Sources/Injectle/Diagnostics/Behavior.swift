extension Locator {
    /// An observer of the events of a locator and of its descendants.
    ///
    /// ```swift
    /// struct SlowCreations: Locator.Behavior {
    ///     let observedKinds: Set<Locator.Event.Kind> = [.didCreate]
    ///     func handle(_ event: Locator.Event) {
    ///         guard let duration = event.duration, duration > .milliseconds(50) else { return }
    ///         print("\(event.identity) took \(duration)")
    ///     }
    /// }
    /// locator.add(SlowCreations())
    /// ```
    ///
    /// The locator calls it for each event, on the thread of the event, before the code behind it continues. The
    /// behaviors of the locator come first, in the order of their addition, then its parent's, and so on. No lock is
    /// held, so a behavior can use any locator: it can resolve, register, and add and remove behaviors. These actions
    /// send no events. Several threads can send events at the same time.
    ///
    /// A behavior that resolves a service during its creation gets ``InjectleError/circularDependency``.
    ///
    /// Events of kinds that no behavior of the locator or of an ancestor observes have no cost.
    ///
    /// `Locator.Log` of the module `InjectleDiagnostics` is a behavior.
    public protocol Behavior: Sendable {
        /// The kinds of events that the behavior observes. The default implementation returns all kinds.
        ///
        /// ```swift
        /// struct Failures: Locator.Behavior {
        ///     let observedKinds: Set<Locator.Event.Kind> = [.didDispose]
        ///     func handle(_ event: Locator.Event) { if let failure = event.failure { print(failure) } }
        /// }
        /// locator.add(Failures())
        /// ```
        ///
        /// The locator reads it once, when the behavior is added. Events of other kinds do not reach the behavior:
        /// without an observer of ``Event/Kind/didResolve``, a read of an existing instance is as fast as without
        /// behaviors.
        var observedKinds: Set<Event.Kind> { get }

        /// Called for each event of the observed kinds.
        ///
        /// ```swift
        /// struct Kinds: Locator.Behavior {
        ///     func handle(_ event: Locator.Event) { print(event.kind, event.identity) }
        /// }
        /// let handle = locator.add(Kinds())
        /// locator.register(.eager(Lamp()))  // Prints "didRegister App.Lamp"
        /// handle.remove()
        /// ```
        ///
        /// - Parameter event: The event.
        /// - Complexity: The caller waits for your code.
        func handle(_ event: Event)
    }
}

extension Locator.Behavior {
    public var observedKinds: Set<Locator.Event.Kind> { Locator.Event.Kind.all }
}

extension Locator {
    /// Adds a behavior, which observes the events of this locator and of its descendants from now on.
    ///
    /// ```swift
    /// let observation = locator.add(Locator.Log { print($0) })
    /// locator.register(.eager(Lamp()))  // Prints "registered App.Lamp (eager) in the locator "app""
    /// observation.remove()
    /// ```
    ///
    /// The locator retains the behavior until that is removed or the locator is released. A behavior should refer to
    /// its locator weakly, to avoid a retain cycle. The release of the locator sends events for its registrations; the
    /// weak reference is nil then.
    ///
    /// - Parameters:
    ///   - behavior: The behavior, which is called after those that were added before. A behavior that is added twice
    ///     is called twice.
    ///   - observesDescendants: Whether it observes the events of children, too, and theirs. If not, these have no
    ///     cost.
    /// - Returns: A handle that removes the behavior. It does not retain the locator.
    /// - Complexity: O(*m*) in the number of locators below; for the first one, also O(*n*) in the number of
    ///   registrations here and below.
    @discardableResult
    public func add(_ behavior: some Behavior, observesDescendants: Bool = true) -> BehaviorHandle {
        let core = core
        let number = core.add(behavior, observesDescendants: observesDescendants)
        return BehaviorHandle(core: core, number: number)
    }

    /// A handle that removes a behavior.
    ///
    /// ```swift
    /// let observation = locator.add(Locator.Log { print($0) })
    /// defer { observation.remove() }
    /// ```
    ///
    /// It retains neither the locator nor its registrations. It can be copied, and any thread can use it.
    public struct BehaviorHandle: Sendable {
        // The core is empty once its locator is released, so a handle retains no instances.
        let core: LocatorCore
        let number: Int

        /// Removes the behavior.
        ///
        /// An event that another thread is sending at this moment can still reach it.
        ///
        /// ```swift
        /// let observation = locator.add(Locator.Log([.didRegister]) { print($0) })
        /// observation.remove()
        /// locator.register(.eager(Lamp()))  // nothing is written
        /// ```
        ///
        /// Has no effect if the behavior has been removed before.
        ///
        /// - Complexity: O(*m*) in the number of locators below, and of behaviors of this one.
        public func remove() { core.removeBehavior(number) }
    }
}
