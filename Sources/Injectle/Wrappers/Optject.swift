public import CInjectle

/// A property whose value is a service, or nil if none is registered.
///
/// ```swift
/// final class Carpool {
///     @Optject("unknown") var unknownCar: (any Car)?
/// }
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
    @usableFromInline let property: PropertyReference

    /// A property for the service of its type.
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        property = Property.make(Service.self, optional: Service?.self, key: nil, asker: .optject, fileID, line)
    }

    /// A property for the service of its type that is registered under a key, or else the latest one under that key.
    public init(_ key: AnyHashable, fileID: StaticString = #fileID, line: UInt = #line) {
        property = Property.make(Service.self, optional: Service?.self, key: key, asker: .optject, fileID, line)
    }

    /// The service, or nil. Can be set to nil.
    @inlinable
    public var wrappedValue: Service? {
        @inline(__always) get {
            let head = property.head
            if injectle_load_number(&head.pointee.isCleared) != 0 { return nil }
            if let service = PropertyHead.remembered(Service.self, head) { return service }
            return PropertyHead.orStop(Service.self, isOptional: true, head)
        }
        nonmutating set {
            if newValue == nil { property.clear() }
        }
    }

    /// The service, or nil.
    @inlinable
    public func callAsFunction() -> Service? { wrappedValue }
}
