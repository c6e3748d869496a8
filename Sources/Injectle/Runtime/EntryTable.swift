public import CInjectle

/// A hash table from tags to the addresses of objects, which readers search without a lock: open addressing with
/// quadratic probing.
///
/// Several objects may share a tag. The table does not retain them; its owner does.
///
/// Invariant: one thread writes at a time, under the lock that guards the table. A bucket's entry is stored before its
/// tag, so a reader that sees the tag sees the entry. A stored tag stays until another block replaces the block;
/// removing an entry leaves null in its bucket. One bucket at least has no tag, so each search ends. Readers load only
/// the mask and the buckets of a block; the address of a kept block is read and written under the lock. The owner frees
/// all blocks, once no reader can search them.
@usableFromInline
@safe
struct EntryTable {
    @usableFromInline
    @safe
    struct Bucket {
        /// The tag, or 0 in a bucket that was never used.
        @usableFromInline var tag: UInt = 0
        /// The address of an object, or null after its removal.
        @usableFromInline var entry: UnsafeMutableRawPointer?
    }

    /// The memory that readers search: the mask, the address of a smaller block that readers may still search, and the
    /// buckets, whose number is a power of two. The mask is the largest offset of a bucket. Nil before the first entry.
    private(set) var block: UnsafeMutableRawPointer?
    /// The number of buckets with a tag.
    private var used = 0

    @usableFromInline static var bucketsOffset: Int {
        @inlinable get { MemoryLayout<Bucket>.stride }
    }

    private static func buckets(of block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Bucket> {
        unsafe (block + bucketsOffset).assumingMemoryBound(to: Bucket.self)
    }

    /// The bucket at an offset in bytes. A search counts in bytes, so that it never multiplies.
    @inlinable
    @inline(__always)
    static func bucket(at offset: UInt, of block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Bucket> {
        unsafe (block + bucketsOffset + Int(bitPattern: offset)).assumingMemoryBound(to: Bucket.self)
    }

    /// The number of buckets in a block.
    private static func capacity(of block: UnsafeMutableRawPointer) -> Int {
        unsafe Int(bitPattern: mask(of: block)) / MemoryLayout<Bucket>.stride + 1
    }

    private static func smaller(of block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        unsafe (block + MemoryLayout<UInt>.size).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// The largest block, in buckets, that the table keeps once it has outgrown it. Small locators are created for each
    /// request, and must not wait for a barrier of all threads; all kept blocks together are smaller than the next one.
    private static let keptCapacity = 64

    /// Calls `body` with the block, and with the smaller ones that the table has kept. It may free them.
    func forEachBlock(_ body: (UnsafeMutableRawPointer) -> Void) {
        var next = unsafe block
        while let block = unsafe next {
            unsafe next = EntryTable.smaller(of: block).pointee
            unsafe body(block)
        }
    }

    @inlinable
    @inline(__always)
    static func mask(of block: UnsafeMutableRawPointer) -> UInt {
        unsafe block.assumingMemoryBound(to: UInt.self).pointee
    }

    /// The tag of a type and the hash of a key.
    @inlinable
    @inline(__always)
    static func tag(of type: Any.Type, hash: Int) -> UInt {
        // Metadata is aligned to words, so an odd number is never the address of a type.
        let multiplier = UInt(truncatingIfNeeded: 0x9E37_79B9_7F4A_7C15 as UInt64)
        return ((UInt(bitPattern: ObjectIdentifier(type)) &* multiplier) ^ UInt(bitPattern: hash)) | 1
    }

    /// The bucket in which the search for a tag begins: its offset, once the mask has taken the bits above.
    ///
    /// The low bits of metadata addresses are alike; multiplying spreads them (Knuth, The Art of Computer Programming 3,
    /// section 6.4). The metadata of types that a program uses one after another often lies at equal distances, which
    /// each multiplier maps to neighboring buckets for some distance. Of half a million random ones, this has the shortest
    /// searches in the worst case of all multiples of 8 bytes up to 2,048, in tables of up to 24,576 entries: 4.5 buckets
    /// in the mean. With 2^64 divided by the golden ratio, it would be 26.
    @inlinable
    @inline(__always)
    static func start(of tag: UInt) -> UInt {
        // Words of 32 bits, as of some watches, have the lower half of the multiplier.
        let product = tag &* UInt(truncatingIfNeeded: 0x7D2A_EAE3_0AB7_AE2D as UInt64)
        return product &>> UInt(UInt.bitWidth / 2 - strideBits)
    }

    /// The number of low bits that are zero in the offset of each bucket.
    @usableFromInline static var strideBits: Int {
        @inlinable get { MemoryLayout<Bucket>.stride.trailingZeroBitCount }
    }

    /// The buckets that a search visits: the first one, then those 1, 3, 6, 10, … buckets after it.
    ///
    /// These are all buckets, as their number is a power of two (Hopgood and Davenport, The Computer Journal 15, 1972).
    /// The second is usually in the cache line of the first. Types at equal distances fill rows of buckets, which steps
    /// of one would follow to the end: the worst case of `start` would be twice as long, and the longest of random
    /// searches three times.
    @usableFromInline
    @frozen
    struct Search {
        /// The offset, with more bits than the mask has.
        @usableFromInline var position: UInt
        @usableFromInline var step: UInt = 0
        @usableFromInline let mask: UInt

        /// The offset of the bucket, in bytes.
        @inlinable var offset: UInt {
            @inline(__always) get { position & mask }
        }

        @inlinable
        @inline(__always)
        init(from position: UInt, mask: UInt) {
            self.position = position
            self.mask = mask
        }

        @inlinable
        @inline(__always)
        init(for tag: UInt, mask: UInt) { self.init(from: start(of: tag), mask: mask) }

        @inlinable
        @inline(__always)
        mutating func advance() {
            step &+= UInt(bitPattern: MemoryLayout<Bucket>.stride)
            position &+= step
        }
    }

    /// The part of a tag's hash that a search needs, 31 bits.
    static func hash(of tag: UInt) -> Int32 { Int32(start(of: tag) &>> UInt(strideBits) & UInt(Int32.max)) }

    /// Returns the first entry with a tag. Called inside a read section.
    @inlinable
    @inline(__always)
    static func find(_ tag: UInt, in block: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        var search = unsafe Search(for: tag, mask: mask(of: block))
        while true {
            let bucket = unsafe bucket(at: search.offset, of: block)
            let found = unsafe injectle_load_number(&bucket.pointee.tag)
            // Most searches end in their first bucket.
            if _fastPath(found == tag), let entry = unsafe injectle_load(&bucket.pointee.entry) { return unsafe entry }
            if found == 0 { return nil }
            search.advance()
        }
    }

    /// Calls `body` with the entries that have a tag, as long as it returns true. Returns whether it did for all of them.
    /// Called inside a read section.
    @inline(__always)
    static func allSatisfy(
        tagged tag: UInt,
        in block: UnsafeMutableRawPointer,
        _ body: (UnsafeMutableRawPointer) -> Bool
    ) -> Bool {
        var search = unsafe Search(for: tag, mask: mask(of: block))
        while true {
            let bucket = unsafe bucket(at: search.offset, of: block)
            let found = unsafe injectle_load_number(&bucket.pointee.tag)
            if found == tag, let entry = unsafe injectle_load(&bucket.pointee.entry) {
                guard unsafe body(entry) else { return false }
            }
            if found == 0 { return true }
            search.advance()
        }
    }

    // MARK: Under the lock

    /// Calls `body` with each entry that has a tag.
    func forEach(tagged tag: UInt, _ body: (UnsafeMutableRawPointer) -> Void) {
        unsafe forEachBucket(tagged: tag) { bucket in
            if let entry = unsafe bucket.pointee.entry { unsafe body(entry) }
        }
    }

    /// Calls `body` with each entry whose tag has a hash.
    func forEach(hash: Int32, _ body: (UnsafeMutableRawPointer) -> Void) {
        guard let block = unsafe block else { return }
        let mask = unsafe EntryTable.mask(of: block)
        unsafe forEachBucket(of: block, in: Search(from: UInt(hash) &<< UInt(EntryTable.strideBits), mask: mask)) {
            bucket in
            if unsafe EntryTable.hash(of: bucket.pointee.tag) == hash, let entry = unsafe bucket.pointee.entry {
                unsafe body(entry)
            }
        }
    }

    /// Calls `body` with each entry.
    func forEach(_ body: (UnsafeMutableRawPointer) -> Void) {
        guard let block = unsafe block else { return }
        let buckets = unsafe EntryTable.buckets(of: block)
        for position in unsafe 0..<EntryTable.capacity(of: block) {
            if let entry = unsafe buckets[position].entry { unsafe body(entry) }
        }
    }

    /// Stores `entry` in the bucket of `old`, which has the same tag, or in a free one.
    ///
    /// - Returns: A large block that the table has outgrown, if any, which readers may still search.
    mutating func put(_ entry: UnsafeMutableRawPointer, tagged tag: UInt, replacing old: UnsafeMutableRawPointer? = nil)
        -> UnsafeMutableRawPointer?
    {
        var free: UnsafeMutablePointer<Bucket>?
        // Without an old entry, this reuses the bucket of a removed entry with the same tag.
        unsafe forEachBucket(tagged: tag) {
            if unsafe free == nil, unsafe $0.pointee.entry == old { unsafe free = unsafe $0 }
        }
        if let free = unsafe free {
            unsafe injectle_store(&free.pointee.entry, entry)
            return nil
        }
        let outgrown = unsafe makeRoom()
        unsafe add(entry, tagged: tag)
        return unsafe outgrown
    }

    func remove(_ entry: UnsafeMutableRawPointer, tagged tag: UInt) {
        unsafe forEachBucket(tagged: tag) { bucket in
            if unsafe bucket.pointee.entry == entry { unsafe injectle_store(&bucket.pointee.entry, nil) }
        }
    }

    private func forEachBucket(tagged tag: UInt, _ body: (UnsafeMutablePointer<Bucket>) -> Void) {
        guard let block = unsafe block else { return }
        unsafe forEachBucket(of: block, in: Search(for: tag, mask: EntryTable.mask(of: block))) { bucket in
            if unsafe bucket.pointee.tag == tag { unsafe body(bucket) }
        }
    }

    /// Calls `body` with each bucket of a search until one that was never used, which it returns.
    @discardableResult
    private func forEachBucket(
        of block: UnsafeMutableRawPointer,
        in search: Search,
        _ body: (UnsafeMutablePointer<Bucket>) -> Void
    ) -> UnsafeMutablePointer<Bucket> {
        var search = search
        while true {
            let bucket = unsafe EntryTable.bucket(at: search.offset, of: block)
            if unsafe bucket.pointee.tag == 0 { return unsafe bucket }
            unsafe body(bucket)
            search.advance()
        }
    }

    private mutating func add(_ entry: UnsafeMutableRawPointer, tagged tag: UInt) {
        guard let block = unsafe block else { return }
        let search = unsafe Search(for: tag, mask: EntryTable.mask(of: block))
        let free = unsafe forEachBucket(of: block, in: search) { _ in }
        unsafe injectle_store(&free.pointee.entry, entry)
        unsafe injectle_store_number(&free.pointee.tag, tag)
        used += 1
    }

    /// Makes room for one more tag. Returns a large block that the table has outgrown, if any.
    private mutating func makeRoom() -> UnsafeMutableRawPointer? {
        guard let block = unsafe block else {
            unsafe self.block = unsafe EntryTable.makeBlock(capacity: EntryTable.leastCapacity)
            return nil
        }
        let capacity = unsafe EntryTable.capacity(of: block)
        guard used + 1 > EntryTable.room(in: capacity) else { return nil }
        let buckets = unsafe EntryTable.buckets(of: block)
        var count = 0
        for position in 0..<capacity where unsafe buckets[position].entry != nil { count += 1 }
        var larger = EntryTable.leastCapacity
        while EntryTable.room(in: larger) < count * 2 { larger *= 2 }
        unsafe self.block = unsafe EntryTable.makeBlock(capacity: larger)
        used = 0
        for position in 0..<capacity {
            if let entry = unsafe buckets[position].entry { unsafe add(entry, tagged: buckets[position].tag) }
        }
        guard let added = unsafe self.block else { return nil }
        let smaller = unsafe EntryTable.smaller(of: block).pointee
        // Each kept block is smaller than the next one, so they are few, however often the table grows again.
        let isKept =
            unsafe capacity <= EntryTable.keptCapacity && capacity < larger
            && smaller.map { unsafe EntryTable.mask(of: $0) < EntryTable.mask(of: block) } ?? true
        unsafe EntryTable.smaller(of: added).pointee = isKept ? block : smaller
        return unsafe isKept ? nil : block
    }

    /// The capacity of the first block, which has room for the entries of most children.
    private static let leastCapacity = 8

    /// The number of buckets, of `capacity`, that may have a tag. The fewer, the more searches end in their first bucket;
    /// small tables can afford to be emptier.
    private static func room(in capacity: Int) -> Int {
        switch capacity {
        case ...16: capacity / 2
        case ...128: capacity / 4
        case ...2048: capacity / 2
        default: capacity / 4 * 3
        }
    }

    private static func makeBlock(capacity: Int) -> UnsafeMutableRawPointer {
        let count = bucketsOffset + capacity * MemoryLayout<Bucket>.stride
        let block = unsafe injectle_allocate(count, MemoryLayout<Bucket>.alignment)
        unsafe block.initializeMemory(as: UInt.self, to: UInt((capacity - 1) * MemoryLayout<Bucket>.stride))
        unsafe smaller(of: block).initialize(to: nil)
        unsafe buckets(of: block).initialize(repeating: Bucket(), count: capacity)
        return unsafe block
    }
}
