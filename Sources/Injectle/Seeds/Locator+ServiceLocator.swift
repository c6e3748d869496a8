// The vocabulary of a service locator: each function is one call of `register`, with and without a check.

extension Locator {
    /// Registers an existing instance, which all callers share.
    ///
    /// ```swift
    /// let garage = Garage()
    /// locator.registerSingleton(garage)
    /// print(try locator.resolve(Garage.self) === garage)  // Prints "true"
    /// ```
    ///
    /// Short for `register(.eager(service), for: type, key: key)`, except that a key alone is the identity: the
    /// registration replaces each service that this locator has under `key`, whatever its type, unless it is
    /// ``Registration/final()``.
    ///
    /// - Parameters:
    ///   - service: The instance.
    ///   - type: The type by which the service is resolved: the static type of `service`, if left out.
    ///   - key: The key by which the service is resolved.
    public func registerSingleton<Service>(
        _ service: Service,
        // Keeps the compiler from opening an existential. A closure, since the type of an `any P` is not `Sendable`.
        for type: @autoclosure @Sendable () -> Service.Type = Service.self,
        forKey key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        register(.eager(service, fileID: fileID, line: line), underKey: key, and: allowReassignment)
    }

    /// Registers an existing instance if a check does not throw.
    ///
    /// ```swift
    /// try locator.registerSingleton(Garage(), forKey: "first", and: forbidReassignment)
    /// let second: ()? = try? locator.registerSingleton(Garage(), forKey: "first", and: forbidReassignment)
    /// print(second == nil)  // Prints "true"
    /// ```
    ///
    /// - Parameters:
    ///   - service: The instance.
    ///   - type: The type by which the service is resolved: the static type of `service`, if left out.
    ///   - key: The key by which the service is resolved, which is its identity.
    ///   - check: Called with the key, or with the name of the type if there is none. It throws to refuse the
    ///     registration.
    /// - Throws: The error of `check`.
    public func registerSingleton<Service, Refusal: Error>(
        _ service: Service,
        for type: @autoclosure @Sendable () -> Service.Type = Service.self,
        forKey key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(Refusal) {
        try register(.eager(service, fileID: fileID, line: line), underKey: key, and: check)
    }

    /// Registers an existing instance, where the function is used as a value: `locator.registerSingleton(_:forKey:)`.
    @_disfavoredOverload
    public func registerSingleton<Service>(_ service: Service, forKey key: AnyHashable) {
        registerSingleton(service, for: Service.self, forKey: key)
    }

    /// Registers an expression that creates a shared instance on first use.
    ///
    /// ```swift
    /// locator.registerLazySingleton(Garage())
    /// print(locator.registrations)  // Prints "[App.Garage: lazy]"
    /// print(try locator.resolve(Garage.self) === locator.resolve(Garage.self))  // Prints "true"
    /// ```
    ///
    /// Short for `register(.lazy { service }, for: type, key: key)`, except that a key alone is the identity. An error
    /// of `service` is thrown when the service is resolved, as ``InjectleError/factoryFailed``.
    ///
    /// - Parameters:
    ///   - service: Evaluated once, on first use, on the actor of the caller.
    ///   - key: The key by which the service is resolved.
    public func registerLazySingleton<Service>(
        _ service: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        let registration = Registration<Service>.lazy(isolation: isolation, fileID: fileID, line: line, service)
        register(registration, underKey: key, and: allowReassignment)
    }

    /// Registers an expression that creates a shared instance on first use, if a check does not throw.
    ///
    /// ```swift
    /// locator.registerLazySingleton(Garage()) { locator, key in
    ///     print("checking \(key)")  // Prints "checking Garage"
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - service: Evaluated once, on first use, on the actor of the caller.
    ///   - key: The key by which the service is resolved, which is its identity.
    ///   - check: Called at once with the key, or with the name of the type if there is none. It throws to refuse the
    ///     registration.
    /// - Throws: The error of `check`.
    public func registerLazySingleton<Service, Refusal: Error>(
        _ service: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(Refusal) {
        let registration = Registration<Service>.lazy(isolation: isolation, fileID: fileID, line: line, service)
        try register(registration, underKey: key, and: check)
    }

    /// Removes the registration of a type without a key.
    ///
    /// ```swift
    /// locator.registerSingleton(User(name: "Ada"))
    /// locator.registerSingleton(User(name: "Grace"), forKey: "second")
    /// locator.unregisterService(User.self)
    /// print(locator.registrations)  // Prints "[App.User under the key "second": eager, created]"
    /// ```
    ///
    /// The locator releases its instances unless another identity leads to the registration. A child then resolves the
    /// service from its parent again.
    ///
    /// - Parameter type: The type by which the service is resolved.
    /// - Complexity: O(1) on average, or O(*k*) where *k* registrations are removed.
    public func unregisterService<Service>(_ type: Service.Type) {
        unregister(type)
    }

    /// Removes the registrations of all types under a key.
    ///
    /// ```swift
    /// locator.register(.lazy { Taxi() }, key: "night")
    /// locator.register(.lazy { Settings(currency: "EUR") }, key: "night")
    /// locator.unregisterService(withKey: "night")
    /// print(locator.registrations.count)  // Prints "0"
    /// ```
    ///
    /// - Parameter key: The key. If it is nil, the call has no effect.
    /// - Complexity: O(*k* log *k*) in the number of registrations under the key.
    public func unregisterService(withKey key: AnyHashable?) {
        guard let key else { return }
        let core = core
        core.remove(core.registrations(under: .make(key)))
    }

    /// Registers a service whose identity is the key, or its type if there is none.
    func register<Service, Refusal: Error>(
        _ registration: Registration<Service>,
        underKey key: AnyHashable?,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void
    ) throws(Refusal) {
        let handle = try register(registration, for: Service.self, key: key, and: check)
        guard let key else { return }
        // Not the later ones: of two threads that register under one key, the later one wins.
        let present = core.registrations(under: .make(key))
        guard let own = present.firstIndex(where: { $0.record.order == handle.order }) else { return }
        core.remove(present[..<own].filter { !$0.isContribution && !$0.record.traits.isFinal })
    }
}
