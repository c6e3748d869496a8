/// A property whose value is a service, resolved once.
///
/// ```swift
/// final class ProfileViewModel {
///     @Injected(resolve: .lazy) var network: NetworkService
/// }
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
    @usableFromInline let property: PropertyReference

    /// A property for the service of its type.
    ///
    /// - Parameters:
    ///   - strategy: When it is resolved.
    ///   - key: The key it is registered under, or else the latest one under that key is taken.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    public init(
        resolve strategy: Locator.ResolveStrategy,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        property = Property.make(Service.self, key: key, asker: .injected, keepsFirst: true, fileID, line)
        if strategy == .eager { _ = wrappedValue }
    }

    /// The service. Stops the program if there is none.
    @inlinable
    public var wrappedValue: Service {
        @inline(__always) get {
            let head = property.head
            if let service = PropertyHead.kept(Service.self, head) { return service }
            return PropertyHead.orStop(Service.self, isOptional: false, head)!
        }
    }

    /// The service. Stops the program if there is none.
    @inlinable
    public func callAsFunction() -> Service { wrappedValue }
}

extension Locator {
    /// When an ``Injected`` property resolves its service.
    public struct ResolveStrategy: Hashable, Sendable {
        private let isEager: Bool

        /// When the property is created: a service that is missing shows there and then.
        public static var eager: ResolveStrategy { ResolveStrategy(isEager: true) }
        /// When it is read first.
        public static var lazy: ResolveStrategy { ResolveStrategy(isEager: false) }
    }
}
