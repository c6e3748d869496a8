extension Locator {
    /// When an instance is made and who keeps it.
    ///
    /// ```swift
    /// locator.register(.lazy { User(name: "Ada") }.lifetime(.perLocator(named: "session")))
    /// locator.register(.initializer(Garage.init(database:), .volatile))
    /// for registration in locator.registrations { print(registration.lifetime) }
    /// // Prints:
    /// //     per locator named "session"
    /// //     volatile
    /// ```
    ///
    /// | lifetime | made | kept by |
    /// | --- | --- | --- |
    /// | ``eager`` | by you, before it is registered | the locator |
    /// | ``unowned`` | by its owner | its owner |
    /// | ``lazy`` | once, at first use | the locator that registered it |
    /// | ``volatile`` | at each resolve, once for each property | whoever asked |
    /// | ``factory`` | a prototype once, a copy of it at each resolve, once for each property | the prototype by the locator, a copy by whoever asked |
    /// | ``weak`` | when nobody holds one | whoever asked |
    /// | ``graph`` | once for each outermost resolve | that resolve, until it returns |
    /// | ``perLocator`` | once for each locator that is asked | that locator |
    /// | ``perLocator(named:)`` | once for the nearest locator with that name, upwards | that locator |
    /// | ``perArgument`` | once for each list of arguments | the locator that registered it |
    /// | a ``CustomLifetime`` | once for each ``Scope`` it names | that scope |
    /// | ``composite(_:)`` | when none of several has one | all of these |
    ///
    /// It is a value that can be used from any thread. <doc:WhichLifetime> says when to take which.
    public struct Lifetime: Hashable, Sendable, CustomStringConvertible {
        /// What a registration keeps of it in one byte.
        enum Kind: UInt8 {
            case eager, unowned, lazy, volatile, factory, weak, graph, perLocator, perNamedLocator, perArgument, custom
            case composite
        }

        /// What few lifetimes have to say besides.
        final class Details: Hashable, Sendable {
            let name: String?
            let custom: (any CustomLifetime)?
            let parts: [Lifetime]

            var customType: ObjectIdentifier? { custom.map { ObjectIdentifier(type(of: $0)) } }

            init(name: String? = nil, custom: (any CustomLifetime)? = nil, parts: [Lifetime] = []) {
                self.name = name
                self.custom = custom
                self.parts = parts
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

        init(_ kind: Kind, _ details: Details? = nil) {
            self.kind = kind
            self.details = details
        }

        /// The words that errors and ``Locator/RegistrationInfo`` have for it; of a custom lifetime, its type.
        public var description: String {
            switch kind {
            case .eager: "eager"
            case .unowned: "eager, unowned"
            case .lazy: "lazy"
            case .volatile: "volatile"
            case .factory: "factory"
            case .weak: "weak"
            case .graph: "graph"
            case .perLocator: "per locator"
            case .perNamedLocator: "per locator named \"\(details?.name ?? "")\""
            case .perArgument: "per argument"
            case .custom: details?.custom.map { spelled(type(of: $0)) } ?? "custom"
            case .composite: (details?.parts ?? []).map(\.description).joined(separator: " and ")
            }
        }
    }
}

extension Locator {
    /// What can be said where a lifetime is asked for: a ``Lifetime``, or a ``CustomLifetime`` of yours.
    ///
    /// ```swift
    /// func registerDatabase(_ lifetime: some Locator.LifetimeConvertible) {
    ///     locator.register(.lazy { Database() }.lifetime(lifetime))
    /// }
    /// registerDatabase(.perLocator)
    /// ```
    ///
    /// It is `Sendable`, since a registration keeps it and any thread may ask for the service. A type of yours conforms
    /// to ``CustomLifetime``, which has this in it.
    public protocol LifetimeConvertible: Sendable {
        /// The lifetime that it stands for.
        var lifetime: Lifetime { get }
    }
}

extension Locator.Lifetime: Locator.LifetimeConvertible {
    /// The lifetime itself.
    public var lifetime: Self { self }
}

// Those of what is given are no more than told of, and those of what a closure makes can be said.

extension Locator.Lifetime {
    /// A given instance: that of `.eager(_:)`.
    ///
    /// It tells what a registration has. Where a closure is registered, it comes to ``lazy``.
    public static var eager: Self { Self(.eager) }

    /// A given instance that somebody else keeps: that of `.eager(unowned:)`.
    ///
    /// It tells what a registration has. Where a closure is registered, it comes to ``lazy``.
    public static var unowned: Self { Self(.unowned) }

    /// A copy of one prototype for each resolve and each property: that of `.factory(_:)`.
    ///
    /// It tells what a registration has. Where a closure is registered, it comes to ``lazy``.
    public static var factory: Self { Self(.factory) }
}

extension Locator.LifetimeConvertible where Self == Locator.Lifetime {
    /// One instance for all, made at first use and kept by the locator that registered it.
    public static var lazy: Self { Self(.lazy) }

    /// A new instance for each resolve and each property.
    public static var volatile: Self { Self(.volatile) }

    /// One object for all, for as long as somebody else holds it.
    ///
    /// A property that has read it holds it. What is no object is ``InjectleError/notAnObject``.
    public static var weak: Self { Self(.weak) }

    /// One instance for each outermost resolve: for all services that are made in the course of it and ask the same
    /// locator.
    ///
    /// It goes with the resolve, unless one of them holds it.
    public static var graph: Self { Self(.graph) }

    /// One instance for each locator that is asked, made of what that has.
    public static var perLocator: Self { Self(.perLocator) }

    /// One instance for the nearest locator with a name, from the one that is asked up to its root, made of what that
    /// has.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.lifetime(.perLocator(named: "session")))
    /// let session = locator.child("session")
    /// let (one, other) = (session.child("page"), session.child("page"))
    /// print(try one.resolve(Database.self) === other.resolve(Database.self))  // Prints "true"
    /// ```
    ///
    /// If there is none with that name, resolving throws ``InjectleError/locatorNotFound``.
    ///
    /// - Parameter name: The name that a locator was made with.
    /// - Returns: The lifetime.
    /// - Complexity: O(1). A resolve then looks at one locator after the other, up to that with the name.
    public static func perLocator(named name: String) -> Self {
        Self(.perNamedLocator, Self.Details(name: name))
    }

    /// One instance for each list of arguments, all of which must be `Hashable` and are compared by `==`.
    ///
    /// One that is not is ``InjectleError/wrongArguments``.
    public static var perArgument: Self { Self(.perArgument) }

    /// A lifetime that a type of yours decides, where it stands beside others.
    ///
    /// ```swift
    /// struct Shift: Locator.CustomLifetime {
    ///     let scope = Locator.Scope()
    ///     func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
    /// }
    ///
    /// locator.register(.lazy { Database() }.lifetime(.composite(.custom(Shift()), .weak)))
    /// locator.register(.lazy { Garage() }.lifetime(Shift()))  // alone, it needs no `.custom`
    /// ```
    ///
    /// - Parameter lifetime: Says who keeps an instance.
    /// - Returns: The lifetime.
    /// - Complexity: O(1). What ``CustomLifetime/scope(for:)`` costs is paid by each resolve.
    public static func custom(_ lifetime: some Locator.CustomLifetime) -> Self {
        Self(.custom, Self.Details(custom: lifetime))
    }

    /// Several lifetimes at once, each of which keeps the instance in its way.
    ///
    /// They are asked in their order, and the first that has an instance is taken; if none has one, one is made, and
    /// all keep it.
    ///
    /// ```swift
    /// // For as long as one of the locators that asked is there, and then for as long as somebody holds it.
    /// locator.register(.lazy { Database() }.lifetime(.composite(.perLocator, .weak)))
    /// let (one, other) = (locator.child("one"), locator.child("other"))
    /// print(try one.resolve(Database.self) === other.resolve(Database.self))  // Prints "true"
    /// ```
    ///
    /// If one of them is ``perArgument``, all of them have one for each list of arguments, and it is kept as by that.
    /// It is made by that locator of theirs which is nearest to the root.
    ///
    /// One that keeps none for who asks is passed over: a custom lifetime without a scope, one of a named locator
    /// where there is none of that name. Those of what is given have no part in it.
    ///
    /// - Parameter parts: The lifetimes, in the order in which they are asked. A custom one is said by ``custom(_:)``.
    /// - Returns: The lifetime.
    /// - Complexity: O(*n*) in the number of parts, here and at each resolve.
    public static func composite(_ parts: Self...) -> Self {
        Self(.composite, Self.Details(parts: parts.filter { !$0.isPreconstructed }))
    }
}
