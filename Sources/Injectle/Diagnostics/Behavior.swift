extension Locator {
    /// What is told what happens in a locator, and in all locators below it.
    ///
    /// ```swift
    /// struct SlowMakings: Locator.Behavior {
    ///     func didCreate(_ event: Locator.Event) {
    ///         guard let duration = event.duration, duration > .milliseconds(50) else { return }
    ///         print("\(event.identity) took \(duration)")
    ///     }
    /// }
    /// Locator.default.add(SlowMakings())
    /// ```
    ///
    /// Each function is called once for each event, on the thread where that happens, before whoever caused it goes on.
    /// What a behavior does not implement does nothing. Told are the behaviors of the locator where it happens, in the
    /// order in which they were added, then those of its parent, and so on. No lock is held meanwhile, so a behavior
    /// may use any locator: it may resolve, register, and add and remove behaviors. What it causes in that way is not
    /// told to any behavior. On several threads several events can be told at once.
    ///
    /// While a service is being made it is not there yet: a behavior that is told so and asks for it gets
    /// ``InjectleError/cycle``.
    ///
    /// A locator without behaviors, here or above, pays nothing for them. Where there are some, each read takes the way
    /// that makings take.
    ///
    /// ``Log`` and ``Recorder`` are behaviors.
    public protocol Behavior: Sendable {
        /// A registration is in: once for all its identities.
        func didRegister(_ event: Event)

        /// The closure of a registration is about to run.
        func willCreate(_ event: Event)

        /// A service was made, and all its hooks have run; or the closure or a hook threw
        /// ``Event/failure``. Nobody else has the service yet.
        func didCreate(_ event: Event)

        /// A service was handed out: to a call, to what is being made, as one of a list, or to the read of a property.
        /// Also one that was there already.
        func didResolve(_ event: Event)

        /// A registration has lost its last identity: it was replaced or removed, or its locator was reset or has
        /// ended.
        func didUnregister(_ event: Event)

        /// An instance was ended by what its registration says is to be done; or that threw ``Event/failure``.
        func didDispose(_ event: Event)

        /// A thread has waited for the main actor to make a service; or gave that up, by ``Event/failure``.
        func didWait(_ event: Event)
    }
}

extension Locator.Behavior {
    public func didRegister(_ event: Locator.Event) {}
    public func willCreate(_ event: Locator.Event) {}
    public func didCreate(_ event: Locator.Event) {}
    public func didResolve(_ event: Locator.Event) {}
    public func didUnregister(_ event: Locator.Event) {}
    public func didDispose(_ event: Locator.Event) {}
    public func didWait(_ event: Locator.Event) {}
}

extension Locator {
    /// Adds a behavior, which is told from now on what happens here and in all locators below.
    ///
    /// ```swift
    /// let observation = locator.add(Locator.Log { print($0) })
    /// defer { observation.remove() }
    /// ```
    ///
    /// The locator keeps it until it is removed or the locator goes. A behavior that refers to its locator should do so
    /// weakly: else neither goes. When the last reference to the locator goes, it is told what goes with that, and
    /// finds its weak one to be nil.
    ///
    /// - Parameter behavior: What is told, after those that were added before. One that is added twice is told twice.
    /// - Returns: A handle by which it is removed. It does not keep the locator.
    /// - Complexity: O(*n*) in the number of registrations here and below, for the first one.
    @discardableResult
    public func add(_ behavior: some Behavior) -> Observation {
        let core = core
        return Observation(core: core, number: core.add(behavior))
    }

    /// What adding a behavior returns: by it, it can be removed.
    public struct Observation: Sendable {
        // The core is empty once its locator is gone, so who keeps a handle keeps neither that nor its instances alive.
        let core: Core
        let number: Int

        /// Removes the behavior. What is being told on another thread at this moment may still reach it.
        public func remove() {
            core.removeBehavior(number)
        }
    }
}
