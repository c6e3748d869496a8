internal import CInjectle

/// The bytes of a key, and the type of the service that is requested with it.
///
/// Comparing two keys calls user code, which no read section may do, hashing one costs as much as the rest of a read, and an
/// `AnyHashable` of it costs more. But two values of one type with the same bits are equal, as long as both exist. So an
/// entry caches the bits of the key it was registered with on the first request for it, a table has it under the tag of
/// these bits, and a key with these bits matches.
///
/// A string of more than 15 bytes has its text elsewhere. Its tag is made of bytes of the text, and a string with the same
/// text matches, too.
@usableFromInline
@frozen
struct KeyBits {
    @usableFromInline let service: Any.Type
    @usableFromInline let type: Any.Type
    @usableFromInline let first, second: UInt

    /// Returns nil for a key of more than two words.
    @inlinable
    @inline(__always)
    init?<Key>(_ service: Any.Type, _ key: Key) {
        guard MemoryLayout<Key>.size <= MemoryLayout<(UInt, UInt)>.size else { return nil }
        var words: (UInt, UInt) = (0, 0)
        unsafe withUnsafeMutableBytes(of: &words) { words in
            unsafe withUnsafeBytes(of: key) { unsafe words.copyMemory(from: $0) }
        }
        (first, second) = words
        type = Key.self
        self.service = service
    }

    /// The tag of the key with these bits, which is at `address`. Equal tags do not show that keys are equal, and keys with
    /// other bits may be equal.
    @inline(__always)
    func tag(of address: UnsafeRawPointer) -> UInt {
        var mixed = KeyBits.mixed(first, second)
        if type == String.self {
            let string = unsafe address.assumingMemoryBound(to: String.self)
            // The count of another string would take longer, and can be code of a subclass.
            if unsafe string.pointee.isContiguousUTF8, unsafe string.pointee.utf8.count > 15 {
                mixed = unsafe string.pointee.textSample ?? mixed
            }
        }
        return EntryTable.tag(of: service, hash: Int(bitPattern: mixed ^ UInt(bitPattern: ObjectIdentifier(type))))
    }

    // Any mixture will do: a search with the tag finds the bucket by multiplicative hashing.
    @inline(__always)
    fileprivate static func mixed(_ first: UInt, _ second: UInt) -> UInt {
        (first &* UInt(truncatingIfNeeded: 0xD6E8_FEB8_6659_FD93 as UInt64))
            ^ (second &* UInt(truncatingIfNeeded: 0xA076_1D64_78BD_642F as UInt64))
    }
}

extension String {
    /// A mixture of the bytes of a text that has more than 15: words at its start, middle and end. Nil without contiguous
    /// storage.
    @inline(never)
    fileprivate var textSample: UInt? {
        unsafe utf8.withContiguousStorageIfAvailable { utf8 in
            let bytes = unsafe UnsafeRawPointer(utf8.baseAddress.unsafelyUnwrapped)
            func word(_ offset: Int) -> UInt { unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt.self) }
            let (size, count) = (MemoryLayout<UInt>.size, utf8.count)
            let outer = KeyBits.mixed(word(0), word(count &- size))
            let inner = KeyBits.mixed(word(size) &+ word(count / 2 &- size / 2), word(count &- 2 &* size))
            return KeyBits.mixed(outer, inner &+ UInt(bitPattern: count))
        }
    }
}

/// The bits of the key of an entry, as a value of the type that was requested first.
///
/// The key is the registration's own: the key of a request must not stay alive here. A string consists of its text only,
/// so it may be the request's key, which is likely to come again.
@safe
final class CachedKeyBits: Sendable {
    /// Nil if the key is not of the requested type, and so matches no key of that type.
    private let bits: KeyBits?
    /// The tag of the key, if there are bits.
    let tag: UInt?
    // Sound to share: immutable; a key that others change while it is a key would break any dictionary as well.
    nonisolated(unsafe) private let key: Any?
    // Sound to share: never changed, and freed with this object.
    /// The text of a string in UTF-8, to be compared without a retain of the string.
    nonisolated(unsafe) private let text: UnsafeBufferPointer<UInt8>?

    /// - Parameter key: Retained, so that no other key gets the same bits.
    init<Key: Hashable>(of key: Key?, for service: Any.Type) {
        unsafe self.key = key
        bits = key.flatMap { KeyBits(service, $0) }
        tag = bits.flatMap { bits in key.map { key in unsafe withUnsafePointer(to: key) { unsafe bits.tag(of: $0) } } }
        if let string = key as? String {
            let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: string.utf8.count)
            _ = unsafe text.initialize(fromContentsOf: string.utf8)
            unsafe self.text = UnsafeBufferPointer(text)
        } else {
            unsafe text = nil
        }
    }

    deinit { if let text = unsafe text { unsafe text.deallocate() } }

    /// Returns whether a key at `address` with some bits is equal to this one. False if the bytes do not show it.
    @inline(__always)
    func matches(_ other: KeyBits, at address: UnsafeRawPointer) -> Bool {
        guard let bits, other.type == bits.type else { return false }
        if other.first == bits.first, other.second == bits.second { return true }
        // A string of more than 15 bytes has its text elsewhere; that is compared as bytes.
        guard other.type == String.self else { return false }
        return unsafe hasSameText(address.assumingMemoryBound(to: String.self))
    }

    /// Reads memory only: a string without contiguous storage does not match.
    @inline(never)
    private func hasSameText(_ other: UnsafePointer<String>) -> Bool {
        guard let text = unsafe text else { return false }
        return unsafe other.pointee.utf8.withContiguousStorageIfAvailable { other in
            unsafe other.count == text.count && injectle_are_equal(other.baseAddress, text.baseAddress, text.count)
        } ?? false
    }
}
