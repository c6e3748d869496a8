/// A type that texts name as another one.
package protocol NamedAsOther {
    static var named: Any.Type { get }
}

/// Returns the name of a type as code spells it: with its module, unless that is Swift, and with `any` for a protocol.
func spelled(_ type: Any.Type) -> String {
    if let name = typeNames.withLock({ $0[ObjectIdentifier(type)] }) { return name }
    if let other = type as? any NamedAsOther.Type { return spelled(other.named) }
    // The address in the name of a private or local type means nothing to a reader.
    var name = String(reflecting: type)
        .replacing(/\bSwift\./, with: "")
        .replacing(/\(unknown context at [^)]*\)\./, with: "")
        // `any Clock<Self.Clock.Duration == Duration>` and `Pair<Pack{Int, String}>`.
        .replacing(/\bSelf\.[\w.]+\s==\s/, with: "")
        .replacing(/\bPack\{([^{}]*)\}/) { "\($0.1)" }
    let isProtocol = "\(Swift.type(of: type))".hasSuffix(".Protocol") && type != Any.self
    if isProtocol, !name.hasPrefix("any ") { name = "any \(name)" }
    typeNames.withLock { $0[ObjectIdentifier(type)] = name }
    return name
}

/// The names of types, which take long to find out, and which logs need for each line.
private let typeNames = Mutex<[ObjectIdentifier: String]>([:])
