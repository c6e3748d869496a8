// A `RegistrationHandle` removes one registration. These functions remove all that match.

extension Locator {
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
        core.remove(core.registrations(as: Identity(type, key: key)))
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
    public func reset() { core.reset() }
}
