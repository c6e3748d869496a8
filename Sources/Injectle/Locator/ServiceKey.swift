/// The identity of a service: its type and, perhaps, a key.
///
/// Types are told apart by what they are, not by what they are called, so `A.Config` and `B.Config`, `Box<Int>` and
/// `Int` are four. `T?` has the identity of `T`.
///
/// ```swift
/// print(ServiceKey(Garage?.self) == ServiceKey(Garage.self))  // Prints "true"
/// print(ServiceKey(Garage.self) == ServiceKey((any Parking).self))  // Prints "false"
/// print(ServiceKey(Garage.self, key: "second"))  // Prints "App.Garage under the key "second""
/// ```
///
/// A check that is passed as `and:` is given the registration's own key, or, for a registration without one, its
/// `ServiceKey`:
///
/// ```swift
/// locator.register(.eager(FixedClock())) { locator, key in
///     print(key == AnyHashable(ServiceKey(FixedClock.self)))  // Prints "true"
/// }
/// ```
///
/// It never changes, and can be shared by all threads; so a key of a reference type should not change either.
///
/// - Complexity: Comparing and hashing are O(1), besides what the key's own `==` and `hash(into:)` cost.
public struct ServiceKey: Hashable, CustomStringConvertible, @unchecked Sendable {
    // Sound to share: both parts are immutable. A key of a reference type that others change while it is a key would
    // break any dictionary as well.

    /// The service's type; never an `Optional`.
    public let type: Any.Type

    /// What sets it apart from the type alone: the key, and where the registration has a part of its own, that.
    let keyPart: KeyPart?

    /// The key, if the identity has one.
    public var key: AnyHashable? { userKey?.value }

    var userKey: UserKey? { keyPart?.userKey }

    /// Whether it is that of one of several, which do not replace each other.
    var isContribution: Bool {
        if case .contributing? = keyPart?.role { true } else { false }
    }

    /// Makes the identity of a type, with or without a key.
    ///
    /// ```swift
    /// locator.register(.lazy { Taxi() }, for: (any Car).self, key: 3)
    /// let wanted = ServiceKey((any Car).self, key: 3)
    /// print(locator.registrations.contains { $0.identity == wanted })  // Prints "true"
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type. Of an `Optional`, it is what that wraps.
    ///   - key: The key, if there is one. It is hashed here.
    /// - Complexity: O(1), besides what hashing the key costs.
    public init(_ type: Any.Type, key: AnyHashable? = nil) {
        self.type = unwrapped(type)
        self.keyPart = key.map(UserKey.init)
    }

    /// Returns the identity that a call of `register` names, or nil if it names none.
    static func listed(_ type: Any.Type?, _ key: AnyHashable?, of service: Any.Type) -> ServiceKey? {
        type == nil && key == nil ? nil : ServiceKey(type ?? service, key: key)
    }

    init(type: Any.Type, keyPart: KeyPart?) {
        self.type = type
        self.keyPart = keyPart
    }

    /// Tells whether both are the same type, with the same key or none.
    public static func == (left: ServiceKey, right: ServiceKey) -> Bool {
        left.type == right.type && left.keyPart == right.keyPart
    }

    /// Hashes the type and the key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type))
        hasher.combine(keyPart)
    }

    /// The type as it is written in code, with its module, and the key: `App.Garage under the key "second"`.
    public var description: String {
        let name = userKey.map { "\(spelled(type)) under the key \($0)" } ?? spelled(type)
        return keyPart?.role.map { "\(name), \($0)" } ?? name
    }

    /// A word that equal identities share, and that no two types without a key share.
    @usableFromInline
    var tag: UInt {
        guard let keyPart else { return UInt(bitPattern: ObjectIdentifier(type)) }
        return EntryTable.tag(of: type, hash: keyPart.hash)
    }

    /// The tag of those that are of this type and key and declare arguments, whatever these are.
    var tagDeclaringArguments: UInt {
        EntryTable.tag(of: type, hash: RoleKey.hash(of: .declaring([]), userKey))
    }

    /// The tag of those that are of this type, have no key, and declare arguments.
    static func tagDeclaringArguments(of type: Any.Type) -> UInt {
        EntryTable.tag(of: type, hash: RoleKey.hash(of: .declaring([]), nil))
    }

    /// What an identity has beside its type.
    class KeyPart: Hashable {
        /// What equal ones share. Tables find by it under their lock, and whoever asked compares after it, since
        /// hashing and comparing a key are code of a user.
        let hash: Int

        fileprivate init(hash: Int) {
            self.hash = hash
        }

        var userKey: UserKey? { nil }
        /// The part that the registration plays, if that is not to be found by type and key.
        var role: Role? { nil }

        fileprivate func isEqual(to other: KeyPart) -> Bool { self === other }

        static func == (left: KeyPart, right: KeyPart) -> Bool {
            left === right || (left.hash == right.hash && left.isEqual(to: right))
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(hash)
        }

        /// Sets a registration that declares arguments apart from one that does not, and from one that declares others.
        static func declaring(_ declared: [Any.Type], userKey: UserKey?) -> KeyPart {
            RoleKey(.declaring(declared), userKey: userKey)
        }

        /// Makes a registration one of a list.
        static func contributing(userKey: UserKey?) -> KeyPart {
            RoleKey(.contributing, userKey: userKey)
        }
    }

    /// Sets what a locator keeps for itself, of a registration that others may make from, too, apart from that.
    final class PerLocatorKey: KeyPart {
        init(of record: RegistrationRecord) {
            super.init(hash: PerLocatorKey.hash(of: .passUnretained(record)))
        }

        static func hash(of record: Unmanaged<RegistrationRecord>) -> Int { Int(bitPattern: record.toOpaque()) }
    }

    /// A key.
    final class UserKey: KeyPart, CustomStringConvertible {
        let value: AnyHashable

        init(_ value: AnyHashable) {
            self.value = value
            super.init(hash: value.hashValue)
        }

        override var userKey: UserKey? { self }

        /// A word that equal keys share.
        var tag: UInt { UInt(bitPattern: hash) | 1 }

        override fileprivate func isEqual(to other: KeyPart) -> Bool {
            (other as? UserKey)?.value == value
        }

        /// The key as a reader would write it. A key is part of the program's text, unlike a service's contents.
        var description: String {
            value.base is String ? "\"\(value.base)\"" : "\(spelled(Swift.type(of: value.base))).\(value.base)"
        }
    }

    /// A part that a registration plays beside others of its type and key.
    enum Role: CustomStringConvertible {
        /// Declares arguments of these types.
        case declaring([Any.Type])
        /// Is one of a list.
        case contributing

        var description: String {
            switch self {
            case .declaring(let types): "with (\(types.map(spelled).joined(separator: ", ")))"
            case .contributing: "one of several"
            }
        }
    }

    /// A role, with a key or without one.
    private final class RoleKey: KeyPart {
        private let own: Role
        private let key: UserKey?

        init(_ role: Role, userKey: UserKey?) {
            own = role
            key = userKey
            super.init(hash: RoleKey.hash(of: role, userKey))
        }

        /// Whatever the types of the arguments: so all that may be meant are found at once.
        static func hash(of role: Role, _ userKey: UserKey?) -> Int {
            let salt =
                switch role {
                case .declaring: 0x5EED_A26
                case .contributing: 0x5EED_C07
                }
            return (userKey?.hash ?? 0) &* 31 ^ salt
        }

        override var userKey: UserKey? { key }
        override var role: Role? { own }

        override fileprivate func isEqual(to other: KeyPart) -> Bool {
            guard let other = other as? RoleKey, other.key == key else { return false }
            return switch (own, other.own) {
            case (.declaring(let types), .declaring(let others)): types.elementsEqual(others, by: ==)
            case (.contributing, .contributing): true
            default: false
            }
        }
    }
}

/// The type behind any number of `Optional`s.
func unwrapped(_ type: Any.Type) -> Any.Type {
    var type = type
    while let optional = asOptional(type) { type = optional.wrapped }
    return type
}

/// A type as it is written in code: with its module, unless that is Swift, and with `any` where it is a protocol.
func spelled(_ type: Any.Type) -> String {
    var name = String(reflecting: type)
    name.removeAll(of: "Swift.", upTo: "")
    // What is private or local carries an address that says nothing to a reader.
    name.removeAll(of: "(unknown context at ", upTo: ").")
    let isProtocol = "\(Swift.type(of: type))".hasSuffix(".Protocol") && type != Any.self
    return isProtocol && !name.hasPrefix("any ") ? "any \(name)" : name
}

extension String {
    /// Removes each stretch that begins a name with `start` and reaches to the next `end`.
    fileprivate mutating func removeAll(of start: String, upTo end: String) {
        var result = ""
        var rest = self[...]
        while let first = rest.first {
            let isInsideName = result.last.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
            guard !isInsideName, rest.hasPrefix(start) else {
                result.append(first)
                rest.removeFirst()
                continue
            }
            rest.removeFirst(start.count)
            while !rest.isEmpty, !rest.hasPrefix(end) { rest.removeFirst() }
            rest.removeFirst(min(end.count, rest.count))
        }
        self = result
    }
}
