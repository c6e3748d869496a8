extension Locator {
    /// A key with its hash, which is computed once. Comparing keys runs user code, so no lock is held meanwhile.
    @usableFromInline final class Key: Equatable, Sendable, CustomStringConvertible {
        private enum Content: Sendable {
            /// Most keys are strings, and comparing two `AnyHashable`s casts one of them.
            case string(String)
            // A key of a reference type that others change while it is a key would break any dictionary as well.
            indirect case value(UncheckedBox<AnyHashable>)
            /// The key of all copies of a ``ServiceKey``.
            case declaration(KeyDeclaration)
        }

        let hash: Int
        private let content: Content

        init(_ declaration: KeyDeclaration) {
            hash = declaration.hash
            content = .declaration(declaration)
        }

        private init(hash: Int, _ content: Content) {
            self.hash = hash
            self.content = content
        }

        /// The key of a call.
        static func make(_ value: AnyHashable) -> Key {
            let base = value.base
            if let string = base as? String { return Key(hash: string.hashValue, .string(string)) }
            if let type = ServiceKeys.all.cast(Swift.type(of: base)) { return type.key(of: base) }
            return Key(hash: value.hashValue, .value(UncheckedBox(value)))
        }

        /// The key of a call that has one.
        @usableFromInline static func madeFromPresent(_ value: AnyHashable?) -> Key { make(required(value)) }

        /// The key of a call, or nil without one.
        @inlinable @inline(__always)
        static func make(_ value: AnyHashable?) -> Key? { value.isNone ? nil : madeFromPresent(value) }

        /// The key as the call has passed it.
        var value: AnyHashable {
            switch content {
            case .string(let string): string
            case .value(let value): value.value
            case .declaration(let declaration): declaration.makeServiceKey(self)
            }
        }

        /// The declaration, if the key is a ``ServiceKey``.
        var declaration: KeyDeclaration? {
            if case .declaration(let declaration) = content { declaration } else { nil }
        }

        @usableFromInline static func == (left: Key, right: Key) -> Bool {
            if left === right { return true }
            if left.hash != right.hash { return false }
            // Most keys, which the tuple would copy.
            if case .string(let string) = left.content, case .string(let other) = right.content {
                return string == other
            }
            return switch (left.content, right.content) {
            case (.declaration(let declaration), .declaration(let other)): declaration == other
            case (.declaration, _), (_, .declaration): false
            case (.string, _), (.value, _): left.value == right.value
            }
        }

        @usableFromInline var description: String {
            switch content {
            case .string(let string): "\"\(shortened(string))\""
            case .value(let value): "\(spelled(type(of: value.value.base))).\(shortened("\(value.value.base)"))"
            case .declaration(let declaration): shortened(declaration.description)
            }
        }
    }
}

/// The parts of a ``ServiceKey`` that do not depend on its type.
final class KeyDeclaration: Equatable, Sendable, CustomStringConvertible {
    let name: String
    let module: Substring
    let serviceType: Any.Type
    let hash: Int
    /// The default registration, which is only copied.
    let fallback: AnyRecord?
    /// Returns the ``ServiceKey`` that has a key.
    let makeServiceKey: @Sendable (Locator.Key) -> AnyHashable

    init(
        name: String,
        module: Substring,
        serviceType: Any.Type,
        hash: Int,
        fallback: AnyRecord?,
        makeServiceKey: @escaping @Sendable (Locator.Key) -> AnyHashable
    ) {
        self.name = name
        self.module = module
        self.serviceType = serviceType
        self.hash = hash
        self.fallback = fallback
        self.makeServiceKey = makeServiceKey
    }

    var description: String { "\(module).\(name)" }

    static func == (left: KeyDeclaration, right: KeyDeclaration) -> Bool {
        left.hash == right.hash && left.serviceType == right.serviceType && left.name == right.name
            && left.module == right.module
    }
}

/// Returns the beginning of the text of a key, which can be long or confidential.
func shortened(_ text: String) -> String {
    let start = text.prefix(32)
    return start.endIndex == text.endIndex ? text : start + "…"
}
