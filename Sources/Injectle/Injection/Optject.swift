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

    /// Declares an optional injected property.
    ///
    /// ```swift
    /// final class Carpool {
    ///     @Optject var discount: Discount?
    ///     @Optject("bmw-m2") var bmw: Bmw?
    /// }
    /// ```
    ///
    /// The service is resolved when the property is read.
    ///
    /// - Parameter key: The key of the registration, nil for none. A key that is registered with other types only finds
    ///   the latest of them.
    public init(_ key: AnyHashable? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
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
            if property.withHeader({ injectle_load_number(&$0.pointee.isCleared) != 0 }) { return nil }
            if let service = property.withHeader({ InjectionHeader.remembered(Service.self, $0) }) { return service }
            return InjectionHeader.orStop(Service.self, isOptional: true, property.address)
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
