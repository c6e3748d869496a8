public import CInjectle

/// The part of a core that readers use without its lock.
///
/// Invariant: the header lives as long as its core, which retains the parent. `table` points to a block of the core's
/// index; it is replaced under the core's lock, and the former block is added to a `RetireList`. `parent` and `owner` are
/// immutable.
@usableFromInline
@safe
struct LocatorHeader {
    @usableFromInline var table: UnsafeMutableRawPointer?
    @usableFromInline var parent: UnsafeMutablePointer<LocatorHeader>?
    /// What a read has to check; 0 in most locators.
    @usableFromInline var flags: UInt = 0
    let owner: Unmanaged<LocatorCore>

    /// The flags for which each read takes the slow path: the three below.
    @usableFromInline static var slowReads: UInt {
        @inlinable @inline(__always) get { 0b1101 }
    }

    /// Behaviors of the locator or of an ancestor observe `didResolve`: each read is an event.
    static var observedReads: UInt { 1 }
    /// The locator is closed or being closed: reads do not return instances of its parent.
    static var closing: UInt { 4 }
    /// The locator is empty and ignores registrations.
    static var terminated: UInt { 8 }

    /// The flags of the kinds of the locator's events that behaviors of the locator or of an ancestor observe.
    static func observed(_ kinds: EventKinds) -> UInt { kinds.rawValue << 8 }

    /// The kinds of a child's events that behaviors of the locator or of an ancestor observe.
    static func kindsObservedBelow(_ header: UnsafeMutablePointer<LocatorHeader>) -> EventKinds {
        EventKinds(rawValue: unsafe injectle_load_number(&header.pointee.flags) >> 16)
    }

    /// Sets the kinds of events that behaviors observe, in the locator and below it. The lock is held, or no other thread
    /// has the core.
    static func observe(_ kinds: EventKinds, below: EventKinds, _ header: UnsafeMutablePointer<LocatorHeader>) {
        let others = (slowReads) & ~observedReads
        var flags = unsafe injectle_load_number(&header.pointee.flags) & others
        flags |= observed(kinds) | below.rawValue << 16
        if !kinds.isDisjoint(with: .didResolve) { flags |= observedReads }
        unsafe injectle_store_number(&header.pointee.flags, flags)
    }

    /// Whether a read may return a published instance at once.
    @inlinable
    @inline(__always)
    static func isPlain(_ header: UnsafeMutablePointer<LocatorHeader>) -> Bool {
        unsafe injectle_load_number(&header.pointee.flags) & slowReads == 0
    }

    /// Whether a flag is set.
    @inline(__always)
    static func has(_ flag: UInt, _ header: UnsafeMutablePointer<LocatorHeader>) -> Bool {
        unsafe injectle_load_number(&header.pointee.flags) & flag != 0
    }

    /// The first entry with a tag in a locator itself. Called inside a read section.
    static func findOwn(_ tag: UInt, in header: UnsafeMutablePointer<LocatorHeader>) -> Unmanaged<Entry>? {
        unsafe injectle_load(&header.pointee.table).flatMap { unsafe EntryTable.find(tag, in: $0) }.map {
            unsafe .fromOpaque($0)
        }
    }

    /// The entry of an identity without a key, from a locator up to its root. Called inside a read section.
    @inlinable
    @inline(__always)
    static func find(_ tag: UInt, from header: UnsafeMutablePointer<LocatorHeader>) -> Unmanaged<Entry>? {
        var header = unsafe header
        while true {
            if let block = unsafe injectle_load(&header.pointee.table),
                let entry = unsafe EntryTable.find(tag, in: block)
            {
                return unsafe .fromOpaque(entry)
            }
            guard let parent = unsafe header.pointee.parent else { return nil }
            unsafe header = unsafe parent
        }
    }

    /// The published instance of an identity without a key.
    @inlinable
    @inline(__always)
    static func load<Service>(_ type: Service.Type, _ header: UnsafeMutablePointer<LocatorHeader>) -> Service? {
        withReadSection {
            let entry = unsafe find(UInt(bitPattern: ObjectIdentifier(type)), from: header)
            return unsafe published(entry, header)?.assumingMemoryBound(to: Service.self).pointee
        }
    }

    /// The instance of an entry, if it exists and any caller may have it. Called inside a read section.
    @inlinable
    @inline(__always)
    static func published(
        _ entry: Unmanaged<Entry>?,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) -> UnsafeMutableRawPointer? {
        guard let entry = unsafe entry, unsafe isPlain(header) else { return nil }
        return unsafe entry.service
    }
}
