public import CInjectle

/// A property whose value is a service, or nil if none is registered.
///
/// ```swift
/// final class Page {
///     @Optject var user: User?
/// }
///
/// let page = Locator.$shared.withValue(locator) { Page() }
/// print(page.user?.name ?? "nobody")  // Prints "nobody"
/// locator.register(.eager(User(name: "Ada")))
/// print(page.user?.name ?? "nobody")  // Prints "Ada"
/// page.user = nil
/// print(page.user?.name ?? "nobody")  // Prints "nobody"
/// ```
///
/// It looks where ``Inject`` looks, and follows the locator like it. Setting it to nil lets go of what it has, for
/// good; the service itself, and other properties, stay as they are. Another value is ignored.
///
/// A service that is registered and cannot be made stops the program with the text of the ``InjectleError``.
///
/// It can be read and set from any thread. As a value, `let car = Optject<any Car>("unknown")` is read by `car()`.
@propertyWrapper
public struct Optject<Service>: Sendable {
    @usableFromInline let property: InjectionReference

    /// Makes a property for the service of its type.
    ///
    /// ```swift
    /// final class Page {
    ///     @Optject var discount: Discount?
    /// }
    /// ```
    ///
    /// Nothing is looked up before it is read.
    ///
    /// - Parameters:
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Complexity: O(1).
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        property = InjectionPoint.make(
            Service.self,
            optional: Service?.self,
            key: nil,
            requester: .optject,
            fileID,
            line
        )
    }

    /// Makes a property for the service of its type that is registered under a key, or else the latest one under that
    /// key.
    ///
    /// ```swift
    /// final class Carpool {
    ///     @Optject("unknown") var unknownCar: (any Car)?
    /// }
    /// ```
    ///
    /// Nothing is looked up before it is read.
    ///
    /// - Parameters:
    ///   - key: The key that the service is registered with; none if it is nil.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Complexity: O(1).
    public init(_ key: AnyHashable?, fileID: StaticString = #fileID, line: UInt = #line) {
        property = InjectionPoint.make(
            Service.self,
            optional: Service?.self,
            key: key,
            requester: .optject,
            fileID,
            line
        )
    }

    /// The service, or nil; it can be set to nil, and stays so.
    ///
    /// O(1) for a service that is there, without a lock: see <doc:WhatAReadCosts>. One that is registered and cannot be
    /// made stops the program.
    @inlinable
    public var wrappedValue: Service? {
        @inline(__always) get {
            let header = property.header
            if injectle_load_number(&header.pointee.isCleared) != 0 { return nil }
            if let service = InjectionHeader.remembered(Service.self, header) { return service }
            return InjectionHeader.orStop(Service.self, isOptional: true, header)
        }
        nonmutating set {
            if newValue == nil { property.clear() }
        }
    }

    /// Reads the service, or nil, where the wrapper is used as a value.
    ///
    /// The same as ``wrappedValue``, which is what to set to nil.
    ///
    /// ```swift
    /// let user = Locator.$shared.withValue(locator) { Optject<User>() }
    /// print(user()?.name ?? "nobody")  // Prints "nobody"
    /// ```
    ///
    /// - Returns: The service, or nil if none is registered.
    /// - Complexity: O(1) for a service that is there.
    @inlinable
    public func callAsFunction() -> Service? { wrappedValue }
}
