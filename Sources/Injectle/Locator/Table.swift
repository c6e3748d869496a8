public import CInjectle

/// From tags to slots: open addressing with linear probing, which readers search without a lock.
///
/// Several slots may share a tag, since several identities may. The table refers to slots by their heads and does not
/// keep them alive; its owner does.
///
/// Invariant: one thread writes at a time, under the lock of the core that owns the table. An entry's slot is stored
/// before its tag, so a reader that sees the tag sees the slot. A tag once stored stays until the block is left for a
/// larger one; a slot that goes leaves null behind. There is always an entry without a tag, so each search ends.
@usableFromInline
struct Table {
    @usableFromInline
    struct Entry {
        /// What it is found by, or 0 where nothing was ever stored.
        @usableFromInline var tag: UInt = 0
        /// A `SlotHead`, or null where one was removed.
        @usableFromInline var slot: UnsafeMutableRawPointer?
    }

    /// What readers hold: `mask` in front of `mask + 1` entries. Nil before the first slot.
    private(set) var block: UnsafeMutableRawPointer?
    /// How many entries have a tag.
    private var used = 0

    @usableFromInline static var entriesOffset: Int {
        @inlinable get { MemoryLayout<Entry>.stride }
    }

    @inlinable
    @inline(__always)
    static func entries(of block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Entry> {
        (block + entriesOffset).assumingMemoryBound(to: Entry.self)
    }

    @inlinable
    @inline(__always)
    static func mask(of block: UnsafeMutableRawPointer) -> UInt {
        block.assumingMemoryBound(to: UInt.self).pointee
    }

    /// Where the search for a tag begins. Metadata addresses are alike in their low bits; multiplying by 2^64 divided
    /// by the golden ratio spreads them (Knuth, The Art of Computer Programming 3, section 6.4).
    @inlinable
    @inline(__always)
    static func start(of tag: UInt, mask: UInt) -> UInt {
        ((tag &* 0x9E37_79B9_7F4A_7C15) &>> 32) & mask
    }

    /// The first slot with a tag: that of an identity without a key, or one of those that share it. Only inside
    /// `reading`.
    @inlinable
    @inline(__always)
    static func find(_ tag: UInt, in block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<SlotHead>? {
        let mask = mask(of: block)
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

    /// All slots with a tag, in no order.
    func slots(tagged tag: UInt) -> [Slot] {
        var slots: [Slot] = []
        forEachEntry(tagged: tag) { entry in
            if let head = Table.head(in: entry.pointee) { slots.append(head.pointee.owner.takeUnretainedValue()) }
        }
        return slots
    }

    /// Whether there is a slot with a tag that stands for a registration.
    func hasRegistered(tagged tag: UInt) -> Bool {
        var isThere = false
        forEachEntry(tagged: tag) { entry in
            if let head = Table.head(in: entry.pointee), head.pointee.standing == .registered { isThere = true }
        }
        return isThere
    }

    var slots: [Slot] {
        var slots: [Slot] = []
        forEach { slots.append($0.takeUnretainedValue()) }
        return slots
    }

    func forEach(_ body: (Unmanaged<Slot>) -> Void) {
        guard let block else { return }
        let entries = Table.entries(of: block)
        for position in 0...Int(Table.mask(of: block)) {
            if let head = Table.head(in: entries[position]) { body(head.pointee.owner) }
        }
    }

    /// Puts `slot` in the place of `old`, which has the same tag, or in a new one.
    ///
    /// - Returns: The block that was outgrown by it, if any, which readers may still search.
    mutating func put(_ slot: Slot, tagged tag: UInt, replacing old: Slot? = nil) -> UnsafeMutableRawPointer? {
        var free: UnsafeMutablePointer<Entry>?
        let oldHead = old.map { UnsafeMutableRawPointer($0.head) }
        // Where there is no old one, this takes over what a removed slot with the same tag left.
        forEachEntry(tagged: tag) { if free == nil, $0.pointee.slot == oldHead { free = $0 } }
        if let free {
            injectle_store(&free.pointee.slot, slot.head)
            return nil
        }
        let outgrown = makeRoom()
        add(slot.head, tagged: tag)
        return outgrown
    }

    func remove(_ slot: Slot, tagged tag: UInt) {
        forEachEntry(tagged: tag) { entry in
            if Table.head(in: entry.pointee) == slot.head { injectle_store(&entry.pointee.slot, nil) }
        }
    }

    private static func head(in entry: Entry) -> UnsafeMutablePointer<SlotHead>? {
        entry.slot?.assumingMemoryBound(to: SlotHead.self)
    }

    private func forEachEntry(tagged tag: UInt, _ body: (UnsafeMutablePointer<Entry>) -> Void) {
        guard let block else { return }
        let mask = Table.mask(of: block)
        let entries = Table.entries(of: block)
        var position = Table.start(of: tag, mask: mask)
        while entries[Int(position)].tag != 0 {
            if entries[Int(position)].tag == tag { body(entries + Int(position)) }
            position = (position &+ 1) & mask
        }
    }

    private mutating func add(_ head: UnsafeMutablePointer<SlotHead>, tagged tag: UInt) {
        guard let block else { return }
        let mask = Table.mask(of: block)
        let entries = Table.entries(of: block)
        var position = Table.start(of: tag, mask: mask)
        while entries[Int(position)].tag != 0 { position = (position &+ 1) & mask }
        injectle_store(&entries[Int(position)].slot, head)
        injectle_store_number(&entries[Int(position)].tag, tag)
        used += 1
    }

    /// Sees to it that one more tag can be stored. Returns the block that was left for a larger one, if any.
    private mutating func makeRoom() -> UnsafeMutableRawPointer? {
        guard let block else {
            self.block = Table.makeBlock(capacity: 4)
            return nil
        }
        let capacity = Int(Table.mask(of: block)) + 1
        guard used + 1 > Table.room(in: capacity) else { return nil }
        let entries = Table.entries(of: block)
        let inUse = (0..<capacity).filter { entries[$0].slot != nil }
        var larger = 4
        while Table.room(in: larger) < inUse.count * 2 + 1 { larger *= 2 }
        self.block = Table.makeBlock(capacity: larger)
        used = 0
        for position in inUse {
            guard let head = Table.head(in: entries[position]) else { continue }
            add(head, tagged: entries[position].tag)
        }
        return block
    }

    /// How many of so many entries may have a tag. The fewer, the likelier a search ends where it begins; the smaller a
    /// table, the emptier it can afford to be.
    private static func room(in capacity: Int) -> Int {
        switch capacity {
        case ...128: capacity / 4
        case ...2048: capacity / 2
        default: capacity / 4 * 3
        }
    }

    private static func makeBlock(capacity: Int) -> UnsafeMutableRawPointer {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: entriesOffset + capacity * MemoryLayout<Entry>.stride,
            alignment: MemoryLayout<Entry>.alignment
        )
        block.initializeMemory(as: UInt.self, to: UInt(capacity - 1))
        entries(of: block).initialize(repeating: Entry(), count: capacity)
        return block
    }
}
