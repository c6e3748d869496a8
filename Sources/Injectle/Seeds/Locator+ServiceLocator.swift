// The vocabulary of a service locator: each function is one call of `register`. Each has an overload with a check.

extension Locator {
    /// Registers an existing instance, which all callers share.
    ///
    /// ```swift
    /// let garage = Garage()
    /// locator.registerSingleton(garage)
    /// print(try locator.resolve(Garage.self) === garage)  // Prints "true"
    /// ```
    ///
    /// Short for `register(.eager(service), for: type, key: key)`.
    ///
    /// - Parameters:
    ///   - service: The instance.
    ///   - key: The key by which the service is resolved.
    public func registerSingleton<Service>(
        _ service: Service,
        forKey key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        register(.eager(service, fileID: fileID, line: line), for: Service.self, key: key)
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
    ///   - key: The key by which the service is resolved.
    ///   - check: Throws to refuse the registration.
    /// - Throws: The error of `check`.
    public func registerSingleton<Service, Refusal: Error>(
        _ service: Service,
        forKey key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(Refusal) {
        try register(.eager(service, fileID: fileID, line: line), for: Service.self, key: key, and: check)
    }

    /// Registers an expression that creates a shared instance on first use.
    ///
    /// ```swift
    /// locator.registerLazySingleton(Garage())
    /// print(locator.registrations)  // Prints "[App.Garage: lazy]"
    /// print(try locator.resolve(Garage.self) === locator.resolve(Garage.self))  // Prints "true"
    /// ```
    ///
    /// Short for `register(.lazy { service }, for: type, key: key)`. An error of `service` is thrown when the service
    /// is resolved, as ``InjectleError/factoryFailed``.
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
        register(registration, for: Service.self, key: key)
    }

    /// Registers an expression that creates a shared instance on first use, if a check does not throw.
    ///
    /// ```swift
    /// locator.registerLazySingleton(Garage()) { locator, identity in
    ///     print("checking \(identity)")  // Prints "checking App.Garage"
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - service: Evaluated once, on first use, on the actor of the caller.
    ///   - key: The key by which the service is resolved.
    ///   - check: Called at once. It throws to refuse the registration.
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
        try register(registration, for: Service.self, key: key, and: check)
    }
}
