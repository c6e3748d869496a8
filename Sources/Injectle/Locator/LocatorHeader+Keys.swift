internal import CInjectle

extension LocatorHeader {
    /// The result of a read by a key.
    @usableFromInline
    @safe
    enum KeyedRead {
        case found(Unmanaged<Entry>)
        /// No entry has these bits or this text; the hash of the key may find one.
        case unhashed
        /// An entry may match, and the bits of its key are not cached yet.
        case uncached
        case unknown
    }

    /// The published instance under a key, if its bits are cached. Called inside a read section.
    @inline(__always)
    static func published<Key>(
        _ service: Any.Type,
        under key: Key,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) -> UnsafeMutableRawPointer? {
        guard let bits = KeyBits(service, key), unsafe isPlain(header),
            case .found(let entry) = unsafe withUnsafePointer(to: key, { unsafe find(bits, at: $0, from: header) })
        else { return nil }
        return unsafe entry.service
    }

    /// Finds the registration under a key with some bits, if they are cached. Called inside a read section.
    @usableFromInline
    static func find(
        _ bits: KeyBits,
        at key: UnsafeRawPointer,
        from origin: UnsafeMutablePointer<LocatorHeader>
    ) -> KeyedRead {
        // A locator that has keys may hide a registration of its parent without having its bits.
        guard let header = unsafe nearestWithKeys(origin) else { return .unknown }
        if let block = unsafe injectle_load(&header.pointee.keys),
            let found = unsafe EntryTable.find(bits.tag(of: key), in: block),
            case let entry = unsafe Unmanaged<Entry>.fromOpaque(found),
            let cachedBits = unsafe cachedBits(of: entry),
            unsafe cachedBits._withUnsafeGuaranteedRef({ unsafe $0.matches(bits, at: key) })
        {
            return unsafe counts(entry, in: header, from: origin) ? .found(entry) : .unknown
        }
        return .unhashed
    }

    /// Finds the registration under a key with some bits by a tag with the hash of the key, from a locator up to its root.
    /// Called inside a read section.
    @usableFromInline
    static func find(
        _ bits: KeyBits,
        tagged tag: UInt,
        at key: UnsafeRawPointer,
        from origin: UnsafeMutablePointer<LocatorHeader>
    ) -> KeyedRead {
        var header = unsafe origin
        while true {
            if let entry = unsafe findOwn(tag, in: header) {
                guard unsafe counts(entry, in: header, from: origin) else { return .unknown }
                guard let cachedBits = unsafe cachedBits(of: entry) else { return .uncached }
                let isEqual = unsafe cachedBits._withUnsafeGuaranteedRef { unsafe $0.matches(bits, at: key) }
                return unsafe isEqual ? .found(entry) : .unknown
            }
            guard let parent = unsafe header.pointee.parent else { return .unknown }
            unsafe header = unsafe parent
        }
    }

    /// The nearest locator that has had a registration with a key.
    private static func nearestWithKeys(
        _ origin: UnsafeMutablePointer<LocatorHeader>
    ) -> UnsafeMutablePointer<LocatorHeader>? {
        var header = unsafe origin
        while unsafe !has(hasKeys, header) {
            guard let parent = unsafe header.pointee.parent else { return nil }
            unsafe header = unsafe parent
        }
        return unsafe header
    }

    /// Whether an entry of a locator is one for requests to another. An alias counts where no parent can have an entry for
    /// the identity itself.
    private static func counts(
        _ entry: Unmanaged<Entry>,
        in header: UnsafeMutablePointer<LocatorHeader>,
        from origin: UnsafeMutablePointer<LocatorHeader>
    ) -> Bool {
        unsafe entry.withHeader { unsafe $0.pointee.role } != .keyAlias
            || (header == origin && header.pointee.parent == nil)
    }

    private static func cachedBits(of entry: Unmanaged<Entry>) -> Unmanaged<CachedKeyBits>? {
        unsafe entry.withHeader { unsafe injectle_load(&$0.pointee.cachedBits) }.map { unsafe .fromOpaque($0) }
    }

    /// Caches the bits of the key of a registration, by which readers find it.
    @usableFromInline
    static func cacheBits<Key: Hashable>(_ key: Key, as type: Any.Type, _ header: UnsafeMutablePointer<LocatorHeader>) {
        let core = unsafe header.pointee.owner.takeUnretainedValue()
        guard let entry = core.find(Locator.Identity(type, key: AnyHashable(key))), entry.role != .temporary else {
            return
        }
        let own = Key.self == String.self ? key : entry.identity.userKey?.value?.base as? Key
        entry.core.cacheBits(CachedKeyBits(of: own, for: type), of: entry)
    }
}
