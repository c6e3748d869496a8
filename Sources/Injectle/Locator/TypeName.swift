internal import CInjectle

/// Returns the name of a type as code spells it: with its module, unless that is Swift, and with `any` for a protocol.
func spelled(_ type: Any.Type) -> String { unsafe TypeName.of(type).pointee.text }

/// The name of a type in texts. It is never freed, since finding one out takes long and logs need it for each line.
@safe
struct TypeName {
    let text: String
    /// The same in UTF-8, which a log appends without a retain of the text. Padded, as `Line.append(padded:)` needs it.
    let utf8: UnsafeBufferPointer<UInt8>

    private init(_ text: String) {
        self.text = text
        let count = text.utf8.count
        let padded = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(count, Line.shortCapacity))
        unsafe padded.initialize(repeating: 0)
        _ = unsafe padded.update(fromContentsOf: text.utf8)
        unsafe utf8 = UnsafeBufferPointer(start: padded.baseAddress, count: count)
    }

    /// The name of a type. Takes no lock if it is known.
    @inline(__always)
    static func of(_ type: Any.Type) -> UnsafePointer<TypeName> {
        unsafe known(type) ?? make(type)
    }

    /// The name of a type, if that was found out before.
    @inline(__always)
    static func known(_ type: Any.Type) -> UnsafePointer<TypeName>? { unsafe find(tag(of: type)) }

    private static func tag(of type: Any.Type) -> UInt { UInt(bitPattern: ObjectIdentifier(type)) }

    @inline(never)
    private static func make(_ type: Any.Type) -> UnsafePointer<TypeName> {
        let (text, tag) = (makeText(of: type), tag(of: type))
        return unsafe lock.withLock {
            if let name = unsafe find(tag) { return unsafe name }
            let address = UnsafeMutablePointer<TypeName>.allocate(capacity: 1)
            unsafe address.initialize(to: TypeName(text))
            // A block that the table has outgrown stays, since another thread may search it.
            _ = unsafe names.put(address, tagged: tag)
            unsafe injectle_store(&block, names.block)
            return unsafe UnsafePointer(address)
        }
    }

    @inline(__always)
    private static func find(_ tag: UInt) -> UnsafePointer<TypeName>? {
        guard let block = unsafe injectle_load(&block) else { return nil }
        return unsafe EntryTable.find(tag, in: block).map {
            unsafe UnsafePointer($0.assumingMemoryBound(to: TypeName.self))
        }
    }

    private static let lock = Lock()
    // Sound to share: touched only under `lock`. Nothing is removed, so a search needs no read section.
    @exclusivity(unchecked) nonisolated(unsafe) private static var names = EntryTable()
    // Sound to share: an atomic word, the block of `names` that all threads search.
    @exclusivity(unchecked) nonisolated(unsafe) private static var block: UnsafeMutableRawPointer?

    private static func makeText(of type: Any.Type) -> String {
        // The address in the name of a private or local type means nothing to a reader.
        let name = String(reflecting: type)
            .replacing(/\bSwift\./, with: "")
            .replacing(/\(unknown context at [^)]*\)\./, with: "")
        let isProtocol = "\(Swift.type(of: type))".hasSuffix(".Protocol") && type != Any.self
        return isProtocol && !name.hasPrefix("any ") ? "any \(name)" : name
    }
}
