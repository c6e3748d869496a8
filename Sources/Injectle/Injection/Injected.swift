/// A property whose value is a service, resolved once.
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
/// It looks where ``Inject`` looks, and then stays with what it resolved first, whatever is registered afterwards.
///
/// Resolving stops the program with the text of the ``InjectleError`` if there is no such service or it cannot be made.
///
/// It can be read from any thread. As a value, `let network = Injected<Network>(resolve: .lazy)` is read by
/// `network()`.
@propertyWrapper
public struct Injected<Service>: Sendable {
    @usableFromInline let property: InjectionReference

    /// Makes a property for the service of its type.
    ///
    /// ```swift
    /// final class Carpool {
    ///     @Injected(resolve: .eager) var database: Database
    ///     @Injected(resolve: .lazy, key: "bmw-m2") var bmw: Bmw
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - strategy: When it is resolved. An eager one that is missing stops the program here.
    ///   - key: The key it is registered under, or else the latest one under that key is taken.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Complexity: O(1) for a lazy one; an eager one costs a resolve besides.
    public init(
        resolve strategy: Locator.ResolveStrategy,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        property = InjectionPoint.make(Service.self, key: key, requester: .injected, keepsFirst: true, fileID, line)
        if strategy == .eager { _ = wrappedValue }
    }

    /// The service; its first read stops the program if there is none or it cannot be made.
    ///
    /// O(1) once it is resolved, without a lock, unless the locator is strict: see <doc:WhatAReadCosts>.
    @inlinable
    public var wrappedValue: Service {
        @inline(__always) get {
            if let service = property.withHeader({ InjectionHeader.cached(Service.self, $0) }) { return service }
            return InjectionHeader.orStop(Service.self, isOptional: false, property.address)!
        }
    }

    /// Reads the service, where the wrapper is used as a value.
    ///
    /// The same as ``wrappedValue``.
    ///
    /// ```swift
    /// locator.register(.eager(User(name: "Ada")))
    /// let user = Locator.$shared.withValue(locator) { Injected<User>(resolve: .lazy) }
    /// print(user().name)  // Prints "Ada"
    /// ```
    ///
    /// - Returns: The service. The program stops if there is none or it cannot be made.
    /// - Complexity: O(1) once it is resolved.
    @inlinable
    public func callAsFunction() -> Service { wrappedValue }
}

extension Locator {
    /// When an ``Injected`` property resolves its service.
    ///
    /// ```swift
    /// final class Carpool {
    ///     @Injected(resolve: .eager) var database: Database  // when a carpool is made
    ///     @Injected(resolve: .lazy) var settings: Settings  // when it is read first
    /// }
    /// ```
    ///
    /// It is a value that can be used from any thread.
    public struct ResolveStrategy: Hashable, Sendable {
        private let isEager: Bool

        /// Resolves when the property is created: a service that is missing shows there and then.
        public static var eager: ResolveStrategy { ResolveStrategy(isEager: true) }

        /// Resolves when the property is read first.
        public static var lazy: ResolveStrategy { ResolveStrategy(isEager: false) }
    }
}

/// Another name of ``Locator/ResolveStrategy``, for code that writes it without the locator.
///
/// ```swift
/// let strategy: ResolveStrategy = .lazy
/// let database = Injected<Database>(resolve: strategy)
/// ```
public typealias ResolveStrategy = Locator.ResolveStrategy
