public import CInjectle

/// The entries of a locator by type, which readers search without a lock: open addressing with linear probing.
///
/// Invariants: `words` is the address of an array: its mask, then pairs of a type and its entry. One thread at a time
/// inserts, under the lock of the locator. A pair is written once, the type last, so a reader that finds the type finds the
/// entry. The table retains its entries until it is freed, with the locator, and keeps the arrays that it has outgrown for
/// readers that still search them: together they are smaller than the last one. The locator of a table retains its parent,
/// and so the parent's table.
@usableFromInline
@safe
final class TypeTable: @unchecked Sendable {
    // Sound to share: see the invariants.

    @usableFromInline typealias Words = UnsafeMutablePointer<UInt>

    @safe @exclusivity(unchecked) @usableFromInline var words: UInt = 0
    private var outgrown: [Words] = unsafe []
    private var count = 0
    /// The table of the parent.
    private let parent: Borrowed<TypeTable>?

    init(below parent: TypeTable?) {
        self.parent = parent.map { Borrowed($0) }
    }

    deinit {
        guard let words = unsafe Words(bitPattern: words) else { return }
        for entry in entries { unsafe Unmanaged.passUnretained(entry).release() }
        unsafe words.deallocate()
        unsafe outgrown.forEach { unsafe $0.deallocate() }
    }

    /// The entry of a type.
    @usableFromInline func find(_ type: Any.Type) -> Entry? { unsafe own(type)?.takeUnretainedValue() }

    /// The entry of a type, here or in the nearest ancestor that has a registration. It can be empty.
    @usableFromInline func findNearest(_ type: Any.Type) -> Entry? {
        unsafe (own(type) ?? inherited(type))?.takeUnretainedValue()
    }

    /// Reads the nearest entry. It is not retained, since the caller retains the locator.
    @inlinable @inline(__always)
    func readNearest<Value>(_ type: Any.Type, _ read: (Entry) -> Value?) -> Value? {
        guard let entry = unsafe own(type) ?? inherited(type) else { return nil }
        return unsafe entry._withUnsafeGuaranteedRef(read)
    }

    /// The entry of a type in this table, not retained.
    @inlinable @inline(__always)
    func own(_ type: Any.Type) -> Unmanaged<Entry>? {
        let type = UInt(bitPattern: ObjectIdentifier(type))
        guard let words = unsafe Words(bitPattern: injectle_load(&words)) else { return nil }
        let mask = unsafe words[0]
        var index = TypeTable.hash(type) & mask
        while true {
            let found = unsafe injectle_load(words + Int(bitPattern: 1 &+ 2 &* index))
            if found == type { return unsafe TypeTable.entry(words[Int(bitPattern: 2 &+ 2 &* index)]) }
            if found == 0 { return nil }
            index = (index &+ 1) & mask
        }
    }

    /// The entry of a type with a registration, in the nearest ancestor that has one, not retained.
    @usableFromInline func inherited(_ type: Any.Type) -> Unmanaged<Entry>? {
        var next = parent
        while let table = next {
            let entry = unsafe table.read { unsafe $0.own(type) }
            if let entry = unsafe entry, unsafe entry._withUnsafeGuaranteedRef({ !$0.isEmpty }) { return unsafe entry }
            next = table.read(\.parent)
        }
        return nil
    }

    /// The upper half of a product of 64 bits, also where an address has 32.
    @inlinable @inline(__always)
    static func hash(_ type: UInt) -> UInt {
        UInt(truncatingIfNeeded: (UInt64(type >> 3) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    @inlinable @inline(__always)
    static func entry(_ address: UInt) -> Unmanaged<Entry> {
        unsafe .fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
    }

    /// Inserts the entry of a type that has none. The lock of the locator is held.
    func insert(_ entry: Entry, for type: Any.Type) {
        var words = unsafe Words(bitPattern: words)
        if unsafe words.map({ unsafe (count + 1) * 4 > Int($0[0] + 1) * 3 }) ?? true { unsafe words = grow(words) }
        guard let words = unsafe words else { return }
        let address = unsafe UInt(bitPattern: Unmanaged.passRetained(entry).toOpaque())
        unsafe TypeTable.put(UInt(bitPattern: ObjectIdentifier(type)), address, in: words)
        count += 1
    }

    private func grow(_ old: Words?) -> Words {
        let capacity = unsafe old.map { unsafe Int($0[0] + 1) * 2 } ?? 4
        let grown = Words.allocate(capacity: 1 + 2 * capacity)
        unsafe grown.initialize(repeating: 0, count: 1 + 2 * capacity)
        unsafe grown[0] = UInt(capacity - 1)
        if let old = unsafe old {
            for index in unsafe 0...Int(old[0]) where unsafe old[1 + 2 * index] != 0 {
                unsafe TypeTable.put(old[1 + 2 * index], old[2 + 2 * index], in: grown)
            }
            unsafe outgrown.append(old)
        }
        unsafe injectle_store(&words, UInt(bitPattern: grown))
        return unsafe grown
    }

    private static func put(_ type: UInt, _ entry: UInt, in words: Words) {
        var index = unsafe hash(type) & words[0]
        while unsafe words[Int(1 + 2 * index)] != 0 { index = unsafe (index + 1) & words[0] }
        unsafe words[Int(2 + 2 * index)] = entry
        unsafe injectle_store(words + Int(1 + 2 * index), type)
    }

    /// All entries, in no order. The lock of the locator is held.
    var entries: [Entry] {
        guard let words = unsafe Words(bitPattern: words) else { return [] }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        for index in unsafe 0...Int(words[0]) where unsafe words[1 + 2 * index] != 0 {
            entries.append(unsafe TypeTable.entry(words[2 + 2 * index]).takeUnretainedValue())
        }
        return entries
    }
}
