extension Locator {
    /// The identity of a service: its type and an optional key.
    ///
    /// Types are compared, not their names, so `A.Config` and `B.Config` differ, and so do `Box<Int>` and `Int`. `T?`
    /// has the identity of `T`. The arguments that a registration declares, and the list to which it contributes, are
    /// no part of its identity.
    ///
    /// ```swift
    /// print(Locator.Identity(Garage?.self) == Locator.Identity(Garage.self))  // Prints "true"
    /// print(Locator.Identity(Garage.self) == Locator.Identity((any Parking).self))  // Prints "false"
    /// print(Locator.Identity(Garage.self, key: "second"))  // Prints "App.Garage under the key "second""
    /// ```
    ///
    /// Any thread can use it, so a key of a reference type must be immutable. Comparing and hashing cost as much as the
    /// key's own `==` and `hash(into:)`.
    public struct Identity: Hashable, CustomStringConvertible, Sendable {
        /// The type of the service, never an `Optional`.
        public let type: Any.Type

        /// The key with its hash, if the identity has one.
        let keyed: Key?

        /// The key, if the identity has one.
        public var key: AnyHashable? { keyed?.value }

        /// What the check of a registration receives: the key, or the name of the type, which other types can have.
        var checkedKey: AnyHashable { key ?? AnyHashable("\(type)") }

        /// Creates the identity of a type with an optional key.
        ///
        /// ```swift
        /// locator.register(.lazy { Taxi() }, for: (any Car).self, key: 3)
        /// let wanted = Locator.Identity((any Car).self, key: 3)
        /// print(locator.registrations.contains { $0.identity == wanted })  // Prints "true"
        /// ```
        ///
        /// - Parameters:
        ///   - type: The type. An `Optional` is replaced by its wrapped type.
        ///   - key: The key, which is hashed at once.
        public init(_ type: Any.Type, key: AnyHashable? = nil) {
            self.init(unwrapped(type), Key.make(key))
        }

        init(_ type: Any.Type, _ key: Key?) {
            self.type = type
            keyed = key
        }

        /// Returns whether two identities have the same type and equal keys.
        public static func == (left: Identity, right: Identity) -> Bool {
            left.type == right.type && left.keyed == right.keyed
        }

        /// Hashes the type and the key.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(type))
            hasher.combine(keyed?.hash)
        }

        /// The type, and the key if the identity has one: its type and the first 32 characters of its text.
        ///
        /// ```swift
        /// locator.register(.lazy { Taxi() }, for: (any Car).self, key: "at night")
        /// print(locator.registrations[0].identity)  // Prints "any App.Car under the key "at night""
        /// ```
        public var description: String {
            keyed.map { "\(spelled(type)) under the key \($0)" } ?? spelled(type)
        }
    }

    /// An identity of a registration, and the requests that find it there.
    struct Listing: Equatable, Sendable {
        let identity: Identity
        /// Whether the service is an element of the list of the type, and not found otherwise.
        let isContribution: Bool
    }
}

/// Returns the type that any number of `Optional`s wrap.
func unwrapped(_ type: Any.Type) -> Any.Type {
    var type = type
    while let wrapped = ComposedTypes.cast(type)?.wrapped { type = wrapped }
    return type
}
