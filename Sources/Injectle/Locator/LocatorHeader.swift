public import CInjectle

/// What readers see of a core.
///
/// Invariant: it lives as long as its core, which keeps the parent's alive. `table` points to the block of the core's
/// table; it is replaced under the core's lock, and the block that it pointed to is disposed of as `RetireList`. `parent`
/// and `owner` never change.
@usableFromInline
struct LocatorHeader {
    @usableFromInline var table: UnsafeMutableRawPointer?
    @usableFromInline var parent: UnsafeMutablePointer<LocatorHeader>?
    /// Why each read is to be looked at, in bits: 0 in most locators.
    @usableFromInline var flags: UInt = 0
    /// The core itself.
    let owner: Unmanaged<LocatorCore>

    /// Of a strict locator: its parent may not be strict, and hand out to anyone.
    static var strict: UInt { 1 }
    /// Of one that has behaviors, or an ancestor that does: each read is an event.
    static var observed: UInt { 2 }
    /// Of one that is being closed, or is closed: what its parent has is not to be had here any more.
    static var closing: UInt { 4 }

    /// The locator is empty for good.
    static var terminated: UInt { 8 }

    /// Whether a read can take what is there without being looked at.
    @inlinable
    @inline(__always)
    static func isPlain(_ header: UnsafeMutablePointer<LocatorHeader>) -> Bool {
        injectle_load_number(&header.pointee.flags) == 0
    }

    /// Whether a flag is set.
    @inline(__always)
    static func has(_ flag: UInt, _ header: UnsafeMutablePointer<LocatorHeader>) -> Bool {
        injectle_load_number(&header.pointee.flags) & flag != 0
    }

    /// The first entry with a tag in a locator itself. Called inside a read section.
    static func findOwn(_ tag: UInt, in header: UnsafeMutablePointer<LocatorHeader>) -> Unmanaged<Entry>? {
        injectle_load(&header.pointee.table).flatMap { EntryTable.find(tag, in: $0) }.map { .fromOpaque($0) }
    }

    /// The entry of an identity without a key, from a locator up to its root. Called inside a read section.
    @inlinable
    @inline(__always)
    static func find(_ tag: UInt, from header: UnsafeMutablePointer<LocatorHeader>) -> Unmanaged<Entry>? {
        var header = header
        while true {
            if let block = injectle_load(&header.pointee.table), let entry = EntryTable.find(tag, in: block) {
                return .fromOpaque(entry)
            }
            guard let parent = header.pointee.parent else { return nil }
            header = parent
        }
    }

    /// The instance that is there already, for an identity without a key.
    @inlinable
    @inline(__always)
    static func load<Service>(_ type: Service.Type, _ header: UnsafeMutablePointer<LocatorHeader>) -> Service? {
        withReadSection { load(type, find(UInt(bitPattern: ObjectIdentifier(type)), from: header), header) }
    }

    /// The instance of an entry, if it exists and any caller may have it. Called inside a read section.
    @inlinable
    @inline(__always)
    static func load<Service>(
        _ type: Service.Type,
        _ entry: Unmanaged<Entry>?,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) -> Service? {
        guard let entry, isPlain(header) else { return nil }
        return entry.service?.assumingMemoryBound(to: Service.self).pointee
    }
}
