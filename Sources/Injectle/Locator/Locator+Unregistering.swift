// A `RegistrationHandle` removes one registration. These functions remove all that match.

extension Locator {
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
        core.remove(core.entries(under: Locator.Identity.KeyPart(key)))
    }

    /// Removes the registrations of a type and key, whichever arguments they declare, and the contributions to its
    /// list.
    ///
    /// ```swift
    /// locator.register(.lazy { RandomCar() }, for: (any Car).self, key: "unknown")
    /// locator.unregister((any Car).self, key: "unknown")
    /// print(locator.isRegistered((any Car).self, key: "unknown"))  // Prints "false"
    /// ```
    ///
    /// The locator releases the instances unless another identity leads to the registration.
    ///
    /// - Parameters:
    ///   - type: The type by which the service is resolved.
    ///   - key: The key by which it is resolved, or nil for none.
    /// - Complexity: O(1) on average, or O(*k*) where *k* registrations are removed or share the key.
    public func unregister<Service>(_ type: Service.Type, key: AnyHashable? = nil) {
        let core = core
        core.remove(core.entries(as: type, userKey: Locator.Identity.KeyPart.make(key)))
    }

    /// Removes all registrations and releases their instances.
    ///
    /// ```swift
    /// locator.registerSingleton(Settings(currency: "EUR"))
    /// locator.reset()
    /// print(try locator.resolve(Settings?.self) == nil)  // Prints "true"
    /// ```
    ///
    /// The locator is emptied in place and can be filled again. Modules can be applied again, and behaviors stay. Async
    /// `onDispose` hooks run in a task of their own.
    ///
    /// - Complexity: O(*n*) in the number of registrations and instances.
    public func reset() {
        core.empty()
    }
}
