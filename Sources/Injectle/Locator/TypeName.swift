/// Returns the name of a type as code spells it: with its module, unless that is Swift, and with `any` for a protocol.
func spelled(_ type: Any.Type) -> String {
    TypeName.lock.withLock {
        let known = unsafe TypeName.names[ObjectIdentifier(type)]
        let name = known ?? TypeName.text(of: type)
        if known == nil { unsafe TypeName.names[ObjectIdentifier(type)] = name }
        return name
    }
}

/// The names of types, which take long to find out, and which logs need for each line.
private enum TypeName {
    static let lock = Lock()
    // Sound to share: accessed only under `lock`.
    nonisolated(unsafe) static var names: [ObjectIdentifier: String] = [:]

    static func text(of type: Any.Type) -> String {
        // The address in the name of a private or local type means nothing to a reader.
        let name = String(reflecting: type)
            .replacing(/\bSwift\./, with: "")
            .replacing(/\(unknown context at [^)]*\)\./, with: "")
        let isProtocol = "\(Swift.type(of: type))".hasSuffix(".Protocol") && type != Any.self
        return isProtocol && !name.hasPrefix("any ") ? "any \(name)" : name
    }
}
