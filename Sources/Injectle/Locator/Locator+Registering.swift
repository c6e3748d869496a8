extension Locator {
    /// Registers a service as what its modifiers list, or else as its own type.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.as((any Parking).self).asSelf())
    /// let parking: any Parking = try locator.resolve()
    /// print(try locator.resolve(Garage.self) === parking)  // Prints "true"
    /// ```
    ///
    /// What was registered under the same identity before is replaced, and what this locator made of it is released. A
    /// ``Registration/final()`` one is not: that stops the program with the text of
    /// ``InjectleError/forbiddenReassignment``. An eager service that is not what it is registered as stops it with
    /// that of ``InjectleError/wrongType``. A locator that is closed takes nothing, and says nothing.
    ///
    /// - Parameter registration: How the service comes to be.
    /// - Returns: A handle by which just this registration can be removed.
    /// - Complexity: O(1) on average for each identity, or O(*k*) where *k* registrations share its key or contribute
    ///   to its list. Where something is replaced, or the table is outgrown, also one system call.
    @discardableResult
    public func register<Service>(_ registration: consuming Registration<Service>) -> RegistrationHandle {
        RegistrationRecord.claim(&registration.record)
        return insert(registration.record)
    }

    /// Registers a service as a type, with or without a key, and as what its modifiers list.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: (any Car).self)
    /// locator.register(.lazy { Taxi() }, for: (any Car).self, key: "at night")
    /// print(try locator.resolve((any Car).self, key: "at night").name)  // Prints "taxi"
    /// ```
    ///
    /// What is replaced, and what is refused, is as with ``register(_:)``.
    ///
    /// - Parameters:
    ///   - registration: How the service comes to be.
    ///   - type: The type it is found by, which for a protocol is also the type that its closure is taken to return; its
    ///     own type, if left out.
    ///   - key: The key it is found by.
    /// - Returns: A handle by which just this registration can be removed.
    /// - Complexity: That of ``register(_:)``.
    @discardableResult
    public func register<Service>(
        _ registration: consuming Registration<Service>,
        for type: Service.Type = Service.self,
        key: AnyHashable? = nil
    ) -> RegistrationHandle {
        RegistrationRecord.claim(&registration.record, as: ServiceKey(type, key: key))
        return insert(registration.record)
    }

    /// Registers a service as its own type under a key, and as what its modifiers list.
    ///
    /// ```swift
    /// locator.register(.lazy { Bmw(model: "M2") }, for: "small")
    /// locator.register(.lazy { Bmw(model: "M5") }, for: "large")
    /// print(try locator.resolve(Bmw.self, key: "large").model)  // Prints "M5"
    /// ```
    ///
    /// What is replaced, and what is refused, is as with ``register(_:)``.
    ///
    /// - Parameters:
    ///   - registration: How the service comes to be.
    ///   - key: The key it is found by; none if it is nil.
    /// - Returns: A handle by which just this registration can be removed.
    /// - Complexity: That of ``register(_:)``.
    @discardableResult
    public func register<Service>(_ registration: consuming Registration<Service>, for key: AnyHashable?)
        -> RegistrationHandle
    {
        RegistrationRecord.claim(&registration.record, as: ServiceKey(Service.self, key: key))
        return insert(registration.record)
    }

    /// Registers a service as what its modifiers list, or else as its own type, if a check agrees.
    ///
    /// ```swift
    /// try locator.register(.lazy { Garage() }, and: forbidReassignment)
    /// do {
    ///     try locator.register(.lazy { Garage() }, and: forbidReassignment)
    /// } catch InjectleError.forbiddenReassignment {
    ///     print("there is one")  // Prints "there is one"
    /// }
    /// ```
    ///
    /// The check runs where this is called, and no lock is held meanwhile.
    ///
    /// - Parameters:
    ///   - registration: How the service comes to be.
    ///   - check: Called for each identity, with the locator and the identity's key, or its ``ServiceKey`` where it has
    ///     none; throws to refuse. If the identity has changed before the registration is in, it is called again, so
    ///     that of two who race, each checked by ``forbidReassignment(in:forKey:)``, one wins.
    /// - Returns: A handle by which just this registration can be removed.
    /// - Throws: What `check` throws; where it can throw ``InjectleError``, also
    ///   ``InjectleError/forbiddenReassignment``, ``InjectleError/wrongType`` and ``InjectleError/locatorClosed``,
    ///   instead of stopping the program or saying nothing. Nothing is registered then.
    /// - Complexity: That of ``register(_:)``, besides what `check` costs.
    @discardableResult
    public func register<Service, Refusal: Error>(
        _ registration: consuming Registration<Service>,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void
    ) throws(Refusal) -> RegistrationHandle {
        RegistrationRecord.claim(&registration.record)
        return try insert(registration.record, check)
    }

    /// Registers a service as a type, with or without a key, if a check agrees.
    ///
    /// ```swift
    /// try locator.register(.lazy { Taxi() }, for: (any Car).self, key: 1, and: forbidReassignment)
    /// let second = try? locator.register(.lazy { DeLorean() }, for: (any Car).self, key: 1, and: forbidReassignment)
    /// print(second == nil)  // Prints "true"
    /// ```
    ///
    /// - Parameters:
    ///   - registration: How the service comes to be.
    ///   - type: The type it is found by; its own type, if left out.
    ///   - key: The key it is found by.
    ///   - check: Throws to refuse; see ``register(_:and:)``.
    /// - Returns: A handle by which just this registration can be removed.
    /// - Throws: What `check` throws, and what ``register(_:and:)`` does. Nothing is registered then.
    /// - Complexity: That of ``register(_:)``, besides what `check` costs.
    @discardableResult
    public func register<Service, Refusal: Error>(
        _ registration: consuming Registration<Service>,
        for type: Service.Type = Service.self,
        key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void
    ) throws(Refusal) -> RegistrationHandle {
        RegistrationRecord.claim(&registration.record, as: ServiceKey(type, key: key))
        return try insert(registration.record, check)
    }

    /// Registers a service as its own type under a key, if a check agrees.
    ///
    /// ```swift
    /// locator.register(.lazy { Bmw(model: "M2") }, for: "small") { locator, key in
    ///     print("\(key), among \(locator.registrations.count) others")  // Prints "small, among 0 others"
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - registration: How the service comes to be.
    ///   - key: The key it is found by.
    ///   - check: Throws to refuse; see ``register(_:and:)``.
    /// - Returns: A handle by which just this registration can be removed.
    /// - Throws: What `check` throws, and what ``register(_:and:)`` does. Nothing is registered then.
    /// - Complexity: That of ``register(_:)``, besides what `check` costs.
    @discardableResult
    public func register<Service, Refusal: Error>(
        _ registration: consuming Registration<Service>,
        for key: AnyHashable?,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void
    ) throws(Refusal) -> RegistrationHandle {
        RegistrationRecord.claim(&registration.record, as: ServiceKey(Service.self, key: key))
        return try insert(registration.record, check)
    }

    /// Removes a registration, and no other that has taken its place: it is what registering returns.
    ///
    /// ```swift
    /// let first = locator.register(.eager(User(name: "Ada")))
    /// locator.register(.eager(User(name: "Grace")))  // replaces it
    /// first.remove()
    /// print(try locator.resolve(User.self).name)  // Prints "Grace"
    /// ```
    ///
    /// It keeps neither the locator nor the service alive. It can be copied, and used from any thread.
    public struct RegistrationHandle: Sendable {
        // The core is empty once its locator is gone, so who keeps a handle keeps neither that nor its instances alive.
        // A weak reference would make every later retain of what it points to several times as dear.
        let core: LocatorCore
        let serial: Int32
        /// How many went in as one step, with serials from that one on.
        var count: Int32 = 1

        /// Removes the registration from all identities under which it still stands, and releases what was made of it.
        ///
        /// ```swift
        /// let clock = locator.register(.eager(FixedClock()), for: (any WallClock).self)
        /// clock.remove()
        /// print(locator.isRegistered((any WallClock).self))  // Prints "false"
        /// ```
        ///
        /// Where it is gone already, nothing happens.
        ///
        /// - Complexity: O(*n* log *n*) in the number of registrations of the locator.
        public func remove() {
            // Serials begin anew after the last number there is.
            core.remove(core.ownEntries.filter { 0..<count ~= $0.record.serial &- serial })
        }
    }

    // MARK: Unregistering

    /// Removes the service that was registered as a type without a key.
    ///
    /// What the locator made of it is released, once no other identity leads to it. What a parent has shows again.
    ///
    /// ```swift
    /// locator.registerSingleton(User(name: "Ada"))
    /// locator.registerSingleton(User(name: "Grace"), forKey: "second")
    /// locator.unregisterService(User.self)
    /// print(locator.registrations)  // Prints "[App.User under the key "second": eager, created]"
    /// ```
    ///
    /// - Parameter type: The type it was registered as.
    /// - Complexity: O(1) on average, or O(*k*) where *k* registrations go.
    public func unregisterService<Service>(_ type: Service.Type) {
        unregister(type, key: nil)
    }

    /// Removes the services of all types that were registered under a key.
    ///
    /// ```swift
    /// locator.register(.lazy { Taxi() }, for: "night")
    /// locator.register(.lazy { Settings(currency: "EUR") }, for: "night")
    /// locator.unregisterService(withKey: "night")
    /// print(locator.registrations.count)  // Prints "0"
    /// ```
    ///
    /// - Parameter key: The key they were registered under. If it is nil, nothing is removed.
    /// - Complexity: O(*k* log *k*) in the number of registrations under the key.
    public func unregisterService(withKey key: AnyHashable?) {
        guard let key else { return }
        let core = core
        core.remove(core.entries(under: ServiceKey.UserKey(key)))
    }

    /// Removes the service that was registered as a type, with a key or without one, whichever arguments it declares,
    /// and what contributes to the list of that type and key.
    ///
    /// ```swift
    /// locator.register(.lazy { RandomCar() }, for: (any Car).self, key: "unknown")
    /// locator.unregister((any Car).self, key: "unknown")
    /// print(locator.isRegistered((any Car).self, key: "unknown"))  // Prints "false"
    /// ```
    ///
    /// What the locator made of it is released, once no other identity leads to it.
    ///
    /// - Parameters:
    ///   - type: The type it was registered as.
    ///   - key: The key it was registered under.
    /// - Complexity: O(1) on average, or O(*k*) where *k* registrations go, or share the key.
    public func unregister<Service>(_ type: Service.Type, key: AnyHashable?) {
        let core = core
        core.remove(core.entries(as: type, userKey: key.map(ServiceKey.UserKey.init)))
    }

    /// Removes all registrations, and releases what was made of them, in place: whoever has this locator sees it empty.
    ///
    /// Which modules were applied is forgotten, too. Behaviors stay. Disposers that await do not run;
    /// ``resetAsync(isolation:)`` runs them.
    ///
    /// ```swift
    /// locator.registerSingleton(Settings(currency: "EUR"))
    /// locator.reset()
    /// print(try locator.resolve(Settings?.self) == nil)  // Prints "true"
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of what is registered and made here.
    public func reset() {
        core.empty()
    }

    // MARK: The one way in

    private func insert(_ record: consuming RegistrationRecord) -> RegistrationHandle {
        let record = record
        let core = core
        if !core.insertNew(record) {
            core.insert([record]) { (_) throws(Never) in
            } refuse: { (error) throws(Never) in
                fatalError(error.description)
            }
        }
        return RegistrationHandle(core: core, serial: record.serial)
    }

    private func insert<Refusal: Error>(
        _ record: RegistrationRecord,
        _ check: (Locator, AnyHashable) throws(Refusal) -> Void
    ) throws(Refusal) -> RegistrationHandle {
        let core = core
        try core.insert([record]) { identity throws(Refusal) in
            try check(self, identity.key ?? AnyHashable(identity))
        } refuse: { error throws(Refusal) in
            // Thrown where the check could have thrown it: to `any Error` and to `InjectleError`, but not to `Never`.
            if let refusal = error as? Refusal { throw refusal }
            fatalError(error.description)
        }
        return RegistrationHandle(core: core, serial: record.serial)
    }

    /// Whether something is registered in this locator itself under what a check is given.
    func isTaken(_ key: AnyHashable) -> Entry? {
        if let identity = key.base as? ServiceKey { return core.ownEntry(identity) }
        return core.entries(under: ServiceKey.UserKey(key)).last { !$0.identity.isContribution }
    }
}

/// Lets a registration replace what is registered under its key.
///
/// It is passed as `and:`, and agrees to everything.
///
/// ```swift
/// locator.register(.eager(Settings(currency: "EUR")))
/// locator.register(.eager(Settings(currency: "CHF")), and: allowReassignment)
/// print(try locator.resolve(Settings.self).currency)  // Prints "CHF"
/// ```
///
/// - Parameters:
///   - locator: The locator that is registered in.
///   - key: The key of the registration, or its ``ServiceKey``.
/// - Complexity: O(1)
public func allowReassignment(in locator: Locator, forKey key: AnyHashable) {}

/// Refuses to replace what is registered under a key.
///
/// It is passed as `and:`. A key counts as taken whichever type it was registered with, since a property may ask by the
/// key alone. Without a key, it is the type that counts.
///
/// ```swift
/// locator.registerSingleton(Taxi(), forKey: "car")
/// do {
///     try locator.registerSingleton(DeLorean(), forKey: "car", and: forbidReassignment)
/// } catch InjectleError.forbiddenReassignment {
///     print("the key is taken")  // Prints "the key is taken"
/// }
/// ```
///
/// It can be called from any thread, also by a check of yours.
///
/// - Parameters:
///   - locator: The locator that is registered in. What its parents have can be overridden.
///   - key: The key of the registration, or its ``ServiceKey``.
/// - Throws: ``InjectleError/forbiddenReassignment`` if something is registered there.
/// - Complexity: O(1) on average without a key, O(*k* log *k*) where *k* registrations share the key.
public func forbidReassignment(in locator: Locator, forKey key: AnyHashable) throws {
    guard let entry = locator.isTaken(key) else { return }
    throw InjectleError.forbidden(entry.identity, in: locator.core, taken: entry)
}
