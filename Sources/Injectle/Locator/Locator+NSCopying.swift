// The one thing here that Foundation has: `NSCopying`.
public import Foundation

extension Locator {
    /// Registers a service of which each property and each resolve gets a copy of its own.
    ///
    /// ```swift
    /// Injectle[.default].registerFactory(Bmw(model: "M2"), forKey: "bmw-m2")
    /// ```
    ///
    /// - Parameters:
    ///   - prototype: Evaluated once, at first use, and copied.
    ///   - key: The key it is found by.
    ///   - isolation: The actor that makes and copies it; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    public func registerFactory<Service: NSCopying>(
        _ prototype: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        let registration = Registration<Service>
            .factory(try prototype(), isolation: isolation, fileID: fileID, line: line)
        register(registration, for: Service.self, key: key)
    }

    /// Registers a service of which each property and each resolve gets a copy of its own. As the other one, for a
    /// service that is known to be `Sendable`.
    public func registerFactory<Service: NSCopying & Sendable>(
        _ prototype: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        let registration = Registration<Service>
            .factory(try prototype(), isolation: isolation, fileID: fileID, line: line)
        register(registration, for: Service.self, key: key)
    }

    /// Registers a service of which each property and each resolve gets a copy of its own, if a check agrees.
    ///
    /// - Throws: What `check` throws; see ``register(_:and:)``.
    public func registerFactory<Service: NSCopying, Refusal: Error>(
        _ prototype: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(Refusal) {
        let registration = Registration<Service>
            .factory(try prototype(), isolation: isolation, fileID: fileID, line: line)
        try register(registration, for: Service.self, key: key, and: check)
    }

    /// Registers a service of which each property and each resolve gets a copy of its own, if a check agrees. As the
    /// other one, for a service that is known to be `Sendable`.
    ///
    /// - Throws: What `check` throws; see ``register(_:and:)``.
    public func registerFactory<Service: NSCopying & Sendable, Refusal: Error>(
        _ prototype: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        and check: (Locator, AnyHashable) throws(Refusal) -> Void,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(Refusal) {
        let registration = Registration<Service>
            .factory(try prototype(), isolation: isolation, fileID: fileID, line: line)
        try register(registration, for: Service.self, key: key, and: check)
    }
}
