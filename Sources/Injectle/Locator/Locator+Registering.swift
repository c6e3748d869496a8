extension Locator {
    /// Registers a service for a type and a key, and for the identities that its modifiers list.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { DeLorean() }, for: (any Car).self)
    /// locator.register(.lazy { Taxi() }, for: (any Car).self, key: "at night")
    /// locator.register(.lazy { Garage() }.as((any Parking).self).asSelf())
    /// print(try locator.resolve((any Car).self, key: "at night").name)  // Prints "taxi"
    /// print(try locator.resolve((any Parking).self) === locator.resolve(Garage.self))  // Prints "true"
    /// ```
    ///
    /// The registration replaces an earlier one of the same type and key, whose instances are released. It traps with
    /// the text of ``InjectleError/forbiddenReassignment`` if that is ``Registration/final()``, and with the text of
    /// ``InjectleError/wrongType`` if an eager service is not of a type that it is registered for; with `and:` both are
    /// thrown. A closed locator ignores it, and warns of a value with an `onDispose` hook.
    ///
    /// - Parameters:
    ///   - registration: The lifetime and factory closure.
    ///   - type: The type by which the service is resolved: its own, if left out and no modifier lists another. With
    ///     `(any P).self`, modifiers and hooks receive an `any P`; with ``Registration/as(_:key:)``, the concrete type.
    ///   - key: The key by which it is resolved, or nil for none.
    /// - Returns: A handle that removes this registration.
    /// - Complexity: O(1) on average for each type, or O(*k*) where *k* registrations share the key or contribute to
    ///   its list. Replacing a registration also takes the time of its `onDispose` hooks.
    @discardableResult
    @inlinable @inline(__always)
    public func register<Service>(
        _ registration: consuming Registration<Service>,
        for type: Service.Type? = nil,
        key: AnyHashable? = nil
    ) -> RegistrationHandle {
        insert(&registration.record, isListed: type != nil, .make(key))
    }

    /// Registers a service for its type and a key.
    ///
    /// ```swift
    /// locator.register(.eager(Bmw(model: "M2")), for: "small")
    /// print(try locator.resolve(Bmw.self, key: "small").model)  // Prints "M2"
    /// ```
    ///
    /// - Parameters:
    ///   - registration: The lifetime and factory closure.
    ///   - key: The key by which the service is resolved.
    /// - Returns: A handle that removes this registration.
    @discardableResult
    @_disfavoredOverload
    public func register<Service>(
        _ registration: consuming Registration<Service>,
        for key: AnyHashable
    ) -> RegistrationHandle {
        register(registration, for: Service.self, key: key)
    }

    /// Registers a service for a key that knows its type, and for the identities that its modifiers list.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: .fast)
    /// print(try locator.resolve(.fast).name)  // Prints "DeLorean"
    /// ```
    ///
    /// - Parameters:
    ///   - registration: The lifetime and factory closure.
    ///   - key: The key by which the service is resolved.
    /// - Returns: A handle that removes this registration.
    @discardableResult
    @_disfavoredOverload
    public func register<Service>(
        _ registration: consuming Registration<Service>,
        for key: ServiceKey<Service>
    ) -> RegistrationHandle {
        register(registration, for: Service.self, key: key)
    }

    /// Rejects a typed key as `key:`.
    @available(*, unavailable, message: "a typed key has the type, too: pass it by 'for:'")
    @_disfavoredOverload
    public func register<Service>(_: consuming Registration<Service>, key: ServiceKey<Service>) -> RegistrationHandle {
        fatalError("unavailable")
    }

    /// Registers a service if a check does not throw.
    ///
    /// ```swift
    /// try locator.register(.lazy { Garage() }, and: forbidReassignment)
    /// do {
    ///     try locator.register(.lazy { Garage() }, and: forbidReassignment)
    /// } catch InjectleError.forbiddenReassignment {
    ///     print("registered already")  // Prints "registered already"
    /// }
    /// ```
    ///
    /// The check runs on the calling thread, without a lock. If another thread changes the identity before the
    /// registration is inserted, the check runs again: of two threads that register with
    /// ``forbidReassignment(in:forKey:)``, one succeeds.
    ///
    /// - Parameters:
    ///   - registration: The lifetime and factory closure.
    ///   - type: The type by which the service is resolved: its own, if left out and no modifier lists another.
    ///   - key: The key by which it is resolved.
    ///   - check: Called for each identity with the locator and the key, or with the name of the type where there is no
    ///     key. It throws to refuse the registration.
    /// - Returns: A handle that removes this registration.
    /// - Throws: The error of `check`; where that can be an ``InjectleError``, also
    ///   ``InjectleError/forbiddenReassignment``, ``InjectleError/wrongType`` and ``InjectleError/locatorClosed``.
    ///   Nothing is registered then.
    @discardableResult
    public func register<Service, Refusal: Error>(
        _ registration: consuming Registration<Service>,
        for type: Service.Type? = nil,
        key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void
    ) throws(Refusal) -> RegistrationHandle {
        let record = AnyRecord.claimed(&registration.record)
        return try withoutActuallyEscaping(check) { check throws(Refusal) in
            try insert(record, isListed: type != nil, .make(key)) { listing throws(Refusal) in
                try check(self, listing.identity.checkedKey)
            }
        }
    }

    /// Registers a service if this locator has no registration of its type and key.
    ///
    /// ```swift
    /// locator.register(.eager(Settings(currency: "EUR")))
    /// locator.registerIfAbsent(.eager(Settings(currency: "USD")))
    /// print(try locator.resolve(Settings.self).currency)  // Prints "EUR"
    /// ```
    ///
    /// A library registers its defaults by it, whichever comes first: the library or the program. Of two threads that
    /// call it, one registers. A registration of a parent does not count, so a child can override its parent's.
    /// Elements of a list are always registered.
    ///
    /// - Parameters:
    ///   - registration: The lifetime and factory closure. With several identities, none of them may be registered.
    ///   - type: The type by which the service is resolved: its own, if left out and no modifier lists another.
    ///   - key: The key by which it is resolved.
    /// - Returns: A handle that removes this registration, or nil if there was one before.
    @discardableResult
    public func registerIfAbsent<Service>(
        _ registration: consuming Registration<Service>,
        for type: Service.Type? = nil,
        key: AnyHashable? = nil
    ) -> RegistrationHandle? {
        let core = core
        let record = AnyRecord.claimed(&registration.record)
        record.prepare(for: core, isListed: type != nil, .make(key))
        return core.insertIfAbsent(record) ? RegistrationHandle(record, in: core) : nil
    }

    /// A handle that removes one registration, and not another one that has replaced it.
    ///
    /// ```swift
    /// let first = locator.register(.eager(User(name: "Ada")))
    /// locator.register(.eager(User(name: "Grace")))  // replaces it
    /// first.remove()
    /// print(try locator.resolve(User.self).name)  // Prints "Grace"
    /// ```
    ///
    /// It retains neither the locator nor the service, and can be used from any thread.
    public struct RegistrationHandle: Sendable {
        // Not the record, whose closures would stay alive. The core is empty once its locator is freed.
        let core: LocatorCore
        /// The first identity of the registration, and its position in the order of registration.
        let identity: Identity
        let order: Int

        init(_ record: AnyRecord, in core: LocatorCore) {
            self.core = core
            identity = record.traits.identity
            order = record.order
        }

        private func record(in found: [Found]) -> AnyRecord? { found.first { $0.record.order == order }?.record }

        /// Removes the registration from all of its identities and releases its instances.
        ///
        /// ```swift
        /// let clock = locator.register(.eager(FixedClock()), for: (any WallClock).self)
        /// clock.remove()
        /// print(locator.isRegistered((any WallClock).self))  // Prints "false"
        /// ```
        ///
        /// A second call has no effect.
        ///
        /// - Complexity: O(*k*) in the number of identities of the registration, or O(*n*) in the number of
        ///   registrations of the locator if its first identity has been replaced.
        public func remove() {
            // Another registration can have replaced the first identity.
            let exact = record(in: core.registrations(as: identity))
            guard let record = exact ?? record(in: core.registrations) else { return }
            core.remove(record)
        }
    }

    /// Inserts the record of a registration, or traps with the text of the error.
    ///
    /// - Parameter isListed: Whether the call names the type of the service.
    @usableFromInline func insert(_ record: inout AnyRecord, isListed: Bool, _ key: Key?) -> RegistrationHandle {
        let core = core
        let record = AnyRecord.claimed(&record)
        record.prepare(for: core, isListed: isListed, key)
        do {
            try core.insert(record)
        } catch {
            let location = record.traits.location
            fatalError("\(error)", file: location.file, line: location.line)
        }
        return RegistrationHandle(record, in: core)
    }

    private func insert<Refusal: Error>(
        _ record: AnyRecord,
        isListed: Bool,
        _ key: Key?,
        _ check: @escaping (Listing) throws(Refusal) -> Void
    ) throws(Refusal) -> RegistrationHandle {
        let core = core
        record.prepare(for: core, isListed: isListed, key)
        do {
            // A caller that cannot throw does not trap while the program ends.
            if core.closeHasBegun, InjectleError.locatorClosed is Refusal {
                let first = record.traits.identity
                throw InjectleError.closed(core, "\(first) cannot be registered in", first)
            }
            try core.insert(record, check: check)
        } catch {
            // Thrown where the check can throw it: as `any Error` and as `InjectleError`, but not as `Never`.
            if let refusal = error as? Refusal { throw refusal }
            let location = record.traits.location
            fatalError("\(error)", file: location.file, line: location.line)
        }
        return RegistrationHandle(record, in: core)
    }
}
