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
/// The property is nil if the service is not registered, or has ended with its locator. It resolves from the same
/// locator as ``Inject``. A service that is registered and cannot be created, or whose closure returns nil, traps with
/// the text of the ``InjectleError``, which ``resolve()`` throws.
///
/// Setting the property to nil releases its service permanently; other properties and the registration are unaffected.
/// Any other value is ignored.
///
/// Any thread can read and set the property. As a value, `let car = Optject<any Car>("unknown")` is read by `car()`,
/// and set by `car.wrappedValue = nil`.
@propertyWrapper
@frozen
public struct Optject<Service>: Sendable {
    @usableFromInline let point: InjectionPoint

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
    @inlinable @inline(__always)
    public init(_ key: AnyHashable? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        let location = SourceLocation(fileID, line)
        point = InjectionPoint(Service.self, optional: Service?.self, key, "@Optject", location)
    }

    /// Declares an optional injected property with the type of a key.
    public init(_ key: ServiceKey<Service>, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(AnyHashable(key), fileID: fileID, line: line)
    }

    /// The service, or nil if it is not registered or the property was set to nil.
    ///
    /// Reading an existing service is O(1): see <doc:WhatAReadCosts>.
    @inlinable public var wrappedValue: Service? {
        @inline(__always) get {
            do throws(InjectleError) {
                return try point.read(Service.self, isOptional: true)
            } catch {
                point.fail(error)
            }
        }
        nonmutating set { if newValue == nil { point.clear() } }
    }

    /// The wrapper itself: `try $user.resolve()` throws where a read of `user` traps.
    @inlinable public var projectedValue: Self { self }

    /// Returns the service or nil, or throws the error with which a read of the property traps.
    ///
    /// ```swift
    /// struct Unreachable: Error {}
    /// final class Page {
    ///     @Optject var user: User?
    ///     func title() throws -> String { try $user.resolve()?.name ?? "nobody" }
    /// }
    ///
    /// locator.register(.lazy { throw Unreachable() }, for: User.self)
    /// let page = Locator.$shared.withValue(locator) { Page() }
    /// do { print(try page.title()) } catch InjectleError.factoryFailed { print("unreachable") }  // Prints "unreachable"
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``Locator/resolveOptional(_:key:arguments:fileID:line:)``.
    /// - Complexity: As of a read of the property.
    @inlinable
    public func resolve() throws(InjectleError) -> Service? {
        try point.throwing { () throws(InjectleError) in try point.read(Service.self, isOptional: true) }
    }

    /// Returns the service or nil, where the wrapper is used as a value.
    ///
    /// ```swift
    /// let user = Locator.$shared.withValue(locator) { Optject<User>() }
    /// print(user()?.name ?? "nobody")  // Prints "nobody"
    /// ```
    @inlinable
    public func callAsFunction() -> Service? { wrappedValue }
}
