/// A key of services of one type, declared once as a constant.
///
/// ```swift
/// import Injectle
///
/// protocol Database: Sendable { var name: String { get } }
/// struct Replica: Database { let name = "replica" }
///
/// extension ServiceKey<any Database> {
///     static let replica = Self("replica")
/// }
///
/// final class Search {
///     @Inject(.replica) var database  // an any Database
/// }
///
/// Locator.default.register(.lazy { Replica() }, for: .replica)
/// print(try Locator.default.resolve(.replica).name)  // Prints "replica"
/// print(Search().database.name)  // Prints "replica"
/// ```
///
/// The compiler infers the service's type from the key, and rejects a misspelled one. Keys are equal if their names,
/// their services' types and the modules that declare them are equal, so two modules can use the same name.
///
/// A key with a default registration can always be resolved: see
/// ``init(_:default:fileID:)``. In a module with the main actor as default isolation, declare
/// keys as `nonisolated static let` if other actors use them.
public struct ServiceKey<Service>: Hashable, Sendable, CustomStringConvertible {
    /// One object for all copies, so that the key of a constant is compared by its address first.
    @usableFromInline let key: Locator.Key

    /// Declares a key.
    ///
    /// ```swift
    /// let archive = ServiceKey<Database>("archive")
    /// locator.register(.lazy { Database() }, for: archive)
    /// print(locator.isRegistered(Database.self, key: archive))  // Prints "true"
    /// ```
    ///
    /// - Parameter name: The name of the key, unique among the keys of this type in the module.
    public init(_ name: String, fileID: StaticString = #fileID) {
        self.init(name, fileID, fallback: nil)
    }

    /// Declares a key with a registration that applies where there is no other one.
    ///
    /// ```swift
    /// import Injectle
    ///
    /// protocol WallClock: Sendable { var hour: Int { get } }
    /// struct SystemClock: WallClock { let hour = 9 }
    ///
    /// extension ServiceKey<any WallClock> {
    ///     static let clock = Self("clock", default: .lazy { SystemClock() })
    /// }
    ///
    /// struct Alarm {
    ///     @Inject(.clock) var clock
    /// }
    /// print(Alarm().clock.hour)  // Prints "9"
    /// ```
    ///
    /// The service cannot be missing, so a program registers nothing at launch. The first look-up that finds no
    /// registration for the key registers the default in the root of the locator, where it stays until it is replaced,
    /// unregistered or reset. Each root locator creates its own instance; an eager value belongs to the program, and no
    /// locator disposes of it.
    ///
    /// - Parameters:
    ///   - name: The name of the key, unique among the keys of this type in the module.
    ///   - registration: The default. Its closure may only capture values that no other code can use.
    public init(
        _ name: String,
        default registration: sending Locator.Registration<Service>,
        fileID: StaticString = #fileID
    ) {
        self.init(name, fileID, fallback: registration.record)
    }

    private init(_ name: String, _ fileID: StaticString, fallback: AnyRecord?) {
        let module = "\(fileID)".prefix { $0 != "/" }
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(module)
        let declaration = KeyDeclaration(
            name: name,
            module: module,
            serviceType: Service.self,
            hash: hasher.finalize(),
            fallback: fallback,
            makeServiceKey: { AnyHashable(ServiceKey(key: $0)) }
        )
        self.init(key: Locator.Key(declaration))
    }

    private init(key: Locator.Key) {
        self.key = key
    }

    private var declaration: KeyDeclaration { required(key.declaration) }

    /// The name.
    public var name: String { declaration.name }

    /// The module that declares the key, and the name: "App.fast".
    public var description: String { declaration.description }

    /// Returns whether two keys have the same name and were declared in the same module.
    public static func == (left: ServiceKey, right: ServiceKey) -> Bool { left.key == right.key }

    /// Hashes the name and the module.
    public func hash(into hasher: inout Hasher) { hasher.combine(key.hash) }
}

/// The type of a ``ServiceKey`` that is not known.
protocol AnyServiceKey: SendableMetatype {
    /// The key of a value of this type.
    static func key(of value: Any) -> Locator.Key
}

extension ServiceKey: AnyServiceKey {
    static func key(of value: Any) -> Locator.Key {
        guard let key = value as? Self else { preconditionFailure("The value is of this type.") }
        return key.key
    }
}

enum ServiceKeys {
    static let all = KnownCasts<any AnyServiceKey.Type>()
}
