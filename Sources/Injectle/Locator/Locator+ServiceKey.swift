// The members of a locator for keys whose type is known. Each does the same as the one for a type and a key.

extension Locator {
    /// Registers a service for a key, and for the identities that its modifiers list.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: .fast)
    /// ```
    ///
    /// - Parameters:
    ///   - registration: The lifetime and factory closure.
    ///   - key: The key by which the service is resolved.
    /// - Returns: A handle that removes this registration.
    /// - Complexity: The same as of `register(_:for:key:)`.
    @discardableResult
    @_disfavoredOverload
    public func register<Service>(
        _ registration: consuming Registration<Service>,
        for key: ServiceKey<Service>
    ) -> RegistrationHandle {
        register(registration, for: Service.self, key: key)
    }

    /// Registers a service for a key, if this locator has no registration for it.
    @discardableResult
    public func registerIfAbsent<Service>(
        _ registration: consuming Registration<Service>,
        for key: ServiceKey<Service>
    ) -> RegistrationHandle? {
        registerIfAbsent(registration, for: Service.self, key: key)
    }

    /// Removes the registrations of a key.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }, for: .fast)
    /// locator.unregister(.fast)
    /// print(locator.isRegistered(.fast))  // Prints "false"
    /// ```
    ///
    /// A default of the key is registered again at the next resolve.
    public func unregister<Service>(_ key: ServiceKey<Service>) {
        unregister(Service.self, key: key)
    }

    /// Returns whether a service is registered for a key in this locator or a parent. A default of the key does not count.
    public func isRegistered<Service>(_ key: ServiceKey<Service>) -> Bool {
        isRegistered(Service.self, key: key)
    }

    /// Releases the instance of a key and keeps its registration, so that the next resolve creates another one.
    public func resetInstance<Service, each Argument>(
        of key: ServiceKey<Service>,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) {
        try resetInstance(of: Service.self, key: key, arguments: repeat each argument, fileID: fileID, line: line)
    }
}
