// The vocabulary of a service locator, beside that of registrations. Each of these is one line of the other; each
// stands twice so that the compiler tells whether the service is `Sendable`, and twice more for the check.

extension Locator {
    /// Registers an instance that everyone gets.
    ///
    /// ```swift
    /// Injectle[.default].registerSingleton(DeLorean())
    /// ```
    ///
    /// - Parameters:
    ///   - service: The instance.
    ///   - key: The key it is found by.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    public func registerSingleton<Service>(
        _ service: Service,
        forKey key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        register(.eager(service, fileID: fileID, line: line), for: Service.self, key: key)
    }

    /// Registers an instance that everyone gets. As the other one, for a service that is known to be `Sendable`.
    public func registerSingleton<Service: Sendable>(
        _ service: Service,
        forKey key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        register(.eager(service, fileID: fileID, line: line), for: Service.self, key: key)
    }

    /// Registers an instance that everyone gets, if a check agrees.
    ///
    /// - Throws: What `check` throws; see ``register(_:and:)``.
    public func registerSingleton<Service, Refusal: Error>(
        _ service: Service,
        forKey key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(Refusal) {
        try register(.eager(service, fileID: fileID, line: line), for: Service.self, key: key, and: check)
    }

    /// Registers an instance that everyone gets, if a check agrees. As the other one, for a service that is known to be
    /// `Sendable`.
    ///
    /// - Throws: What `check` throws; see ``register(_:and:)``.
    public func registerSingleton<Service: Sendable, Refusal: Error>(
        _ service: Service,
        forKey key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(Refusal) {
        try register(.eager(service, fileID: fileID, line: line), for: Service.self, key: key, and: check)
    }

    /// Registers an instance that is made at first use, and that everyone gets.
    ///
    /// ```swift
    /// Injectle[.default].registerLazySingleton(RandomCar(), forKey: "unknown")
    /// ```
    ///
    /// - Parameters:
    ///   - service: Evaluated once, at first use: an object that is made right here is not made before.
    ///   - key: The key it is found by.
    ///   - isolation: The actor that makes it; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    public func registerLazySingleton<Service>(
        _ service: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        register(.lazy(isolation: isolation, fileID: fileID, line: line, service), for: Service.self, key: key)
    }

    /// Registers an instance that is made at first use, and that everyone gets. As the other one, for a service that is
    /// known to be `Sendable`.
    public func registerLazySingleton<Service: Sendable>(
        _ service: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        register(.lazy(isolation: isolation, fileID: fileID, line: line, service), for: Service.self, key: key)
    }

    /// Registers an instance that is made at first use, and that everyone gets, if a check agrees.
    ///
    /// - Throws: What `check` throws; see ``register(_:and:)``.
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

    /// Registers an instance that is made at first use, and that everyone gets, if a check agrees. As the other one,
    /// for a service that is known to be `Sendable`.
    ///
    /// - Throws: What `check` throws; see ``register(_:and:)``.
    public func registerLazySingleton<Service: Sendable, Refusal: Error>(
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

/// What ``Locator`` is called elsewhere.
public typealias DependencyContainer = Locator
