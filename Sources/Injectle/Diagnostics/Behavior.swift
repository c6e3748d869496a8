extension Locator {
    /// An observer of the events of a locator and of its descendants.
    ///
    /// ```swift
    /// struct SlowCreations: Locator.Behavior {
    ///     func didCreate(_ event: Locator.Event) {
    ///         guard let duration = event.duration, duration > .milliseconds(50) else { return }
    ///         print("\(event.identity) took \(duration)")
    ///     }
    /// }
    /// locator.add(SlowCreations())
    /// ```
    ///
    /// The locator calls one function for each event, on the thread of the event, before the code behind it continues.
    /// The behaviors of the locator come first, in the order of their addition, then its parent's, and so on. All
    /// functions have default implementations that do nothing. No lock is held, so a behavior can use any locator: it
    /// can resolve, register, and add and remove behaviors. These actions send no events. Several threads can send
    /// events at the same time.
    ///
    /// A behavior that resolves a service during its creation gets ``InjectleError/circularDependency``.
    ///
    /// A behavior costs the kinds that it implements: once an event has reached a function's default implementation, the locator sends
    /// the behavior no more events of that kind. A locator without behaviors, of its own or of ancestors, has no cost, and
    /// events of kinds that no behavior observes have none: see ``observedKinds``. See <doc:WatchingALocator>.
    ///
    /// ``Log`` and ``Recorder`` are behaviors.
    public protocol Behavior: Sendable {
        /// The kinds of events that the behavior observes. The default implementation returns all kinds.
        ///
        /// ```swift
        /// struct Failures: Locator.Behavior {
        ///     let observedKinds: Set<Locator.Event.Kind> = [.didDispose]
        ///     func didDispose(_ event: Locator.Event) { if let failure = event.failure { print(failure) } }
        /// }
        /// locator.add(Failures())
        /// ```
        ///
        /// The locator reads it once, when the behavior is added. Events of other kinds do not reach the behavior, and cost
        /// nothing: without an observer of ``didResolve(_:)``, a read of an existing instance is as fast as without
        /// behaviors.
        var observedKinds: Set<Event.Kind> { get }

        /// Called for each event. The default implementation calls the function below that its kind names.
        ///
        /// A behavior that treats all kinds alike implements only this function, which also gets the kinds that later
        /// versions add. The other functions are then not called.
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
        /// - Parameter event: The event of any kind.
        /// - Complexity: The caller waits for your code.
        func handle(_ event: Event)

        /// Called once a registration has been inserted, under all its identities.
        ///
        /// ```swift
        /// struct Registrations: Locator.Behavior {
        ///     func didRegister(_ event: Locator.Event) { print(event.identities) }
        /// }
        /// locator.add(Registrations())
        /// locator.register(.lazy { Garage() }.as((any Parking).self).asSelf())
        /// // Prints "[any App.Parking, App.Garage]"
        /// ```
        ///
        /// - Parameter event: The identities and the lifetime of the registration.
        /// - Complexity: The caller waits for your code.
        func didRegister(_ event: Event)

        /// Called when the factory closure of a registration is about to run.
        ///
        /// ```swift
        /// struct Paths: Locator.Behavior {
        ///     func willCreate(_ event: Locator.Event) { print(event.path) }
        /// }
        /// locator.add(Paths())
        /// locator.register(.lazy { Database() })
        /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
        /// _ = try locator.resolve(Garage.self)
        /// // Prints:
        /// //     [App.Garage]
        /// //     [App.Garage, App.Database]
        /// ```
        ///
        /// The thread is the one of the closure.
        ///
        /// - Parameter event: The service, and its path.
        /// - Complexity: The caller waits for your code.
        func willCreate(_ event: Event)

        /// Called once a service has been created and its hooks have run, or when the closure or a hook threw
        /// ``Event/failure``.
        ///
        /// No other caller has the service yet.
        ///
        /// ```swift
        /// struct NoRoom: Error {}
        /// struct Failures: Locator.Behavior {
        ///     func didCreate(_ event: Locator.Event) { if let failure = event.failure { print(failure) } }
        /// }
        /// locator.add(Failures())
        /// locator.register(.lazy { () throws -> Garage in throw NoRoom() })
        /// _ = try? locator.resolve(Garage.self)  // Prints "NoRoom()"
        /// ```
        ///
        /// - Parameter event: The service, its path, and the duration of the creation.
        /// - Complexity: The caller waits for your code.
        func didCreate(_ event: Event)

        /// Called when a service is returned: by a resolve, for a service that is being created, as an element of a
        /// list, or by the read of a property.
        ///
        /// Also called for instances that exist already.
        ///
        /// ```swift
        /// struct Reads: Locator.Behavior {
        ///     func didResolve(_ event: Locator.Event) { print(event.identity) }
        /// }
        /// locator.add(Reads())
        /// locator.register(.eager(Lamp()))
        /// _ = try locator.resolve(Lamp.self)  // Prints "App.Lamp"
        /// print(locator.isRegistered(Lamp.self))  // Prints "true"
        /// ```
        ///
        /// - Parameter event: The service, the path of the request, and its duration.
        /// - Complexity: Each read waits for your code.
        func didResolve(_ event: Event)

        /// Called when a registration has lost its last identity: it was replaced or removed, or its locator was reset,
        /// closed or released.
        ///
        /// ```swift
        /// struct Removals: Locator.Behavior {
        ///     func didUnregister(_ event: Locator.Event) { print("gone:", event.identity, event.lifetime) }
        /// }
        /// locator.add(Removals())
        /// let ada = locator.register(.eager(User(name: "Ada")))
        /// ada.remove()  // Prints "gone: App.User eager"
        /// ```
        ///
        /// - Parameter event: The identities and the lifetime of the registration.
        /// - Complexity: The caller waits for your code.
        func didUnregister(_ event: Event)

        /// Called when the `onDispose` hooks of an instance have run, or one of them threw ``Event/failure``.
        ///
        /// A synchronous caller gets no errors of hooks: if no behavior implements this function or ``handle(_:)``, they are
        /// written to standard error.
        ///
        /// ```swift
        /// struct DiskIsFull: Error {}
        /// struct Failures: Locator.Behavior {
        ///     func didDispose(_ event: Locator.Event) {
        ///         if let error = event.failure as? InjectleError { print(error.underlying ?? error) }
        ///     }
        /// }
        /// locator.add(Failures())
        /// locator.register(.eager(User(name: "Ada")).onDispose { _ in throw DiskIsFull() })
        /// locator.reset()  // Prints "DiskIsFull()"
        /// ```
        ///
        /// - Parameter event: The service, and the duration of the disposal.
        /// - Complexity: The next hook waits for your code.
        func didDispose(_ event: Event)

        /// Called when a thread has waited for the main actor to create a service, or the wait timed out with
        /// ``Event/failure``.
        ///
        /// ```swift
        /// struct Waits: Locator.Behavior {
        ///     func didWait(_ event: Locator.Event) { print(event.identity, event.isOnMainThread) }
        /// }
        /// @MainActor final class ViewModel {}
        /// locator.add(Waits())
        /// locator.register(.lazy(.main) { ViewModel() })
        /// _ = try await Task.detached { try locator.resolve(ViewModel.self) }.value  // Prints "…ViewModel false"
        /// ```
        ///
        /// The thread is the waiting one.
        ///
        /// - Parameter event: The service, and the duration of the wait.
        /// - Complexity: The caller waits for your code.
        func didWait(_ event: Event)
    }
}

extension Locator.Behavior {
    public var observedKinds: Set<Locator.Event.Kind> { Locator.Event.Kind.all }

    public func handle(_ event: Locator.Event) {
        EventDispatch.noteDefaultHandle(of: Self.self)
        switch event.kind {
        case .didRegister: didRegister(event)
        case .willCreate: willCreate(event)
        case .didCreate: didCreate(event)
        case .didResolve: didResolve(event)
        case .didUnregister: didUnregister(event)
        case .didDispose: didDispose(event)
        case .didWait: didWait(event)
        default: break
        }
    }

    public func didRegister(_ event: Locator.Event) { EventDispatch.noteDefault(of: Self.self, for: .didRegister) }
    public func willCreate(_ event: Locator.Event) { EventDispatch.noteDefault(of: Self.self, for: .willCreate) }
    public func didCreate(_ event: Locator.Event) { EventDispatch.noteDefault(of: Self.self, for: .didCreate) }
    public func didResolve(_ event: Locator.Event) { EventDispatch.noteDefault(of: Self.self, for: .didResolve) }
    public func didUnregister(_ event: Locator.Event) { EventDispatch.noteDefault(of: Self.self, for: .didUnregister) }
    public func didDispose(_ event: Locator.Event) { EventDispatch.noteDefault(of: Self.self, for: .didDispose) }
    public func didWait(_ event: Locator.Event) { EventDispatch.noteDefault(of: Self.self, for: .didWait) }
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
    ///   - behavior: The behavior, which is called after those that were added before. A behavior that is added twice is
    ///     called twice.
    ///   - observesDescendants: Whether it observes the events of children, too, and theirs. If not, these have no cost.
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
    /// let recorder = Locator.Recorder()
    /// let observation = locator.add(recorder)
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
        public func remove() {
            core.removeBehavior(number)
        }
    }
}
