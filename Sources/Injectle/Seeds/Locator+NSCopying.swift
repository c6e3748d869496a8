// The one thing here that Foundation has: `NSCopying`.
public import Foundation

extension Locator {
    /// Registers a service of which each property and each resolve gets a copy of its own.
    ///
    /// ```swift
    /// locator.registerFactory(Bmw(model: "M2"), forKey: "small")
    /// let one = try locator.resolve(Bmw.self, key: "small")
    /// print(try locator.resolve(Bmw.self, key: "small") === one)  // Prints "false"
    /// ```
    ///
    /// It is short for `register(.factory(prototype), for: type, key: key)`, and replaces what was there: see
    /// ``register(_:)``. The prototype is made, and copied, where this is written.
    ///
    /// - Parameters:
    ///   - prototype: Evaluated once, at first use, and copied.
    ///   - key: The key it is found by.
    ///   - isolation: The actor that makes and copies it; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Throws: Nothing. What `prototype` throws is thrown to whoever asks, as ``InjectleError/factoryFailed``.
    /// - Complexity: That of ``register(_:)``; nothing is made.
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

    /// The same as ``registerFactory(_:forKey:isolation:fileID:line:)-92zcj``, for a service that is known to be
    /// `Sendable`.
    ///
    /// The compiler takes it by itself.
    ///
    /// ```swift
    /// import Foundation
    /// import Injectle
    ///
    /// final class Ticket: NSCopying, Sendable {
    ///     func copy(with zone: NSZone? = nil) -> Any { Ticket() }
    /// }
    /// let locator = Locator("app")
    /// locator.registerFactory(Ticket())
    /// print(try locator.resolve(Ticket.self) === locator.resolve(Ticket.self))  // Prints "false"
    /// ```
    ///
    /// - Throws: Nothing. What `prototype` throws is thrown to whoever asks, as ``InjectleError/factoryFailed``.
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

    /// The same as ``registerFactory(_:forKey:isolation:fileID:line:)-92zcj``, if a check agrees.
    ///
    /// ```swift
    /// try locator.registerFactory(Bmw(model: "M2"), and: forbidReassignment)
    /// let second: ()? = try? locator.registerFactory(Bmw(model: "M5"), and: forbidReassignment)
    /// print(second == nil)  // Prints "true"
    /// ```
    ///
    /// - Parameters:
    ///   - prototype: Evaluated once, at first use, and copied.
    ///   - key: The key it is found by.
    ///   - check: Throws to refuse; see ``register(_:and:)``.
    ///   - isolation: The actor that makes and copies it; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Throws: What `check` throws; see ``register(_:and:)``.
    /// - Complexity: That of ``register(_:)``, besides what `check` costs.
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

    /// The same as ``registerFactory(_:forKey:and:isolation:fileID:line:)-4rbtl``, for a service that is known to be
    /// `Sendable`.
    ///
    /// ```swift
    /// import Foundation
    /// import Injectle
    ///
    /// final class Ticket: NSCopying, Sendable {
    ///     func copy(with zone: NSZone? = nil) -> Any { Ticket() }
    /// }
    /// func registerTickets(in locator: Locator) throws {
    ///     try locator.registerFactory(Ticket(), forKey: "blank", and: forbidReassignment)
    /// }
    /// ```
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
