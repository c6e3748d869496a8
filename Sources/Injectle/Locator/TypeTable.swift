internal import CInjectle

/// Objects by type, which readers search without a lock: open addressing with linear probing.
///
/// Invariants: `words` is the address of an array: its mask, the address of the array that it has outgrown, then pairs
/// of a type and its object. One thread at a time inserts, under a lock of its owner. A pair is written once, the type
/// last, so a reader that finds the type finds the object. The table retains its objects until it is freed, and keeps
/// the arrays that it has outgrown for readers that still search them: together they are smaller than the last one. The
/// owner of a table retains the parent, if there is one.
@safe
final class TypeTable<Value: AnyObject & Sendable>: @unchecked Sendable {
    // Sound to share: see the invariants.

    typealias Words = UnsafeMutablePointer<UInt>

    @safe @exclusivity(unchecked) private var words: UInt = 0
    private(set) var count = 0
    /// The table of the parent.
    let parent: Borrowed<TypeTable>?

    init(below parent: TypeTable? = nil) {
        self.parent = parent.map { Borrowed($0) }
    }

    deinit {
        guard let words = unsafe Words(bitPattern: words) else { return }
        for index in unsafe 0...Int(words[0]) where unsafe words[2 + 2 * index] != 0 {
            unsafe TypeTable.object(words[3 + 2 * index]).release()
        }
        var next = unsafe Words?(words)
        while let words = unsafe next {
            unsafe next = unsafe Words(bitPattern: words[1])
            unsafe words.deallocate()
        }
    }

    /// The object of a type.
    func value(of type: Any.Type) -> Value? { unsafe unretained(type)?.takeUnretainedValue() }

    /// Reads the object of a type. It is not retained, since the caller retains the table.
    func read<Result>(_ type: Any.Type, _ body: (Value) -> Result) -> Result? {
        unsafe unretained(type)?._withUnsafeGuaranteedRef(body)
    }

    /// The object of a type, not retained.
    @inline(__always)
    func unretained(_ type: Any.Type) -> Unmanaged<Value>? {
        let type = UInt(bitPattern: ObjectIdentifier(type))
        guard let words = unsafe Words(bitPattern: injectle_load(&words)) else { return nil }
        let mask = unsafe words[0]
        var index = TypeTable.hash(type) & mask
        while true {
            let found = unsafe injectle_load(words + Int(bitPattern: 2 &+ 2 &* index))
            if found == type { return unsafe TypeTable.object(words[Int(bitPattern: 3 &+ 2 &* index)]) }
            if found == 0 { return nil }
            index = (index &+ 1) & mask
        }
    }

    /// The upper half of a product of 64 bits, also where an address has 32.
    @inline(__always)
    static func hash(_ type: UInt) -> UInt {
        UInt(truncatingIfNeeded: (UInt64(type >> 3) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    @inline(__always)
    static func object(_ address: UInt) -> Unmanaged<Value> {
        unsafe .fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
    }

    /// Inserts the object of a type that has none. The lock of the owner is held.
    func insert(_ value: Value, for type: Any.Type) {
        var words = unsafe Words(bitPattern: words)
        if unsafe words.map({ unsafe (count + 1) * 4 > Int($0[0] + 1) * 3 }) ?? true { unsafe words = grow(words) }
        guard let words = unsafe words else { return }
        let address = unsafe UInt(bitPattern: Unmanaged.passRetained(value).toOpaque())
        unsafe TypeTable.put(UInt(bitPattern: ObjectIdentifier(type)), address, in: words)
        count += 1
    }

    private func grow(_ old: Words?) -> Words {
        let capacity = unsafe old.map { unsafe Int($0[0] + 1) * 2 } ?? 4
        let grown = Words.allocate(capacity: 2 + 2 * capacity)
        unsafe grown.initialize(repeating: 0, count: 2 + 2 * capacity)
        unsafe grown[0] = UInt(capacity - 1)
        if let old = unsafe old {
            unsafe grown[1] = UInt(bitPattern: old)
            for index in unsafe 0...Int(old[0]) where unsafe old[2 + 2 * index] != 0 {
                unsafe TypeTable.put(old[2 + 2 * index], old[3 + 2 * index], in: grown)
            }
        }
        unsafe injectle_store(&words, UInt(bitPattern: grown))
        return unsafe grown
    }

    private static func put(_ type: UInt, _ value: UInt, in words: Words) {
        var index = unsafe hash(type) & words[0]
        while unsafe words[Int(2 + 2 * index)] != 0 { index = unsafe (index + 1) & words[0] }
        unsafe words[Int(3 + 2 * index)] = value
        unsafe injectle_store(words + Int(2 + 2 * index), type)
    }

    /// All objects, in no order. The lock of the owner is held.
    var values: [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        forEach { values.append($0) }
        return values
    }

    /// Calls `body` for each object, in no order. The lock of the owner is held.
    func forEach(_ body: (Value) -> Void) {
        guard let words = unsafe Words(bitPattern: words) else { return }
        for index in unsafe 0...Int(words[0]) where unsafe words[2 + 2 * index] != 0 {
            unsafe TypeTable.object(words[3 + 2 * index])._withUnsafeGuaranteedRef(body)
        }
    }
}

extension TypeTable where Value == Entry {
    /// Whether there is a parent, and it has no entry of a type.
    @inline(__always)
    func isNewInParent(_ type: Any.Type) -> Bool {
        parent?.read { unsafe $0.unretained(type) == nil } ?? false
    }

    /// The entry of a type with a registration, here or in the nearest ancestor that has one.
    func registered(_ type: Any.Type) -> Entry? {
        if let entry = value(of: type), !entry.isEmpty { return entry }
        return unsafe registeredAbove(type)?.takeUnretainedValue()
    }

    /// The entry of a type here, or, if that is empty, with a registration in the nearest ancestor that has one.
    @inline(__always)
    func readable(_ type: Any.Type) -> Borrowed<Entry>? {
        if let own = unsafe unretained(type) {
            let isHiding = unsafe parent == nil || own._withUnsafeGuaranteedRef { !$0.isEmpty }
            if isHiding { return unsafe Borrowed(own) }
        }
        return unsafe registeredAbove(type).map { unsafe Borrowed($0) }
    }

    /// The entry of a type with a registration, in the nearest ancestor that has one, not retained.
    func registeredAbove(_ type: Any.Type) -> Unmanaged<Entry>? {
        var next = parent
        while let table = next {
            let entry = unsafe table.read { unsafe $0.unretained(type) }
            if let entry = unsafe entry, unsafe entry._withUnsafeGuaranteedRef({ !$0.isEmpty }) { return unsafe entry }
            next = table.read(\.parent)
        }
        return nil
    }
}
