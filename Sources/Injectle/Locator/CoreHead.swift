public import CInjectle

/// What readers see of a core.
///
/// Invariant: it lives as long as its core, which keeps the parent's alive. `table` points to the block of the core's
/// table; it is replaced under the core's lock, and the block that it pointed to is disposed of as `Garbage`. `parent`
/// and `owner` never change.
@usableFromInline
struct CoreHead {
    @usableFromInline var table: UnsafeMutableRawPointer?
    @usableFromInline var parent: UnsafeMutablePointer<CoreHead>?
    /// Why each read is to be looked at, in bits: 0 in most locators.
    @usableFromInline var flags: UInt = 0
    /// The core itself.
    let owner: Unmanaged<Core>

    /// Of a strict locator: its parent may not be strict, and hand out to anyone.
    static var strict: UInt { 1 }
    /// Of one that has behaviors, or an ancestor that does: each read is an event.
    static var watched: UInt { 2 }
    /// Of one that is being closed, or is closed: what its parent has is not to be had here any more.
    static var closing: UInt { 4 }

    /// Whether a read can take what is there without being looked at.
    @inlinable
    @inline(__always)
    static func isPlain(_ head: UnsafeMutablePointer<CoreHead>) -> Bool {
        injectle_load_number(&head.pointee.flags) == 0
    }

    /// Whether a flag is set.
    @inline(__always)
    static func has(_ flag: UInt, _ head: UnsafeMutablePointer<CoreHead>) -> Bool {
        injectle_load_number(&head.pointee.flags) & flag != 0
    }

    /// The first slot with a tag in a locator itself. Only inside `reading`.
    static func findOwn(_ tag: UInt, in head: UnsafeMutablePointer<CoreHead>) -> UnsafeMutablePointer<SlotHead>? {
        injectle_load(&head.pointee.table).flatMap { Table.find(tag, in: $0) }
    }

    /// The slot of an identity without a key, from a locator up to its root. Only inside `reading`.
    @inlinable
    @inline(__always)
    static func find(_ tag: UInt, from head: UnsafeMutablePointer<CoreHead>) -> UnsafeMutablePointer<SlotHead>? {
        var head = head
        while true {
            if let block = injectle_load(&head.pointee.table), let slot = Table.find(tag, in: block) { return slot }
            guard let parent = head.pointee.parent else { return nil }
            head = parent
        }
    }

    /// The instance that is there already, for an identity without a key.
    @inlinable
    @inline(__always)
    static func load<Service>(_ type: Service.Type, _ head: UnsafeMutablePointer<CoreHead>) -> Service? {
        reading { load(type, find(UInt(bitPattern: ObjectIdentifier(type)), from: head), head) }
    }

    /// The instance of a slot that was found, if it is there and may be handed to anyone. Only inside `reading`.
    @inlinable
    @inline(__always)
    static func load<Service>(
        _ type: Service.Type,
        _ slot: UnsafeMutablePointer<SlotHead>?,
        _ head: UnsafeMutablePointer<CoreHead>
    ) -> Service? {
        guard let slot, isPlain(head) else { return nil }
        return SlotHead.service(of: slot)?.assumingMemoryBound(to: Service.self).pointee
    }
}
