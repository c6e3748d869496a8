internal import CInjectle

extension LocatorHeader {
    /// The result of a read by a key.
    @usableFromInline
    @safe
    enum KeyedRead {
        case found(Unmanaged<Entry>)
        /// An entry may match, and the bits of its key are not cached yet.
        case uncached
        case unknown
    }

    /// Finds the registration under a key with some bits, from a locator up to its root. Called inside a read section.
    @usableFromInline
    static func find(
        _ bits: KeyBits,
        at key: UnsafeRawPointer,
        from origin: UnsafeMutablePointer<LocatorHeader>
    ) -> KeyedRead {
        var header = unsafe origin
        while true {
            if let entry = unsafe findOwn(bits.tag, in: header) {
                // An alias counts where no parent can have an entry for the identity itself.
                if unsafe entry.withHeader({ unsafe $0.pointee.role }) == .keyAlias,
                    unsafe header != origin || header.pointee.parent != nil
                {
                    return .unknown
                }
                guard let cachedBits = unsafe entry.withHeader({ unsafe injectle_load(&$0.pointee.cachedBits) }) else {
                    return .uncached
                }
                let isEqual = unsafe Unmanaged<CachedKeyBits>.fromOpaque(cachedBits)._withUnsafeGuaranteedRef {
                    unsafe $0.matches(bits, at: key)
                }
                return unsafe isEqual ? .found(entry) : .unknown
            }
            guard let parent = unsafe header.pointee.parent else { return .unknown }
            unsafe header = unsafe parent
        }
    }

    /// Caches the bits of the key of a registration, by which readers find it.
    @usableFromInline
    static func cacheBits<Key: Hashable>(_ key: Key, as type: Any.Type, _ header: UnsafeMutablePointer<LocatorHeader>) {
        let core = unsafe header.pointee.owner.takeUnretainedValue()
        guard let entry = core.find(Locator.Identity(type, key: AnyHashable(key))), entry.role != .temporary else {
            return
        }
        let own = Key.self == String.self ? key : entry.identity.userKey?.value?.base as? Key
        let cachedBits = CachedKeyBits(of: own)
        entry.core.lock.withLock { entry.cacheBits(cachedBits) }
    }
}
