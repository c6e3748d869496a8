internal import CInjectle

/// The bytes of a key, and the type of the service that is requested with it.
///
/// Comparing two keys calls user code, which no read section may do, hashing one costs as much as the rest of a read, and an
/// `AnyHashable` of it costs more. But two values of one type with the same bits are equal, as long as both exist. So an
/// entry caches the bits of the key it was registered with on the first request for it, a table has it under the tag of
/// these bits, and a key with these bits matches.
@usableFromInline
@frozen
struct KeyBits {
    @usableFromInline let service: Any.Type
    @usableFromInline let type: Any.Type
    @usableFromInline let first, second: UInt

    /// Returns nil for a key of more than two words.
    @inlinable
    @inline(__always)
    init?<Key: Hashable>(_ service: Any.Type, _ key: Key) {
        guard MemoryLayout<Key>.size <= MemoryLayout<(UInt, UInt)>.size else { return nil }
        var words: (UInt, UInt) = (0, 0)
        unsafe withUnsafeMutableBytes(of: &words) { words in
            unsafe withUnsafeBytes(of: key) { unsafe words.copyMemory(from: $0) }
        }
        (first, second) = words
        type = Key.self
        self.service = service
    }

    /// The tag of these bits. Keys with the same bits have different tags for different services, and equal tags otherwise.
    var tag: UInt {
        // Any mixture will do: a search with the tag finds the bucket by multiplicative hashing.
        let mixed = (first &* 0xD6E8_FEB8_6659_FD93) ^ (second &* 0xA076_1D64_78BD_642F)
        return EntryTable.tag(of: service, hash: Int(bitPattern: mixed ^ UInt(bitPattern: ObjectIdentifier(type))))
    }
}

/// The bits of the key of an entry, as a value of the type that was requested first.
///
/// The key is the registration's own: the key of a request must not stay alive here. A string consists of its text only,
/// so it may be the request's key, which is likely to come again.
final class CachedKeyBits: Sendable {
    /// Nil if the key is not of the requested type, and so matches no key of that type.
    private let bits: KeyBits?
    private let string: String?
    // Sound to share: immutable; a key that others change while it is a key would break any dictionary as well.
    nonisolated(unsafe) private let key: Any?

    /// - Parameter key: Retained, so that no other key gets the same bits.
    init<Key: Hashable>(of key: Key?, for service: Any.Type) {
        unsafe self.key = key
        bits = key.flatMap { KeyBits(service, $0) }
        string = key as? String
    }

    /// The tag of the bits, if there are any.
    var tag: UInt? { bits?.tag }

    /// Returns whether a key with some bits is equal to this one. False if the bits do not show it.
    @inline(__always)
    func matches(_ other: KeyBits) -> Bool {
        guard let bits else { return false }
        return other.type == bits.type && other.first == bits.first && other.second == bits.second
    }

    /// Returns whether a key at `address` with some bits is equal to this one. False if the bytes do not show it.
    func matches(_ other: KeyBits, at address: UnsafeRawPointer) -> Bool {
        if matches(other) { return true }
        // A string of more than 15 bytes has its text elsewhere; that is compared as bytes.
        guard let string, other.type == bits?.type else { return false }
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
