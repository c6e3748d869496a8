/// A property whose value is a service.
///
/// ```swift
/// final class Carpool {
///     @Inject var deLorean: DeLorean
///     @Inject("bmw-m2") var bmw: Bmw
/// }
/// ```
///
/// It looks in the locator that is making its owner; else in the override in force where it was created; else in the
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
///     let cars = Inject<any Car>()
///     func drive() { cars().drive() }
/// }
/// ```
///
/// It can be read from any thread.
@propertyWrapper
public struct Inject<Service>: Sendable {
    @usableFromInline let property: PropertyReference

    /// A property for the service of its type.
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        property = Property.make(Service.self, key: nil, asker: .inject, fileID, line)
    }

    /// A property for the service of its type that is registered under a key, or else the latest one under that key.
    public init(_ key: AnyHashable, fileID: StaticString = #fileID, line: UInt = #line) {
        property = Property.make(Service.self, key: key, asker: .inject, fileID, line)
    }

    /// The service. Stops the program if there is none.
    @inlinable
    public var wrappedValue: Service {
        @inline(__always) get {
            let head = property.head
            if let service = PropertyHead.remembered(Service.self, head) { return service }
            return PropertyHead.orStop(Service.self, isOptional: false, head)!
        }
    }

    /// The service. Stops the program if there is none.
    @inlinable
    public func callAsFunction() -> Service { wrappedValue }
}
