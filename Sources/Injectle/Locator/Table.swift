public import CInjectle

/// From identities to slots: open addressing with linear probing, which readers search without a lock.
///
/// Invariant: one thread writes at a time, under the lock of the core that owns the table. An entry's slot is stored
/// before its tag, so a reader that sees the tag sees the slot. A tag once stored stays until the table is left for a
/// larger one; a slot that goes leaves null behind. There is always an entry without a tag, so each search ends.
@usableFromInline
final class Table {
    @usableFromInline
    struct Entry {
        /// `ServiceKey.tag`, or 0 where nothing was ever stored.
        @usableFromInline var tag: UInt = 0
        /// A `SlotHead`, or null where one was removed.
        @usableFromInline var slot: UnsafeMutableRawPointer?
    }

    /// What readers hold: `mask` in front of `mask + 1` entries.
    let block: UnsafeMutableRawPointer
    private let capacity: Int
    private var used = 0
    /// The owners of the heads in the entries, by position.
    private var owners: [Slot?]

    init(capacity: Int = 8) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0)
        self.capacity = capacity
        owners = Array(repeating: nil, count: capacity)
        block = .allocate(
            byteCount: Table.entriesOffset + capacity * MemoryLayout<Entry>.stride,
            alignment: Table.entriesOffset
        )
        block.initializeMemory(as: UInt.self, to: UInt(capacity - 1))
        Table.entries(of: block).initialize(repeating: Entry(), count: capacity)
    }

    deinit {
        block.deallocate()
    }

    @usableFromInline static var entriesOffset: Int {
        @inlinable get { MemoryLayout<Entry>.stride }
    }

    @inlinable
    @inline(__always)
    static func entries(of block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Entry> {
        (block + entriesOffset).assumingMemoryBound(to: Entry.self)
    }

    /// Where the search for a tag begins. Metadata addresses are alike in their low bits; multiplying by 2^64 divided by
    /// the golden ratio spreads them (Knuth, The Art of Computer Programming 3, section 6.4).
    @inlinable
    @inline(__always)
    static func start(of tag: UInt, mask: UInt) -> UInt {
        ((tag &* 0x9E37_79B9_7F4A_7C15) &>> 32) & mask
    }

    /// The first slot with a tag: that of an identity without a key, or one of those that share it. Only inside `reading`.
    @inlinable
    @inline(__always)
    static func find(_ tag: UInt, in block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<SlotHead>? {
        let mask = block.assumingMemoryBound(to: UInt.self).pointee
        let entries = entries(of: block)
        var position = start(of: tag, mask: mask)
        while true {
            let entry = entries + Int(bitPattern: position)
            let found = injectle_load_number(&entry.pointee.tag)
            if found == tag, let slot = injectle_load(&entry.pointee.slot) {
                return slot.assumingMemoryBound(to: SlotHead.self)
            }
            if found == 0 { return nil }
            position = (position &+ 1) & mask
        }
    }

    // MARK: Under the lock

    /// All slots with a tag, in no order. Several identities with a key may share one.
    func slots(tagged tag: UInt) -> [Slot] {
        positions(tagged: tag).compactMap { owners[$0] }
    }

    var slots: [Slot] { owners.compactMap(\.self) }

    /// Puts `slot` in the place of `old`, or in a new one. Returns false if the table is too full for that.
    func put(_ slot: Slot, replacing old: Slot?) -> Bool {
        let tag = slot.identity.tag
        if let position = positions(tagged: tag).first(where: { owners[$0] === old }) {
            // Where `old` is nil, this takes over what a removed slot of the same identity left.
            store(slot, at: position)
            return true
        }
        guard (used + 1) * 4 <= capacity * 3 else { return false }
        used += 1
        let mask = UInt(capacity - 1)
        var position = Table.start(of: tag, mask: mask)
        let entries = Table.entries(of: block)
        while entries[Int(position)].tag != 0 { position = (position &+ 1) & mask }
        store(slot, at: Int(position))
        injectle_store_number(&entries[Int(position)].tag, tag)
        return true
    }

    func remove(_ slot: Slot) {
        for position in positions(tagged: slot.identity.tag) where owners[position] === slot {
            store(nil, at: position)
        }
    }

    /// A table with the same slots and room for as many more.
    func grown() -> Table {
        let slots = slots
        var capacity = 8
        while capacity < (slots.count + 1) * 2 { capacity *= 2 }
        let table = Table(capacity: capacity)
        for slot in slots { _ = table.put(slot, replacing: nil) }
        return table
    }

    private func store(_ slot: Slot?, at position: Int) {
        owners[position] = slot
        injectle_store(&Table.entries(of: block)[position].slot, slot?.head)
    }

    private func positions(tagged tag: UInt) -> [Int] {
        var positions: [Int] = []
        let entries = Table.entries(of: block)
        let mask = UInt(capacity - 1)
        var position = Table.start(of: tag, mask: mask)
        while entries[Int(position)].tag != 0 {
            if entries[Int(position)].tag == tag { positions.append(Int(position)) }
            position = (position &+ 1) & mask
        }
        return positions
    }
}
