/// A property whose value is a service.
///
/// ```swift
/// final class Carpool {
///     @Inject var deLorean: DeLorean
///     @Inject("bmw-m2") var bmw: Bmw
/// }
/// ```
///
/// It looks in the locator that is making its owner; else in the override in force where it was created; else in the one
/// in force where it is read; else in the shared locator. Read again, it answers from what is registered then. A volatile
/// or factory service is made once for each property.
///
/// A read stops the program with the text of the ``InjectleError`` if there is no such service or it cannot be made. Where
/// that is not an error, use ``Optject`` or an optional type.
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
    @usableFromInline let reference: PropertyReference

    /// A property for the service of its type.
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        reference = Property.make(key: nil, asker: "@Inject", fileID, line)
    }

    /// A property for the service of its type that is registered under a key, or else the latest one under that key.
    public init(_ key: AnyHashable, fileID: StaticString = #fileID, line: UInt = #line) {
        reference = Property.make(key: key, asker: "@Inject", fileID, line)
    }

    /// The service. Stops the program if there is none.
    @inlinable
    public var wrappedValue: Service {
        if let service = reference.property.remembered(Service.self) { return service }
        return reference.property.orStop()
    }

    /// The service. Stops the program if there is none.
    @inlinable
    public func callAsFunction() -> Service { wrappedValue }
}

extension Property {
    /// The service, or the end of the program with the text of the error.
    @usableFromInline
    func orStop<Service>() -> Service {
        do throws(InjectleError) {
            return try require(Service.self)
        } catch {
            fatalError(error.description)
        }
    }

    /// The service, nil if none is registered, or the end of the program with the text of the error.
    @usableFromInline
    func ifRegisteredOrStop<Service>() -> Service? {
        do throws(InjectleError) {
            return try read(Service.self)
        } catch {
            fatalError(error.description)
        }
    }
}
