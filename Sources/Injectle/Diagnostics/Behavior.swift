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
    /// locator.add(SlowMakings())
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
    /// that creations take. See <doc:WatchingALocator>.
    ///
    /// ``Log`` and ``Recorder`` are behaviors.
    public protocol Behavior: Sendable {
        /// Is told that a registration is in: once for all its identities.
        ///
        /// It can be found already.
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
        /// - Parameter event: What it is known as, its lifetime, and where.
        /// - Complexity: That of your code, for which whoever registers waits.
        func didRegister(_ event: Event)

        /// Is told that the closure of a registration is about to run.
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
        /// It is told on the thread where the closure runs.
        ///
        /// - Parameter event: What is about to be made, and on which path.
        /// - Complexity: That of your code, for which whoever asked waits.
        func willCreate(_ event: Event)

        /// Is told that a service was made, and all its hooks have run; or that the closure or a hook threw
        /// ``Event/failure``.
        ///
        /// Nobody else has the service yet.
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
        /// - Parameter event: What was made, on which path, and how long that took.
        /// - Complexity: That of your code, for which whoever asked waits.
        func didCreate(_ event: Event)

        /// Is told that a service was handed out: to a call, to what is being made, as one of a list, or to the read of
        /// a property.
        ///
        /// That is so also where it was there already.
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
        /// - Parameter event: What was handed out, to whom on the path, and how long that took.
        /// - Complexity: That of your code, for which each read waits.
        func didResolve(_ event: Event)

        /// Is told that a registration has lost its last identity: it was replaced or removed, or its locator was reset
        /// or has ended.
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
        /// - Parameter event: What it was known as, its lifetime, and where.
        /// - Complexity: That of your code, for which whoever removes it waits.
        func didUnregister(_ event: Event)

        /// Is told that an instance was ended by what its registration says is to be done; or that this threw
        /// ``Event/failure``.
        ///
        /// Where nothing can be awaited, such an error has no other way out: where no behavior is told, it is written
        /// to standard error.
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
        /// - Parameter event: What was ended, and how long that took.
        /// - Complexity: That of your code, for which the next disposer waits.
        func didDispose(_ event: Event)

        /// Is told that a thread has waited for the main actor to make a service; or gave that up, by
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
        /// It is told on the thread that waited.
        ///
        /// - Parameter event: What was waited for, and how long.
        /// - Complexity: That of your code, for which whoever asked waits.
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
    /// locator.register(.eager(Lamp()))  // Prints "registered App.Lamp (eager) in the locator "app""
    /// observation.remove()
    /// ```
    ///
    /// The locator keeps it until it is removed or the locator goes. A behavior that refers to its locator should do so
    /// weakly: else neither goes. When the last reference to the locator goes, it is told what goes with that, and
    /// finds its weak one to be nil.
    ///
    /// - Parameter behavior: What is told, after those that were added before. One that is added twice is told twice.
    /// - Returns: A handle by which it is removed. It does not keep the locator.
    /// - Complexity: O(*m*) in the number of locators below; for the first one, also O(*n*) in the number of
    ///   registrations here and below.
    @discardableResult
    public func add(_ behavior: some Behavior) -> BehaviorHandle {
        let core = core
        return BehaviorHandle(core: core, number: core.add(behavior))
    }

    /// Removes a behavior: it is what adding one returns.
    ///
    /// ```swift
    /// let recorder = Locator.Recorder()
    /// let observation = locator.add(recorder)
    /// defer { observation.remove() }
    /// ```
    ///
    /// It keeps neither the locator nor what is registered there. It can be copied, and used from any thread.
    public struct BehaviorHandle: Sendable {
        // The core is empty once its locator is gone, so who keeps a handle keeps neither that nor its instances alive.
        let core: LocatorCore
        let number: Int

        /// Removes the behavior.
        ///
        /// What is being told on another thread at this moment may still reach it.
        ///
        /// ```swift
        /// let observation = locator.add(Locator.Log([.didRegister]) { print($0) })
        /// observation.remove()
        /// locator.register(.eager(Lamp()))  // nothing is written
        /// ```
        ///
        /// If it has been removed before, nothing happens.
        ///
        /// - Complexity: O(*m*) in the number of locators below, and of behaviors of this one.
        public func remove() {
            core.removeBehavior(number)
        }
    }
}
