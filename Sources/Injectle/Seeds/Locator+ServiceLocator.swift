// The vocabulary of a service locator, beside that of registrations. Each of these is one line of the other; each
// stands twice so that the compiler tells whether the service is `Sendable`, and twice more for the check.

extension Locator {
    /// Registers an instance that everyone gets.
    ///
    /// ```swift
    /// let garage = Garage()
    /// locator.registerSingleton(garage)
    /// print(try locator.resolve(Garage.self) === garage)  // Prints "true"
    /// ```
    ///
    /// It is short for `register(.eager(service), for: type, key: key)`, and replaces what was there: see
    /// ``register(_:)``.
    ///
    /// - Parameters:
    ///   - service: The instance.
    ///   - key: The key it is found by.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Complexity: That of ``register(_:)``.
    public func registerSingleton<Service>(
        _ service: Service,
        forKey key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        register(.eager(service, fileID: fileID, line: line), for: Service.self, key: key)
    }

    /// The same as ``registerSingleton(_:forKey:fileID:line:)-1gr79``, for a service that is known to be `Sendable`.
    ///
    /// The compiler takes it by itself.
    ///
    /// ```swift
    /// locator.registerSingleton(DeLorean())
    /// let name = await Task.detached { try? locator.resolve(DeLorean.self).name }.value
    /// print(name ?? "none")  // Prints "DeLorean"
    /// ```
    public func registerSingleton<Service: Sendable>(
        _ service: Service,
        forKey key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        register(.eager(service, fileID: fileID, line: line), for: Service.self, key: key)
    }

    /// The same as ``registerSingleton(_:forKey:fileID:line:)-1gr79``, if a check agrees.
    ///
    /// ```swift
    /// try locator.registerSingleton(Garage(), forKey: "first", and: forbidReassignment)
    /// let second: ()? = try? locator.registerSingleton(Garage(), forKey: "first", and: forbidReassignment)
    /// print(second == nil)  // Prints "true"
    /// ```
    ///
    /// - Parameters:
    ///   - service: The instance.
    ///   - key: The key it is found by.
    ///   - check: Throws to refuse; see ``register(_:and:)``.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Throws: What `check` throws; see ``register(_:and:)``.
    /// - Complexity: That of ``register(_:)``, besides what `check` costs.
    public func registerSingleton<Service, Refusal: Error>(
        _ service: Service,
        forKey key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(Refusal) {
        try register(.eager(service, fileID: fileID, line: line), for: Service.self, key: key, and: check)
    }

    /// The same as ``registerSingleton(_:forKey:and:fileID:line:)-1ogpa``, for a service that is known to be
    /// `Sendable`.
    ///
    /// ```swift
    /// locator.registerSingleton(Taxi(), forKey: "first")
    /// do {
    ///     try locator.registerSingleton(DeLorean(), forKey: "first", and: forbidReassignment)
    /// } catch {
    ///     print("kept", try locator.resolve(Taxi.self, key: "first").name)  // Prints "kept taxi"
    /// }
    /// ```
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
    /// locator.registerLazySingleton(Garage())
    /// print(locator.registrations)  // Prints "[App.Garage: lazy]"
    /// print(try locator.resolve(Garage.self) === locator.resolve(Garage.self))  // Prints "true"
    /// ```
    ///
    /// It is short for `register(.lazy { service }, for: type, key: key)`, and replaces what was there: see
    /// ``register(_:)``. The expression is evaluated where it is written, on that actor.
    ///
    /// - Parameters:
    ///   - service: Evaluated once, at first use: an object that is made right here is not made before.
    ///   - key: The key it is found by.
    ///   - isolation: The actor that makes it; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Throws: Nothing. What `service` throws is thrown to whoever asks, as ``InjectleError/factoryFailed``.
    /// - Complexity: That of ``register(_:)``; nothing is made.
    public func registerLazySingleton<Service>(
        _ service: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        register(.lazy(isolation: isolation, fileID: fileID, line: line, service), for: Service.self, key: key)
    }

    /// The same as ``registerLazySingleton(_:forKey:isolation:fileID:line:)-47kiq``, for a service that is known to be
    /// `Sendable`.
    ///
    /// The compiler takes it by itself. What is made on an actor is then handed out elsewhere by a strict locator, too.
    ///
    /// ```swift
    /// locator.registerLazySingleton(RandomCar(), forKey: "unknown")
    /// let car = try locator.resolve((any Car).self, key: "unknown")
    /// print(car.name)  // Prints "some car"
    /// ```
    ///
    /// - Throws: Nothing. What `service` throws is thrown to whoever asks, as ``InjectleError/factoryFailed``.
    public func registerLazySingleton<Service: Sendable>(
        _ service: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        register(.lazy(isolation: isolation, fileID: fileID, line: line, service), for: Service.self, key: key)
    }

    /// The same as ``registerLazySingleton(_:forKey:isolation:fileID:line:)-47kiq``, if a check agrees.
    ///
    /// ```swift
    /// locator.registerLazySingleton(Garage()) { locator, identity in
    ///     print("checking \(identity)")  // Prints "checking App.Garage"
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - service: Evaluated once, at first use.
    ///   - key: The key it is found by.
    ///   - check: Throws to refuse; see ``register(_:and:)``. It is called at once.
    ///   - isolation: The actor that makes it; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Throws: What `check` throws; see ``register(_:and:)``.
    /// - Complexity: That of ``register(_:)``, besides what `check` costs.
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

    /// The same as ``registerLazySingleton(_:forKey:and:isolation:fileID:line:)-xx6e``, for a service that is known to
    /// be `Sendable`.
    ///
    /// ```swift
    /// try locator.registerLazySingleton(Taxi(), forKey: "night", and: forbidReassignment)
    /// print(locator.isRegistered(Taxi.self, key: "night"))  // Prints "true"
    /// ```
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

/// What ``Locator`` is called elsewhere: the same type, by the name that a container has.
///
/// ```swift
/// DependencyContainer.shared.register(.lazy { DeLorean() }, for: (any Car).self)
/// print(try Locator.default.resolve((any Car).self).name)  // Prints "DeLorean"
/// ```
public typealias DependencyContainer = Locator
