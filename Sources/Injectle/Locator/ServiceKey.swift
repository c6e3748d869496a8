/// The identity of a service: its type and, perhaps, a key.
///
/// Types are told apart by what they are, not by what they are called, so `A.Config` and `B.Config`, `Box<Int>` and
/// `Int` are four. `T?` has the identity of `T`.
///
/// A check that is passed to `register(_:for:key:and:)` is given the registration's own key, or, for a registration
/// without one, its `ServiceKey`:
///
/// ```swift
/// locator.register(.eager(Clock())) { locator, key in
///     print(key == ServiceKey(Clock.self))  // true
/// }
/// ```
///
/// - Complexity: comparing and hashing are O(1) besides what the key's own `==` and `hash(into:)` cost.
public struct ServiceKey: Hashable, CustomStringConvertible, @unchecked Sendable {
    // Sound to share: both parts are immutable. A key of a reference type that others change while it is a key would
    // break any dictionary as well.

    /// The service's type; never an `Optional`.
    public let type: Any.Type

    let label: Label?

    /// The key, if the identity has one.
    public var key: AnyHashable? { label?.value }

    /// Makes the identity of a type, with or without a key.
    public init(_ type: Any.Type, key: AnyHashable? = nil) {
        self.type = unwrapped(type)
        self.label = key.map(Label.init)
    }

    init(type: Any.Type, label: Label?) {
        self.type = type
        self.label = label
    }

    public static func == (left: ServiceKey, right: ServiceKey) -> Bool {
        left.type == right.type && left.label == right.label
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type))
        hasher.combine(label)
    }

    public var description: String {
        label.map { "\(spelled(type)) under the key \($0)" } ?? spelled(type)
    }

    /// A word that equal identities share, and that no two types without a key share.
    @usableFromInline
    var tag: UInt {
        guard let label else { return UInt(bitPattern: ObjectIdentifier(type)) }
        return ServiceKey.tag(of: type, hash: label.hash)
    }

    /// The tag of a type and a key.
    @inlinable
    @inline(__always)
    static func tag(of type: Any.Type, hash: Int) -> UInt {
        // Metadata is aligned to words, so an odd number is never the address of a type.
        ((UInt(bitPattern: ObjectIdentifier(type)) &* 0x9E37_79B9_7F4A_7C15) ^ UInt(bitPattern: hash)) | 1
    }

    /// A key, with its hash kept: tables find by the hash under their lock, and whoever asked compares after it, since
    /// both are code of a user.
    final class Label: Hashable, CustomStringConvertible {
        let value: AnyHashable
        let hash: Int

        init(_ value: AnyHashable) {
            self.value = value
            self.hash = value.hashValue
        }

        /// A word that equal keys share.
        var tag: UInt { UInt(bitPattern: hash) | 1 }

        static func == (left: Label, right: Label) -> Bool {
            left === right || (left.hash == right.hash && left.value == right.value)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(hash)
        }

        /// The key as a reader would write it. A key is part of the program's text, unlike a service's contents.
        var description: String {
            value.base is String ? "\"\(value.base)\"" : "\(spelled(Swift.type(of: value.base))).\(value.base)"
        }
    }
}

/// What an `Optional` has to say of the type it wraps.
protocol OptionalType {
    static var wrapped: Any.Type { get }

    /// Whether the value of this type at `storage` is nil.
    static func isNil(at storage: UnsafeRawPointer) -> Bool

    /// Initializes `storage`, memory for such an `Optional`, by the wrapped service, or by nil if none is registered.
    static func provide(
        _ request: Request,
        in core: Core,
        for property: Property?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError)
}

extension Optional: OptionalType {
    static var wrapped: Any.Type { Wrapped.self }

    static func isNil(at storage: UnsafeRawPointer) -> Bool {
        if case .none = storage.assumingMemoryBound(to: Optional.self).pointee { true } else { false }
    }

    static func provide(
        _ request: Request,
        in core: Core,
        for property: Property?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) {
        let request = request.unwrapped(as: Wrapped.self)
        let service = try received(Wrapped.self) { storage throws(InjectleError) in
            try Resolution.provide(request, in: core, for: property, isOptional: true, into: storage)
        }
        storage.initializeMemory(as: Optional.self, to: service)
    }
}

/// The type behind any number of `Optional`s.
func unwrapped(_ type: Any.Type) -> Any.Type {
    var type = type
    while let optional = asOptional(type) { type = optional.wrapped }
    return type
}

/// What a type has to say of the type it wraps, if it is an `Optional`.
///
/// The first word of each type's metadata tells its kind, and that of an `Optional` is its own (Swift ABI, "Type
/// Metadata"). Looking there first spares all other types the search for a conformance, which costs more than a
/// registration.
func asOptional(_ type: Any.Type) -> (any OptionalType.Type)? {
    let kindOfOptional: UInt = 0x202
    // Sound: a metatype is the address of its metadata, which begins with this word.
    guard unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == kindOfOptional else { return nil }
    return type as? any OptionalType.Type
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
