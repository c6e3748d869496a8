internal import CInjectle

/// The bytes of a key, and the tag under which a table has the entry of a type and that key.
///
/// Comparing two keys calls user code, which no read section may do, and an `AnyHashable` of a key costs more than
/// the rest of a read. But two values of one type with the same bits are equal, as long as both exist. So an entry
/// caches the bits of the key it was registered with on the first request for it, and a key with these bits matches.
@usableFromInline
@frozen
struct KeyBits {
    @usableFromInline let tag: UInt
    @usableFromInline let type: Any.Type
    @usableFromInline let first, second: UInt

    /// Returns nil for a key of more than two words.
    @inlinable
    @inline(__always)
    init?<Service, Key: Hashable>(_ service: Service.Type, _ key: Key) {
        guard MemoryLayout<Key>.size <= MemoryLayout<(UInt, UInt)>.size else { return nil }
        var words: (UInt, UInt) = (0, 0)
        unsafe withUnsafeMutableBytes(of: &words) { words in
            unsafe withUnsafeBytes(of: key) { unsafe words.copyMemory(from: $0) }
        }
        (first, second) = words
        type = Key.self
        tag = EntryTable.tag(of: service, hash: key.hashValue)
    }
}

/// The bits of the key of an entry, as a value of the type that was requested first.
///
/// The key is the registration's own: the key of a request must not stay alive here. A string consists of its text only,
/// so it may be the request's key, which is likely to come again.
final class CachedKeyBits: Sendable {
    /// Nil if the key is not of the requested type, and so matches no key of that type.
    private let bits: (type: ObjectIdentifier, first: UInt, second: UInt)?
    private let string: String?
    // Sound to share: immutable; a key that others change while it is a key would break any dictionary as well.
    nonisolated(unsafe) private let key: Any?

    /// - Parameter key: Retained, so that no other key gets the same bits.
    init<Key: Hashable>(of key: Key?) {
        unsafe self.key = key
        bits = key.flatMap { KeyBits(Key.self, $0) }.map { (ObjectIdentifier(Key.self), $0.first, $0.second) }
        string = key as? String
    }

    /// Returns whether a key at `address` with the bits `bits` is equal to this one. False if the bytes do not show it.
    func matches(_ other: KeyBits, at address: UnsafeRawPointer) -> Bool {
        guard let bits, ObjectIdentifier(other.type) == bits.type else { return false }
        if other.first == bits.first, other.second == bits.second { return true }
        // A string of more than 15 bytes has its text elsewhere; that is compared as bytes.
        guard let string else { return false }
        return unsafe CachedKeyBits.haveSameBytes(address.assumingMemoryBound(to: String.self).pointee, string)
    }

    /// Reads memory only: strings without contiguous storage do not match.
    private static func haveSameBytes(_ left: String, _ right: String) -> Bool {
        unsafe left.utf8.withContiguousStorageIfAvailable { left in
            unsafe right.utf8.withContiguousStorageIfAvailable { right in
                unsafe left.count == right.count && injectle_are_equal(left.baseAddress, right.baseAddress, left.count)
            } ?? false
        } ?? false
    }
}
