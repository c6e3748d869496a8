public import CInjectle

/// From tags to entries: open addressing with linear probing, which readers search without a lock.
///
/// Several entries may share a tag, since several identities may. The table refers to entries by their heads and does not
/// keep them alive; its owner does.
///
/// Invariant: one thread writes at a time, under the lock of the core that owns the table. An bucket's entry is stored
/// before its tag, so a reader that sees the tag sees the entry. A tag once stored stays until the block is left for a
/// larger one; a entry that goes leaves null behind. There is always an bucket without a tag, so each search ends.
@usableFromInline
struct Table {
    @usableFromInline
    struct Bucket {
        /// What it is found by, or 0 where nothing was ever stored.
        @usableFromInline var tag: UInt = 0
        /// A `EntryHeader`, or null where one was removed.
        @usableFromInline var entry: UnsafeMutableRawPointer?
    }

    /// What readers hold: `mask` in front of `mask + 1` buckets. Nil before the first entry.
    private(set) var block: UnsafeMutableRawPointer?
    /// How many buckets have a tag.
    private var used = 0

    @usableFromInline static var bucketsOffset: Int {
        @inlinable get { MemoryLayout<Bucket>.stride }
    }

    @inlinable
    @inline(__always)
    static func buckets(of block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Bucket> {
        (block + bucketsOffset).assumingMemoryBound(to: Bucket.self)
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

    /// The first entry with a tag: that of an identity without a key, or one of those that share it. Only inside
    /// `reading`.
    @inlinable
    @inline(__always)
    static func find(_ tag: UInt, in block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<EntryHeader>? {
        let mask = mask(of: block)
        let buckets = buckets(of: block)
        var position = start(of: tag, mask: mask)
        while true {
            let bucket = buckets + Int(bitPattern: position)
            let found = injectle_load_number(&bucket.pointee.tag)
            if found == tag, let entry = injectle_load(&bucket.pointee.entry) {
                return entry.assumingMemoryBound(to: EntryHeader.self)
            }
            if found == 0 { return nil }
            position = (position &+ 1) & mask
        }
    }

    // MARK: Under the lock

    /// All entries with a tag, in no order.
    func entries(tagged tag: UInt) -> [Entry] {
        var entries: [Entry] = []
        forEachBucket(tagged: tag) { bucket in
            if let header = Table.header(in: bucket.pointee) {
                entries.append(header.pointee.owner.takeUnretainedValue())
            }
        }
        return entries
    }

    /// Whether there is a entry with a tag that stands for a registration.
    func hasRegistered(tagged tag: UInt) -> Bool {
        var isThere = false
        forEachBucket(tagged: tag) { bucket in
            if let header = Table.header(in: bucket.pointee), header.pointee.role == .registered { isThere = true }
        }
        return isThere
    }

    var entries: [Entry] {
        var entries: [Entry] = []
        forEach { entries.append($0.takeUnretainedValue()) }
        return entries
    }

    func forEach(_ body: (Unmanaged<Entry>) -> Void) {
        guard let block else { return }
        let buckets = Table.buckets(of: block)
        for position in 0...Int(Table.mask(of: block)) {
            if let header = Table.header(in: buckets[position]) { body(header.pointee.owner) }
        }
    }

    /// Puts `entry` in the place of `old`, which has the same tag, or in a new one.
    ///
    /// - Returns: The block that was outgrown by it, if any, which readers may still search.
    mutating func put(_ entry: Entry, tagged tag: UInt, replacing old: Entry? = nil) -> UnsafeMutableRawPointer? {
        var free: UnsafeMutablePointer<Bucket>?
        let oldPointer = old.map { UnsafeMutableRawPointer($0.pointer) }
        // Where there is no old one, this takes over what a removed entry with the same tag left.
        forEachBucket(tagged: tag) { if free == nil, $0.pointee.entry == oldPointer { free = $0 } }
        if let free {
            injectle_store(&free.pointee.entry, entry.pointer)
            return nil
        }
        let outgrown = makeRoom()
        add(entry.pointer, tagged: tag)
        return outgrown
    }

    func remove(_ entry: Entry, tagged tag: UInt) {
        forEachBucket(tagged: tag) { bucket in
            if Table.header(in: bucket.pointee) == entry.pointer { injectle_store(&bucket.pointee.entry, nil) }
        }
    }

    private static func header(in bucket: Bucket) -> UnsafeMutablePointer<EntryHeader>? {
        bucket.entry?.assumingMemoryBound(to: EntryHeader.self)
    }

    private func forEachBucket(tagged tag: UInt, _ body: (UnsafeMutablePointer<Bucket>) -> Void) {
        guard let block else { return }
        let mask = Table.mask(of: block)
        let buckets = Table.buckets(of: block)
        var position = Table.start(of: tag, mask: mask)
        while buckets[Int(position)].tag != 0 {
            if buckets[Int(position)].tag == tag { body(buckets + Int(position)) }
            position = (position &+ 1) & mask
        }
    }

    private mutating func add(_ header: UnsafeMutablePointer<EntryHeader>, tagged tag: UInt) {
        guard let block else { return }
        let mask = Table.mask(of: block)
        let buckets = Table.buckets(of: block)
        var position = Table.start(of: tag, mask: mask)
        while buckets[Int(position)].tag != 0 { position = (position &+ 1) & mask }
        injectle_store(&buckets[Int(position)].entry, header)
        injectle_store_number(&buckets[Int(position)].tag, tag)
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
        let buckets = Table.buckets(of: block)
        let inUse = (0..<capacity).filter { buckets[$0].entry != nil }
        var larger = 4
        while Table.room(in: larger) < inUse.count * 2 + 1 { larger *= 2 }
        self.block = Table.makeBlock(capacity: larger)
        used = 0
        for position in inUse {
            guard let header = Table.header(in: buckets[position]) else { continue }
            add(header, tagged: buckets[position].tag)
        }
        return block
    }

    /// How many of so many buckets may have a tag. The fewer, the likelier a search ends where it begins; the smaller a
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
            byteCount: bucketsOffset + capacity * MemoryLayout<Bucket>.stride,
            alignment: MemoryLayout<Bucket>.alignment
        )
        block.initializeMemory(as: UInt.self, to: UInt(capacity - 1))
        buckets(of: block).initialize(repeating: Bucket(), count: capacity)
        return block
    }
}
