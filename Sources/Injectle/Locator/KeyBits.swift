internal import CInjectle

/// How a key lies in memory, and where a table has what is registered under it.
///
/// Comparing two keys calls code of a user, which is not done inside a read, and an `AnyHashable` of a key costs more
/// than all the rest of one. But two values of one type that are the same, bit for bit, are equal, as long as both
/// exist. So a entry has an image of the key it was registered with, made when that is first asked for, and a key that
/// looks like it is known to be it.
@usableFromInline
struct KeyBits {
    @usableFromInline let tag: UInt
    @usableFromInline let type: Any.Type
    @usableFromInline let first, second: UInt

    /// Nil for a key that is too large to be compared like this.
    @inlinable
    @inline(__always)
    init?<Service, Key: Hashable>(_ service: Service.Type, _ key: Key) {
        guard MemoryLayout<Key>.size <= MemoryLayout<(UInt, UInt)>.size else { return nil }
        var words: (UInt, UInt) = (0, 0)
        withUnsafeMutableBytes(of: &words) { words in withUnsafeBytes(of: key) { words.copyMemory(from: $0) } }
        (first, second) = words
        type = Key.self
        tag = ServiceKey.tag(of: service, hash: key.hashValue)
    }
}

/// How the key of a entry looks, as a value of the type that was asked for first.
///
/// It is that of the registration: were it that of whoever asked, what they passed would be kept alive here. A string
/// is no more than its text, so that it may be that of whoever asked, who is likely to ask by the same again.
final class CachedKeyBits: Sendable {
    /// Nil if the key is not of the type that was asked for, and so looks like none of them.
    private let look: Bits?
    private let string: String?
    // Sound to share: immutable; a key that others change while it is a key would break any dictionary as well.
    nonisolated(unsafe) private let key: Any?

    private struct Bits {
        let type: ObjectIdentifier
        let first, second: UInt
    }

    /// - Parameter key: Kept, so that no other comes to look like it.
    init<Key: Hashable>(of key: Key?) {
        self.key = key
        look = key.flatMap { KeyBits(Key.self, $0) }.map {
            Bits(type: ObjectIdentifier(Key.self), first: $0.first, second: $0.second)
        }
        string = key as? String
    }

    /// Whether a key at `address` that looks like `look` is equal to this one. False if that is not to be seen.
    func matches(_ look: KeyBits, at address: UnsafeRawPointer) -> Bool {
        guard let own = self.look, ObjectIdentifier(look.type) == own.type else { return false }
        if look.first == own.first, look.second == own.second { return true }
        // A string of more than 15 bytes lies elsewhere; the bytes tell as well.
        guard let string else { return false }
        return CachedKeyBits.haveSameBytes(address.assumingMemoryBound(to: String.self).pointee, string)
    }

    /// Reads memory only: a string that is not stored as its bytes is taken to be another.
    private static func haveSameBytes(_ left: String, _ right: String) -> Bool {
        left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                left.count == right.count && injectle_are_same(left.baseAddress, right.baseAddress, left.count)
            } ?? false
        } ?? false
    }
}

extension LocatorHeader {
    /// What a read by a key came to.
    @usableFromInline
    enum KeyedRead {
        /// What is registered, and its service, if that is there.
        case found(UnsafeMutablePointer<EntryHeader>)
        /// Something that no key was compared with yet.
        case uncached
        case unknown
    }

    /// What is registered under a key that looks like this, from a locator up to its root. Only inside `reading`.
    @usableFromInline
    static func find(
        _ look: KeyBits,
        at key: UnsafeRawPointer,
        from origin: UnsafeMutablePointer<LocatorHeader>
    ) -> KeyedRead {
        var header = origin
        while true {
            if let entry = findOwn(look.tag, in: header) {
                // What was derived counts where nothing can stand behind it.
                if entry.pointee.role == .keyAlias, header != origin || header.pointee.parent != nil { return .unknown }
                guard let cachedBits = injectle_load(&entry.pointee.cachedBits) else { return .uncached }
                let isEqual = Unmanaged<CachedKeyBits>.fromOpaque(cachedBits)._withUnsafeGuaranteedRef {
                    $0.matches(look, at: key)
                }
                return isEqual ? .found(entry) : .unknown
            }
            guard let parent = header.pointee.parent else { return .unknown }
            header = parent
        }
    }

    /// The instance that is there already, for an identity with a key.
    ///
    /// - Parameter isUnlearned: Set if a entry may be what is looked for, and has no image to be known by.
    @inlinable
    @inline(__always)
    static func load<Service, Key: Hashable>(
        _ type: Service.Type,
        _ look: KeyBits,
        of key: Key,
        _ header: UnsafeMutablePointer<LocatorHeader>,
        isUncached: inout Bool
    ) -> Service? {
        guard isPlain(header) else { return nil }
        var isNew = false
        let service: Service? = withUnsafePointer(to: key) { key in
            withReadSection {
                switch find(look, at: key, from: header) {
                case .found(let entry):
                    return EntryHeader.service(of: entry)?.assumingMemoryBound(to: Service.self).pointee
                case .uncached: isNew = true
                case .unknown: break
                }
                return nil
            }
        }
        isUncached = isNew
        return service
    }

    /// Lets readers find what is registered under a key by how that looks.
    @usableFromInline
    static func cacheBits<Key: Hashable>(_ key: Key, as type: Any.Type, _ header: UnsafeMutablePointer<LocatorHeader>) {
        let core = header.pointee.owner.takeUnretainedValue()
        guard let entry = core.find(ServiceKey(type, key: AnyHashable(key))), entry.role != .temporary else { return }
        let own = Key.self == String.self ? key : entry.identity.userKey?.value.base as? Key
        entry.core.cacheBits(CachedKeyBits(of: own), in: entry)
    }
}
