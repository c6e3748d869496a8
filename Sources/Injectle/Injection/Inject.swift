/// A property whose value is a service.
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
/// It looks in the locator that is creation its owner; else in the override in force where it was created; else in the
/// one in force where it is read; else in the shared locator. Read again, it answers from what is registered then. A
/// volatile or factory service is made once for each property.
///
/// A read stops the program with the text of the ``InjectleError`` if there is no such service or it cannot be made.
/// Where that is not an error, use ``Optject`` or an optional type.
///
/// The same type is a value for where no wrapper may stand, as in a `final class` that is `Sendable`:
///
/// ```swift
/// final class Server: Sendable {
///     let car = Inject<any Car>()
///     func serve() -> String { car().name }
/// }
/// ```
///
/// It can be read from any thread. What the readers do with a service that is not `Sendable` is theirs to protect. A
/// read that has to make a service of the main actor waits for that, as the ``Locator/Isolation`` of the locator says.
@propertyWrapper
public struct Inject<Service>: Sendable {
    @usableFromInline let property: InjectionReference

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
    /// The service is resolved when the property is read.
    ///
    /// - Parameter key: The key of the registration, nil for none. A key that is registered with other types only finds
    ///   the latest of them.
    public init(_ key: AnyHashable? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        property = InjectionPoint.make(Service.self, key: key, requester: .inject, fileID, line)
    }

    /// The service; a read stops the program if there is none or it cannot be made.
    ///
    /// O(1) for a service that is there, without a lock: see <doc:WhatAReadCosts>.
    @inlinable
    public var wrappedValue: Service {
        @inline(__always) get {
            if let service = property.withHeader({ InjectionHeader.remembered(Service.self, $0) }) { return service }
            return InjectionHeader.orStop(Service.self, isOptional: false, property.address)!
        }
    }

    /// Reads the service, where the wrapper is used as a value.
    ///
    /// The same as ``wrappedValue``.
    ///
    /// ```swift
    /// let user = Locator.$shared.withValue(locator) { Inject<User>() }
    /// locator.register(.eager(User(name: "Ada")))
    /// print(user().name)  // Prints "Ada"
    /// ```
    ///
    /// - Returns: The service. The program stops if there is none or it cannot be made.
    /// - Complexity: O(1) for a service that is there.
    @inlinable
    public func callAsFunction() -> Service { wrappedValue }
}
