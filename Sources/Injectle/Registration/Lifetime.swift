extension Locator {
    /// The time when an instance is created, and the cache that keeps it.
    ///
    /// ```swift
    /// locator.register(.lazy { User(name: "Ada") }.lifetime(.perLocator(named: "session")))
    /// locator.register(.initializer(Garage.init(database:)).lifetime(.volatile))
    /// for registration in locator.registrations { print(registration.lifetime) }
    /// // Prints:
    /// //     per locator named "session"
    /// //     volatile
    /// ```
    ///
    /// <doc:WhichLifetime> compares the lifetimes. Any thread can use the value.
    public struct Lifetime: Hashable, Sendable, CustomStringConvertible {
        enum Kind: UInt8 {
            case eager, lazy, volatile, factory, weak, graph, perLocator, perNamedLocator, perArgument, custom
            case composite
        }

        /// The values of lifetimes that have some.
        final class Details: Hashable, Sendable {
            let name: String?
            let custom: (any CustomLifetime)?
            /// Makes the custom lifetime of each registration, if registrations do not share one.
            private let makeCustom: (@Sendable () -> any CustomLifetime)?
            /// The largest age of an instance that the custom lifetime returns, if it has a limit.
            let maximumAge: Duration?
            let parts: [Lifetime]

            var customType: ObjectIdentifier? { custom.map { ObjectIdentifier(type(of: $0)) } }

            init(
                name: String? = nil,
                custom: (any CustomLifetime)? = nil,
                ofEachRegistration makeCustom: (@Sendable () -> any CustomLifetime)? = nil,
                maximumAge: Duration? = nil,
                parts: [Lifetime] = []
            ) {
                self.name = name
                self.custom = custom ?? makeCustom?()
                self.makeCustom = makeCustom
                self.maximumAge = maximumAge
                self.parts = parts
            }

            /// The details for one registration.
            func copied() -> Details {
                Details(
                    name: name,
                    custom: makeCustom?() ?? custom,
                    ofEachRegistration: makeCustom,
                    maximumAge: maximumAge,
                    parts: parts.map { Lifetime($0.kind, $0.details?.copied()) }
                )
            }

            static func == (left: Details, right: Details) -> Bool {
                left.name == right.name && left.customType == right.customType && left.parts == right.parts
            }

            func hash(into hasher: inout Hasher) {
                hasher.combine(name)
                hasher.combine(customType)
            }
        }

        let kind: Kind
        let details: Details?
        let properties: Properties

        init(_ kind: Kind, _ details: Details? = nil) {
            properties = Lifetime.properties(of: kind, details)
            self.kind = kind
            self.details = details
        }

        /// Makes it the lifetime of one registration, with a custom lifetime of its own if registrations do not share
        /// one.
        mutating func becomeOwn() {
            if let details { self = Self(kind, details.copied()) }
        }

        /// The name of the lifetime in errors and in ``Locator/RegistrationInfo``; of a custom lifetime, its type.
        public var description: String {
            switch kind {
            case .eager: "eager"
            case .lazy: "lazy"
            case .volatile: "volatile"
            case .factory: "factory"
            case .weak: "weak"
            case .graph: "graph"
            case .perLocator: "per locator"
            case .perArgument: "per argument"
            case .perNamedLocator: "per locator named \"\(details?.name ?? "")\""
            case .composite: (details?.parts ?? []).map(\.description).joined(separator: " and ")
            case .custom: details?.name ?? details?.custom.map { spelled(type(of: $0)) } ?? "custom"
            }
        }
    }
}

extension Locator {
    /// A parameter that takes a ``Lifetime`` or a ``CustomLifetime``.
    ///
    /// ```swift
    /// func registerDatabase(_ lifetime: some Locator.LifetimeConvertible) {
    ///     locator.register(.lazy { Database() }.lifetime(lifetime))
    /// }
    /// registerDatabase(.perLocator)
    /// ```
    ///
    /// Your types conform to ``CustomLifetime``, which inherits from it.
    public protocol LifetimeConvertible: Sendable {
        /// The lifetime of the registration.
        var lifetime: Lifetime { get }
    }
}

extension Locator.Lifetime: Locator.LifetimeConvertible {
    /// The lifetime itself.
    public var lifetime: Self { self }
}

// Lifetimes of existing instances describe registrations; the others can also be chosen.

extension Locator.Lifetime {
    /// The lifetime of `.eager(_:)`: an existing instance, which the locator retains.
    ///
    /// ``RegistrationInfo`` and events report it. A closure with this lifetime is ``lazy``.
    public static var eager: Self { Self(.eager) }

    /// The lifetime of `.factory(_:)`: a copy of a prototype for each resolve and each property.
    ///
    /// ``RegistrationInfo`` and events report it. A closure with this lifetime is ``lazy``.
    public static var factory: Self { Self(.factory) }
}

extension Locator.LifetimeConvertible where Self == Locator.Lifetime {
    /// A singleton: the registering locator creates it on first use and caches it.
    public static var lazy: Self { Self(.lazy) }

    /// Transient: a new instance for each resolve and each property.
    public static var volatile: Self { Self(.volatile) }

    /// A shared object, while something else holds a strong reference to it.
    ///
    /// A property that has read the service holds one. A service that is not an object is
    /// ``InjectleError/invalidRegistration``.
    public static var weak: Self { Self(.weak) }

    /// One instance for each top-level resolve and each locator that takes part in it.
    ///
    /// The instance is released with the resolve, unless a service holds it.
    public static var graph: Self { Self(.graph) }

    /// One instance for each resolving locator, which also resolves its dependencies.
    public static var perLocator: Self { Self(.perLocator) }

    /// One instance for the nearest locator with a name, from the resolving locator up to its root.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.lifetime(.perLocator(named: "session")))
    /// let session = locator.child("session")
    /// let (one, other) = (session.child("page"), session.child("page"))
    /// print(try one.resolve(Database.self) === other.resolve(Database.self))  // Prints "true"
    /// ```
    ///
    /// Without a locator of that name, resolving throws ``InjectleError/locatorNotFound``.
    ///
    /// - Parameter name: The name of the locator.
    /// - Returns: The lifetime.
    /// - Complexity: O(1). A resolve visits the locators up to the one with the name.
    public static func perLocator(named name: Locator.Name) -> Self {
        Self(.perNamedLocator, Self.Details(name: name.rawValue))
    }

    /// One instance for each list of arguments.
    ///
    /// Arguments are compared by `==`. One that is not `Hashable` is ``InjectleError/wrongArguments``.
    public static var perArgument: Self { Self(.perArgument) }

    /// A custom lifetime, as a part of a composite.
    ///
    /// ```swift
    /// struct Shift: Locator.CustomLifetime {
    ///     let scope = Locator.Scope()
    ///     func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
    /// }
    ///
    /// locator.register(.lazy { Database() }.lifetime(.composite(.custom(Shift()), .weak)))
    /// locator.register(.lazy { Garage() }.lifetime(Shift()))  // without `.custom`
    /// ```
    ///
    /// - Parameter lifetime: Returns the scope that caches an instance.
    /// - Returns: The lifetime.
    public static func custom(_ lifetime: some Locator.CustomLifetime) -> Self {
        Self(.custom, Self.Details(custom: lifetime))
    }

    /// Several lifetimes, each of which caches the instance.
    ///
    /// ```swift
    /// // While one of the resolving locators exists, and then while something holds the database.
    /// locator.register(.lazy { Database() }.lifetime(.composite(.perLocator, .weak)))
    /// let (one, other) = (locator.child("one"), locator.child("other"))
    /// print(try one.resolve(Database.self) === other.resolve(Database.self))  // Prints "true"
    /// ```
    ///
    /// The first part that has an instance returns it. If none has one, of the parts' locators, the closest to the root
    /// creates it, and all parts cache it. If one part is ``perArgument``, all parts distinguish arguments. A custom
    /// lifetime without a scope, and a named locator that does not exist, are skipped; the lifetimes of existing
    /// instances are ignored, and without any other part, the lifetime is ``lazy``.
    ///
    /// - Parameter parts: The lifetimes, in the order of lookup.
    /// - Returns: The lifetime.
    /// - Complexity: O(*n*) in the number of parts, also at each resolve.
    public static func composite(_ parts: Self...) -> Self {
        Self(.composite, Self.Details(parts: parts.filter { !$0.isPreconstructed }))
    }
}
