// The one thing here that Foundation has: `NSCopying`.
public import Foundation

extension Locator {
    /// Registers a prototype, of which each property and each resolve gets a copy.
    ///
    /// ```swift
    /// locator.registerFactory(Bmw(model: "M2"), forKey: "small")
    /// let one = try locator.resolve(Bmw.self, key: "small")
    /// print(try locator.resolve(Bmw.self, key: "small") === one)  // Prints "false"
    /// ```
    ///
    /// Short for `register(.factory(prototype), for: type, key: key)`, except that a key alone is the identity. An
    /// error of `prototype` is thrown when the service is resolved, as ``InjectleError/factoryFailed``.
    ///
    /// - Parameters:
    ///   - prototype: Evaluated once, on first use, on the actor of the caller.
    ///   - key: The key by which the service is resolved.
    public func registerFactory<Service: NSCopying>(
        _ prototype: @autoclosure @escaping () throws -> Service,
        forKey key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        let registration = Registration<Service>
            .factory(try prototype(), isolation: isolation, fileID: fileID, line: line)
        register(registration, underKey: key, and: allowReassignment)
    }

    /// Registers a prototype if a check does not throw.
    ///
    /// ```swift
    /// try locator.registerFactory(Bmw(model: "M2"), and: forbidReassignment)
    /// let second: ()? = try? locator.registerFactory(Bmw(model: "M5"), and: forbidReassignment)
    /// print(second == nil)  // Prints "true"
    /// ```
    ///
    /// - Parameters:
    ///   - prototype: Evaluated once, on first use, on the actor of the caller.
    ///   - key: The key by which the service is resolved, which is its identity.
    ///   - check: Called with the key, or with the name of the type if there is none. It throws to refuse the
    ///     registration.
    /// - Throws: The error of `check`.
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
        try register(registration, underKey: key, and: check)
    }
}
