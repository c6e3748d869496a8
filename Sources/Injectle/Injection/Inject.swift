/// A property wrapper that resolves a service when the property is read.
///
/// ```swift
/// final class Page {
///     @Inject var user: User
/// }
///
/// locator.register(.eager(User(name: "Ada")))
/// let page = Locator.$shared.withValue(locator) { Page() }
/// print(page.user.name)  // Prints "Ada"
/// locator.register(.eager(User(name: "Ben")))
/// print(page.user.name)  // Prints "Ben"
/// ```
///
/// The property resolves from the locator that creates its owner, else from the locator that is bound in the task when
/// the owner is created, else when the property is read, else from the test or default locator. It returns the current
/// registration's service. Each property has its own instance of a volatile or factory service.
///
/// A read traps with the text of the ``InjectleError`` if the service is not registered or cannot be created;
/// ``resolve()`` throws it. For optional services, use ``Optject`` or an optional type.
///
/// After the end of its locator, a property resolves from the nearest ancestor that has not ended. The services of
/// the locator itself have ended: an optional property is nil then, and others trap.
///
/// In a `final class` that is `Sendable`, where no wrapper can be stored, use the type as a value:
///
/// ```swift
/// final class Server: Sendable {
///     let car = Inject<any Car>()
///     func serve() -> String { car().name }
/// }
/// ```
///
/// Any thread can read the property. A read that creates a service of the main actor waits for it at most
/// ``Locator/mainActorTimeout``.
@propertyWrapper
@frozen
public struct Inject<Service>: Sendable {
    @usableFromInline let point: InjectionPoint

    /// Declares an injected property.
    ///
    /// ```swift
    /// final class Carpool {
    ///     @Inject var database: Database
    ///     @Inject var discount: Discount?  // nil if it is not registered
    ///     @Inject("bmw-m2") var bmw: Bmw
    /// }
    /// ```
    ///
    /// - Parameter key: The key of the registration, or nil for none. If the type is not registered with this key, the
    ///   property resolves the latest registration with the key, whatever its type.
    @inlinable @inline(__always)
    public init(_ key: AnyHashable? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        point = InjectionPoint(Service.self, key, "@Inject", SourceLocation(fileID, line))
    }

    /// Declares an injected property with the type of a key.
    ///
    /// ```swift
    /// final class Race {
    ///     @Inject(.fast) var car  // an any Car
    /// }
    /// ```
    public init(_ key: ServiceKey<Service>, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(AnyHashable(key), fileID: fileID, line: line)
    }

    /// The service. A read traps if the service is not registered or cannot be created.
    ///
    /// Reading an existing service is O(1): see <doc:WhatAReadCosts>.
    @inlinable public var wrappedValue: Service {
        @inline(__always) get {
            do throws(InjectleError) {
                return required(try point.read(Service.self))
            } catch {
                point.fail(error)
            }
        }
    }

    /// The wrapper itself: `try $user.resolve()` throws where a read of `user` traps.
    @inlinable public var projectedValue: Self { self }

    /// Returns the service, or throws the error with which a read of the property traps.
    ///
    /// ```swift
    /// final class Page {
    ///     @Inject var user: User
    ///     func title() throws -> String { try $user.resolve().name }
    /// }
    ///
    /// let page = Locator.$shared.withValue(locator) { Page() }
    /// do { print(try page.title()) } catch InjectleError.missing { print("nobody") }  // Prints "nobody"
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``Locator/resolve(_:key:arguments:fileID:line:)``.
    /// - Complexity: As of a read of the property.
    @inlinable
    public func resolve() throws(InjectleError) -> Service {
        try point.throwing { () throws(InjectleError) in required(try point.read(Service.self)) }
    }

    /// Returns the service, where the wrapper is used as a value.
    ///
    /// ```swift
    /// let user = Locator.$shared.withValue(locator) { Inject<User>() }
    /// locator.register(.eager(User(name: "Ada")))
    /// print(user().name)  // Prints "Ada"
    /// ```
    @inlinable
    public func callAsFunction() -> Service { wrappedValue }
}
