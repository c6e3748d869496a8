public import CInjectle

/// A property wrapper that resolves an optional service when the property is read.
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
/// The property is nil if the service is not registered. It resolves from the same locator as ``Inject``. A service
/// that is registered and cannot be created traps with the text of the ``InjectleError``.
///
/// Setting the property to nil releases its service permanently; other properties and the registration are unaffected.
/// Any other value is ignored.
///
/// Any thread can read and set the property. As a value, `let car = Optject<any Car>("unknown")` is read by `car()`,
/// and set by `car.wrappedValue = nil`.
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
    /// - Parameter key: The key of the registration, or nil for none. If the type is not registered with this key, the
    ///   property resolves the latest registration with the key, whatever its type.
    @inlinable
    @inline(__always)
    public init(_ key: AnyHashable? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        unsafe self.init(Locator.Identity.KeyPart.makeRetained(key), fileID, line)
    }

    // The caller has retained the key, and the property releases it.
    @usableFromInline
    init(_ userKey: Unmanaged<Locator.Identity.KeyPart>?, _ fileID: StaticString, _ line: UInt) {
        property = unsafe InjectionPoint.make(
            Service.self,
            optional: Service?.self,
            userKey,
            requester: .optject,
            fileID,
            line
        )
    }

    /// Declares an optional injected property with the type of a key.
    public init(_ key: ServiceKey<Service>, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(AnyHashable(key), fileID: fileID, line: line)
    }

    /// The service, or nil if it is not registered or the property was set to nil.
    ///
    /// Reading an existing service is O(1) and takes no lock: see <doc:WhatAReadCosts>.
    @inlinable
    public var wrappedValue: Service? {
        @inline(__always) get {
            if unsafe property.withHeader({ unsafe injectle_load_number(&$0.pointee.isCleared) != 0 }) { return nil }
            if let service = unsafe property.withHeader({ unsafe InjectionHeader.remembered(Service.self, $0) }) {
                return service
            }
            return unsafe InjectionHeader.orStop(Service.self, isOptional: true, property.address)
        }
        nonmutating set {
            if newValue == nil { property.clear() }
        }
    }

    /// Returns the service or nil, where the wrapper is used as a value.
    ///
    /// ```swift
    /// let user = Locator.$shared.withValue(locator) { Optject<User>() }
    /// print(user()?.name ?? "nobody")  // Prints "nobody"
    /// ```
    @inlinable
    public func callAsFunction() -> Service? {
        // Its owner can be a temporary value, which the compiler releases once the address is loaded.
        withExtendedLifetime(property.point) { wrappedValue }
    }
}
