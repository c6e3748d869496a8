extension Locator {
    /// Registers a service as what its modifiers list, or else as its own type.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.as((any Parking).self))
    /// ```
    ///
    /// What was registered under the same identity before is replaced, and what this locator made of it is released. A
    /// ``Registration/final()`` one is not: that stops the program with the text of
    /// ``InjectleError/forbiddenReassignment``. An eager service that is not what it is registered as stops it with
    /// that of ``InjectleError/wrongType``.
    ///
    /// - Parameter registration: How the service comes to be.
    /// - Returns: A handle by which just this registration can be removed.
    /// - Complexity: O(1) on average, with one system call where something is replaced.
    @discardableResult
    public func register<Service>(_ registration: consuming Registration<Service>) -> Registered {
        Record.claim(&registration.record)
        return insert(registration.record)
    }

    /// Registers a service as a type, with or without a key, and as what its modifiers list.
    ///
    /// ```swift
    /// locator.register(.eager(RealService()), for: (any ServiceProtocol).self)
    /// ```
    ///
    /// - Parameters:
    ///   - registration: How the service comes to be.
    ///   - type: The type it is found by, which for a protocol is also the type that its closure is taken to return.
    ///   - key: The key it is found by.
    /// - Returns: A handle by which just this registration can be removed.
    @discardableResult
    public func register<Service>(
        _ registration: consuming Registration<Service>,
        for type: Service.Type,
        key: AnyHashable? = nil
    ) -> Registered {
        Record.claim(&registration.record, as: ServiceKey(type, key: key))
        return insert(registration.record)
    }

    /// Registers a service as its own type under a key, and as what its modifiers list.
    ///
    /// ```swift
    /// locator.register(.lazy { Bmw(model: "M2") }, for: "bmw-m2")
    /// ```
    ///
    /// - Parameters:
    ///   - registration: How the service comes to be.
    ///   - key: The key it is found by.
    /// - Returns: A handle by which just this registration can be removed.
    @discardableResult
    public func register<Service>(_ registration: consuming Registration<Service>, for key: AnyHashable) -> Registered {
        Record.claim(&registration.record, as: ServiceKey(Service.self, key: key))
        return insert(registration.record)
    }

    /// Registers a service as what its modifiers list, or else as its own type, if a check agrees.
    ///
    /// ```swift
    /// try locator.register(.lazy { Garage() }, and: forbidReassignment)
    /// ```
    ///
    /// - Parameters:
    ///   - registration: How the service comes to be.
    ///   - check: Called for each identity, with the locator and the identity's key, or its ``ServiceKey`` where it has
    ///     none; throws to refuse. No lock is held meanwhile. If the identity has changed before the registration is
    ///     in, it is called again, so that of two who race, each checked by ``forbidReassignment(in:forKey:)``, one
    ///     wins.
    /// - Returns: A handle by which just this registration can be removed.
    /// - Throws: What `check` throws; where it can throw ``InjectleError``, also that, instead of stopping the program.
    ///   Nothing is registered then.
    @discardableResult
    public func register<Service, Refusal: Error>(
        _ registration: consuming Registration<Service>,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void
    ) throws(Refusal) -> Registered {
        Record.claim(&registration.record)
        return try insert(registration.record, check)
    }

    /// Registers a service as a type, with or without a key, if a check agrees.
    ///
    /// - Parameters:
    ///   - registration: How the service comes to be.
    ///   - type: The type it is found by.
    ///   - key: The key it is found by.
    ///   - check: Throws to refuse; see ``register(_:and:)``.
    /// - Returns: A handle by which just this registration can be removed.
    /// - Throws: What `check` throws; where it can throw ``InjectleError``, also that. Nothing is registered then.
    @discardableResult
    public func register<Service, Refusal: Error>(
        _ registration: consuming Registration<Service>,
        for type: Service.Type,
        key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void
    ) throws(Refusal) -> Registered {
        Record.claim(&registration.record, as: ServiceKey(type, key: key))
        return try insert(registration.record, check)
    }

    /// Registers a service as its own type under a key, if a check agrees.
    ///
    /// - Parameters:
    ///   - registration: How the service comes to be.
    ///   - key: The key it is found by.
    ///   - check: Throws to refuse; see ``register(_:and:)``.
    /// - Returns: A handle by which just this registration can be removed.
    /// - Throws: What `check` throws; where it can throw ``InjectleError``, also that. Nothing is registered then.
    @discardableResult
    public func register<Service, Refusal: Error>(
        _ registration: consuming Registration<Service>,
        for key: AnyHashable,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void
    ) throws(Refusal) -> Registered {
        Record.claim(&registration.record, as: ServiceKey(Service.self, key: key))
        return try insert(registration.record, check)
    }

    /// What registering returns: by it, the registration can be removed, and no other that has taken its place.
    public struct Registered: Sendable {
        // The core is empty once its locator is gone, so who keeps a handle keeps neither that nor its instances alive.
        // A weak reference would make every later retain of what it points to several times as dear.
        let core: Core
        let serial: Int32
        /// How many went in as one step, with serials from that one on.
        var count: Int32 = 1

        /// Removes the registration from all identities under which it still stands, and releases what was made of it.
        ///
        /// ```swift
        /// let clock = locator.register(.eager(FixedClock()), for: (any Clock).self)
        /// defer { clock.remove() }
        /// ```
        public func remove() {
            // Serials begin anew after the last number there is.
            core.remove(core.ownSlots.filter { 0..<count ~= $0.record.serial &- serial })
        }
    }

    // MARK: Unregistering

    /// Removes the service that was registered as a type without a key.
    ///
    /// What the locator made of it is released, once no other identity leads to it. What a parent has shows again.
    ///
    /// - Parameter type: The type it was registered as.
    public func unregisterService<Service>(_ type: Service.Type) {
        unregister(type, key: nil)
    }

    /// Removes the services of all types that were registered under a key.
    ///
    /// - Parameter key: The key they were registered under.
    public func unregisterService(withKey key: AnyHashable) {
        core.remove(core.slots(under: ServiceKey.Label(key)))
    }

    /// Removes the service that was registered as a type, with a key or without one, whichever arguments it declares,
    /// and what contributes to the list of that type and key.
    ///
    /// ```swift
    /// locator.unregister((any Car).self, key: "unknown")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type it was registered as.
    ///   - key: The key it was registered under.
    public func unregister<Service>(_ type: Service.Type, key: AnyHashable?) {
        let core = core
        core.remove(core.slots(as: type, label: key.map(ServiceKey.Label.init)))
    }

    /// Removes all registrations, and releases what was made of them, in place: whoever has this locator sees it empty.
    /// Which modules were applied is forgotten, too.
    public func reset() {
        core.empty()
    }

    // MARK: The one way in

    private func insert(_ record: consuming Record) -> Registered {
        let record = record
        let core = core
        if !core.insertNew(record) {
            core.insert([record]) { (_) throws(Never) in
            } refuse: { (error) throws(Never) in
                fatalError(error.description)
            }
        }
        return Registered(core: core, serial: record.serial)
    }

    private func insert<Refusal: Error>(
        _ record: Record,
        _ check: (Locator, AnyHashable) throws(Refusal) -> Void
    ) throws(Refusal) -> Registered {
        let core = core
        try core.insert([record]) { identity throws(Refusal) in
            try check(self, identity.key ?? AnyHashable(identity))
        } refuse: { error throws(Refusal) in
            // Thrown where the check could have thrown it: to `any Error` and to `InjectleError`, but not to `Never`.
            if let refusal = error as? Refusal { throw refusal }
            fatalError(error.description)
        }
        return Registered(core: core, serial: record.serial)
    }

    /// Whether something is registered in this locator itself under what a check is given.
    func isTaken(_ key: AnyHashable) -> Slot? {
        if let identity = key.base as? ServiceKey { return core.ownSlot(identity) }
        return core.slots(under: ServiceKey.Label(key)).last { !$0.identity.isContribution }
    }
}

/// Lets a registration replace what is registered under its key. Passed as `and:`.
///
/// - Parameters:
///   - locator: The locator that is registered in.
///   - key: The key of the registration, or its ``ServiceKey``.
public func allowReassignment(in locator: Locator, forKey key: AnyHashable) {}

/// Refuses to replace what is registered under a key. Passed as `and:`.
///
/// ```swift
/// try Injectle[.default].registerSingleton(DeLorean(), and: forbidReassignment)
/// ```
///
/// A key counts as taken whichever type it was registered with, since a property may ask by the key alone. Without a
/// key, it is the type that counts.
///
/// - Parameters:
///   - locator: The locator that is registered in. What its parents have can be overridden.
///   - key: The key of the registration, or its ``ServiceKey``.
/// - Throws: ``InjectleError/forbiddenReassignment`` if something is registered there.
public func forbidReassignment(in locator: Locator, forKey key: AnyHashable) throws {
    guard let slot = locator.isTaken(key) else { return }
    throw InjectleError.forbidden(slot.identity, in: locator.core, taken: slot)
}
