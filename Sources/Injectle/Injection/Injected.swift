/// A property wrapper that resolves a service once and keeps it.
///
/// ```swift
/// final class Page {
///     @Injected(resolve: .lazy) var user: User
/// }
///
/// locator.register(.eager(User(name: "Ada")))
/// let page = Locator.$shared.withValue(locator) { Page() }
/// print(page.user.name)  // Prints "Ada"
/// locator.register(.eager(User(name: "Ben")))
/// print(page.user.name)  // Prints "Ada"
/// ```
///
/// The property resolves from the same locator as ``Inject``, and keeps its first service, also if the service is
/// registered again. A read traps with the text of the ``InjectleError`` if the service is not registered or cannot be
/// created. An eager property traps when it is created; where a registration creates its owner, the request for that
/// throws the error. Where an optional property has found no service, a lazy one resolves again at the next read, and
/// an eager one stays nil.
///
/// Any thread can read the property. As a value, `let api = Injected<APIClient>(resolve: .lazy)` is read by `api()`.
@propertyWrapper
public struct Injected<Service>: Sendable {
    private let point: InjectionPoint

    /// Declares an injected property that keeps its service.
    ///
    /// ```swift
    /// final class Carpool {
    ///     @Injected(resolve: .eager) var database: Database
    ///     @Injected(resolve: .lazy, key: "bmw-m2") var bmw: Bmw
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - strategy: Resolves the service when the property is created, or when it is first read.
    ///   - key: The key of the registration, or nil for none. If the type is not registered with this key, the property
    ///     resolves the latest registration with the key, whatever its type.
    public init(
        resolve strategy: Locator.ResolveStrategy,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        let location = SourceLocation(fileID, line)
        let kind: InjectionPoint.Kind = strategy == .eager ? .keepingFirstOrNil : .keepingFirst
        point = InjectionPoint(Service.self, key, "@Injected", kind: kind, location)
        if strategy == .eager { point.readAtOnce(Service.self) }
    }

    /// Declares an injected property with the type of a key, which keeps its service.
    public init(
        resolve strategy: Locator.ResolveStrategy,
        key: ServiceKey<Service>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(resolve: strategy, key: AnyHashable(key), fileID: fileID, line: line)
    }

    /// Injects the service of a typed key: `@Injected(.key, resolve: .lazy)`.
    public init(
        _ key: ServiceKey<Service>,
        resolve strategy: Locator.ResolveStrategy,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(resolve: strategy, key: AnyHashable(key), fileID: fileID, line: line)
    }

    /// Injects the service of any key: `@Injected("key", resolve: .lazy)`.
    @_disfavoredOverload
    public init(
        _ key: AnyHashable,
        resolve strategy: Locator.ResolveStrategy,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(resolve: strategy, key: key, fileID: fileID, line: line)
    }

    /// The service. The first read traps if the service is not registered or cannot be created.
    ///
    /// Reading a resolved service is O(1): see <doc:WhatAReadCosts>.
    public var wrappedValue: Service {
        do throws(InjectleError) {
            return required(try point.readFirst(Service.self))
        } catch {
            point.fail(error)
        }
    }

    /// The wrapper itself: `try $user.resolve()` throws where a read of `user` traps.
    public var projectedValue: Self { self }

    /// Returns the service that the property keeps, or throws the error with which a read of the property traps.
    ///
    /// ```swift
    /// final class Page {
    ///     @Injected(resolve: .lazy) var user: User
    ///     func title() throws -> String { try $user.resolve().name }
    /// }
    ///
    /// let page = Locator.$shared.withValue(locator) { Page() }
    /// do { print(try page.title()) } catch InjectleError.missing { print("nobody") }  // Prints "nobody"
    /// ```
    ///
    /// - Throws: ``InjectleError`` as ``Locator/resolve(_:key:arguments:fileID:line:)``.
    /// - Complexity: O(1) after the first call.
    public func resolve() throws(InjectleError) -> Service {
        try point.throwing { () throws(InjectleError) in required(try point.readFirst(Service.self)) }
    }

    /// Returns the service, where the wrapper is used as a value.
    ///
    /// ```swift
    /// locator.register(.eager(User(name: "Ada")))
    /// let user = Locator.$shared.withValue(locator) { Injected<User>(resolve: .lazy) }
    /// print(user().name)  // Prints "Ada"
    /// ```
    public func callAsFunction() -> Service { wrappedValue }
}

extension Locator {
    /// The moment when an ``Injected`` property resolves its service.
    ///
    /// ```swift
    /// final class Carpool {
    ///     @Injected(resolve: .eager) var database: Database  // when a carpool is created
    ///     @Injected(resolve: .lazy) var settings: Settings  // when the property is first read
    /// }
    /// ```
    public enum ResolveStrategy: Sendable {
        /// Resolves the service when the property is created, so that a missing service fails early.
        case eager

        /// Resolves the service when the property is first read.
        case lazy
    }
}
