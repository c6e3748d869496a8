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
    public struct Identity: Hashable, CustomStringConvertible, @unchecked Sendable {
        // Sound to share: both parts are immutable. A key of a reference type that others change while it is a key would
        // break any dictionary as well.

        /// The type of the service, never an `Optional`.
        public let type: Any.Type

        /// The key, and the arguments or the list that tell its entry apart from other entries of the type and key.
        let keyPart: KeyPart?

        /// The key, if the identity has one.
        public var key: AnyHashable? { userKey?.value }

        var userKey: KeyPart? { keyPart?.userKey }

        /// The part that a request for the registration has: declared arguments and lists are no part of a request.
        var requestedPart: KeyPart? { keyPart?.decorated == nil ? userKey : keyPart }

        /// Whether both are equal, and declare the same arguments or contribute to a list, or neither: what tables
        /// compare.
        func isExactly(_ other: Identity) -> Bool { isAlike(other) && userKey == other.userKey }

        /// Whether both are the same identity of a table if their keys are equal. Runs no user code.
        func isAlike(_ other: Identity) -> Bool {
            type == other.type && KeyPart.haveSameRole(keyPart, other.keyPart)
        }

        /// Whether the registration contributes to a list, where no element replaces another.
        var isContribution: Bool { keyPart?.isContribution ?? false }

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
            self.type = unwrapped(type)
            self.keyPart = KeyPart.make(key)
        }

        /// Returns the identity that a call of `register` names, or nil if it names none.
        static func listed(_ type: Any.Type?, _ keyPart: KeyPart?, of service: Any.Type) -> Identity? {
            if type == nil, keyPart == nil { return nil }
            return Identity(type: unwrapped(type ?? service), keyPart: keyPart)
        }

        init(type: Any.Type, keyPart: KeyPart?) {
            self.type = type
            self.keyPart = keyPart
        }

        /// Returns whether two identities have the same type and equal keys.
        public static func == (left: Identity, right: Identity) -> Bool {
            left.type == right.type && left.userKey == right.userKey
        }

        /// Hashes the type and the key.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(type))
            hasher.combine(userKey)
        }

        /// The type, and the key if the identity has one: its type and the first 32 characters of its text.
        ///
        /// A registration's identity also prints the arguments that it declares, and whether it contributes to a list.
        ///
        /// ```swift
        /// locator.register(.volatile { (_, name: String) in User(name: name) })
        /// print(locator.registrations[0].identity)  // Prints "App.User, with (String)"
        /// print(locator.registrations[0].identity == Locator.Identity(User.self))  // Prints "true"
        /// ```
        public var description: String {
            let name = userKey.map { "\(spelled(type)) under the key \($0)" } ?? spelled(type)
            return switch keyPart?.role {
            case .declaring(let types)?: "\(name), with (\(types.map(spelled).joined(separator: ", ")))"
            case .contributing?: "\(name), one of several"
            case .decorated(let decorated)?: "\(decorated.identity), decorated"
            case .key?, nil: name
            }
        }

        /// The word under which tables have the entry: the address of the type, or an odd number.
        @usableFromInline
        var tag: UInt {
            guard let keyPart else { return UInt(bitPattern: ObjectIdentifier(type)) }
            return EntryTable.tag(of: type, hash: keyPart.hash)
        }

        /// The tag of all registrations of the type and key that declare arguments, whichever these are.
        var tagDeclaringArguments: UInt {
            EntryTable.tag(of: type, hash: KeyPart.hash(of: .declaring([]), userKey))
        }

        /// The tag of all registrations that contribute to the list of a type without a key.
        static func tagContributing(to type: Any.Type) -> UInt {
            EntryTable.tag(of: type, hash: KeyPart.contributingHash)
        }

        static func tagDeclaringArguments(of type: Any.Type) -> UInt {
            EntryTable.tag(of: type, hash: KeyPart.declaringHash)
        }

        /// What an identity has beside its type: a user's key, the arguments that a closure declares, or a list to
        /// which it contributes.
        ///
        /// Only parts that have a key alone are compared: see `userKey`.
        ///
        /// Invariant: immutable, with the hash computed once, since a key's own `hash(into:)` is a user's code.
        @usableFromInline
        final class KeyPart: Hashable, CustomStringConvertible {
            enum Role {
                case key(AnyHashable)
                case declaring([Any.Type])
                case contributing
                /// It has a decorator, which alone requests it.
                case decorated(Decorated)
            }

            let role: Role
            // Noted, since a test of the role copies it.
            private let isKey: Bool
            let isContribution: Bool
            let hash: Int
            private let combinedKey: KeyPart?

            @usableFromInline
            init(_ key: AnyHashable) {
                role = .key(key)
                (isKey, isContribution) = (true, false)
                hash = key.hashValue
                combinedKey = nil
            }

            /// The part of a key, or nil without one.
            ///
            /// Where it is inlined and the key is known to be nil, nothing remains of it. `case .some(let key)` would copy the
            /// optional key by its witness table even then.
            @inlinable
            @inline(__always)
            static func make(_ key: AnyHashable?) -> KeyPart? {
                switch key {
                case .none: nil
                case .some: unsafe KeyPart(key.unsafelyUnwrapped)
                }
            }

            /// The same, retained for an owner that releases it itself. Of a key that is known to be nil, nothing is retained.
            @inlinable
            @inline(__always)
            static func makeRetained(_ key: AnyHashable?) -> Unmanaged<KeyPart>? {
                unsafe make(key).map { unsafe .passRetained($0) }
            }

            init(_ role: Role, userKey: KeyPart? = nil) {
                self.role = role
                isKey = if case .key = role { true } else { false }
                isContribution = if case .contributing = role { true } else { false }
                hash = KeyPart.hash(of: role, userKey)
                combinedKey = userKey
            }

            /// The part of a registration that gets a decorator.
            convenience init(decorating identity: Identity, in core: LocatorCore) {
                self.init(.decorated(Decorated(identity, core)))
            }

            /// The registration that gets a decorator, if this is its part.
            // Not inlined: it copies the role, and each insertion tests it.
            var decorated: Decorated? {
                @inline(never) get { if case .decorated(let decorated) = role { decorated } else { nil } }
            }

            static func hash(of role: Role, _ userKey: KeyPart?) -> Int {
                switch role {
                case .key(let key): key.hashValue
                case .declaring: (userKey?.hash ?? 0) &* 31 ^ declaringHash
                case .contributing: (userKey?.hash ?? 0) &* 31 ^ contributingHash
                case .decorated(let decorated): ObjectIdentifier(decorated).hashValue
                }
            }

            /// The hashes of the roles without a key.
            fileprivate static var declaringHash: Int { 0x5EED_A26 }
            fileprivate static var contributingHash: Int { 0x5EED_C07 }

            var value: AnyHashable? {
                if case .key(let key) = role { key } else { nil }
            }

            /// The part that has a user's key alone.
            var userKey: KeyPart? {
                isKey ? self : combinedKey
            }

            /// The word under which an index has the entries of a user's key.
            var tag: UInt { UInt(bitPattern: hash) | 1 }

            @usableFromInline
            static func == (left: KeyPart, right: KeyPart) -> Bool {
                if left === right { return true }
                guard left.hash == right.hash, case .key(let key) = left.role, case .key(let other) = right.role else {
                    return false
                }
                return key == other
            }

            /// Returns a closure that compares parts with this one.
            ///
            /// It opens the key once; `AnyHashable` opens both keys for each comparison, which costs several times
            /// more.
            func comparison() -> (KeyPart) -> Bool {
                guard let key = value?.base as? any Hashable else { return { $0 == self } }
                func comparison<Key: Hashable>(with key: Key) -> (KeyPart) -> Bool {
                    { [hash] part in
                        guard part.hash == hash, let other = part.value?.base as? Key else { return part == self }
                        return other == key
                    }
                }
                return comparison(with: key)
            }

            /// Whether both are the same, except for the user's keys, which can be nil.
            static func haveSameRole(_ left: KeyPart?, _ right: KeyPart?) -> Bool {
                if left === right { return true }
                return switch (left?.role, right?.role) {
                case (.declaring(let types)?, .declaring(let others)?): types.elementsEqual(others, by: ==)
                case (.contributing?, .contributing?), (.key?, .key?), (.key?, nil), (nil, .key?), (nil, nil): true
                default: false
                }
            }

            @usableFromInline
            func hash(into hasher: inout Hasher) {
                hasher.combine(hash)
            }

            @usableFromInline
            var description: String {
                guard let base = value?.base else { return "" }
                let text = shortened("\(base)")
                if base is any AnyServiceKey { return text }
                return base is String ? "\"\(text)\"" : "\(spelled(Swift.type(of: base))).\(text)"
            }
        }
    }
}

/// Returns the beginning of the text of a key, which can be long or confidential.
func shortened(_ text: String) -> String {
    let start = text.prefix(32)
    return start.endIndex == text.endIndex ? text : start + "…"
}

/// Returns the type that any number of `Optional`s wrap.
func unwrapped(_ type: Any.Type) -> Any.Type {
    var type = type
    while let optional = asOptional(type) { type = optional.wrapped }
    return type
}
