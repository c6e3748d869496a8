internal import CInjectle

/// The entries of one locator, by identity and by the key alone.
///
/// Invariant: the lock of the core guards the index, except for the block of `table`, which readers reach through the
/// core's header. The index retains each entry once: code that inserts an entry retains it, code that removes it releases
/// it.
struct EntryIndex {
    /// By the tag of the identity.
    private var table = EntryTable()
    /// The entries with a key, by the tag of the key alone.
    private var keyed = EntryTable()

    /// The block that readers search by the tags of identities.
    var block: UnsafeMutableRawPointer? { unsafe table.block }

    /// All entries, in no order.
    var all: [Entry] {
        var all: [Entry] = []
        forEach { all.append($0) }
        return all
    }

    /// Calls `body` with all entries, in no order. It must not change the index.
    func forEach(_ body: (Entry) -> Void) {
        unsafe table.forEach { unsafe EntryIndex.entry($0)._withUnsafeGuaranteedRef(body) }
    }

    /// The entries whose identities share a tag, key aliases included.
    func entries(tagged tag: UInt) -> [Entry] {
        EntryIndex.entries(tagged: tag, in: table)
    }

    /// The registered entries of the record with a serial and an identity whose tag has a hash. Nil if that identity, or
    /// another one of the record, leads to another registration.
    func entries(ofRecord serial: Int32, hash: Int32) -> [Entry]? {
        var record: RegistrationRecord?
        unsafe table.forEach(hash: hash) { address in
            let entry = unsafe EntryIndex.entry(address).takeUnretainedValue()
            if entry.role == .registered, entry.record.serial == serial { record = entry.record }
        }
        guard let record else { return nil }
        let found = Set(record.identities.map(\.tag)).flatMap { entries(tagged: $0) }
            .filter { $0.role == .registered && $0.record === record }
        // A decorator can have taken one of its identities.
        return found.count == Int(record.entries) ? found : nil
    }

    private static func entry(_ address: UnsafeMutableRawPointer) -> Unmanaged<Entry> { unsafe .fromOpaque(address) }

    private static func entries(tagged tag: UInt, in table: EntryTable) -> [Entry] {
        var entries: [Entry] = []
        unsafe table.forEach(tagged: tag) { unsafe entries.append(entry($0).takeUnretainedValue()) }
        return entries
    }

    /// The entries with a role whose keys have the hash of this one.
    func entries(under userKey: Locator.Identity.KeyPart, _ role: EntryHeader.Role = .registered) -> [Entry] {
        var entries: [Entry] = []
        unsafe EntryIndex.forEach(role, tagged: userKey.tag, in: keyed) { entry in
            unsafe entries.append(entry.takeUnretainedValue())
        }
        return entries
    }

    /// The registered entries that an identity can replace, or that a check applies to, before keys are compared: with
    /// the hash of its key, or with its tag if it has no key.
    func candidates(for identity: Locator.Identity) -> [Entry] {
        var candidates: [Entry] = []
        unsafe forEachCandidate(for: identity) { unsafe candidates.append($0.takeUnretainedValue()) }
        return candidates
    }

    /// Whether these are the candidates of an identity.
    func areCandidates(_ candidates: [Entry], for identity: Locator.Identity) -> Bool {
        var count = 0
        unsafe forEachCandidate(for: identity) { entry in
            if candidates.indices.contains(count), unsafe entry.toOpaque() == candidates[count].address {
                count += 1
            } else {
                count = -1
            }
        }
        return count == candidates.count
    }

    /// Whether an identity has any candidates.
    func isTaken(_ identity: Locator.Identity) -> Bool {
        var isTaken = false
        unsafe forEachCandidate(for: identity) { _ in isTaken = true }
        return isTaken
    }

    private func forEachCandidate(for identity: Locator.Identity, _ body: (Unmanaged<Entry>) -> Void) {
        let (table, tag) = identity.userKey.map { (keyed, $0.tag) } ?? (table, identity.tag)
        unsafe EntryIndex.forEach(.registered, tagged: tag, in: table, body)
    }

    /// Calls `body` with the entries that have a role, without retaining the others.
    private static func forEach(
        _ role: EntryHeader.Role,
        tagged tag: UInt,
        in table: EntryTable,
        _ body: (Unmanaged<Entry>) -> Void
    ) {
        unsafe table.forEach(tagged: tag) { address in
            let entry = unsafe entry(address)
            if unsafe entry.withHeader({ unsafe $0.pointee.role == role }) { unsafe body(entry) }
        }
    }

    /// Inserts an entry, which it takes over with its reference, or replaces another one by it. Returns a large block that
    /// it outgrew, which readers can still search.
    mutating func put(_ entry: Unmanaged<Entry>, replacing old: Entry?) -> UnsafeMutableRawPointer? {
        let (address, tag, hasKey) = unsafe entry._withUnsafeGuaranteedRef {
            unsafe ($0.address, $0.tag, $0.identity.keyPart != nil)
        }
        if hasKey, let userKey = unsafe entry._withUnsafeGuaranteedRef(\.identity.userKey) {
            unsafe keyed.put(address, tagged: userKey.tag, replacing: old?.address).map(injectle_free)
        }
        return unsafe table.put(address, tagged: tag, replacing: old?.address)
    }

    /// Removes an entry, which stays retained.
    func remove(_ entry: Entry) {
        unsafe table.remove(entry.address, tagged: entry.tag)
        if let userKey = entry.identity.userKey { unsafe keyed.remove(entry.address, tagged: userKey.tag) }
    }

    /// Removes all. Returns the entries, which stay retained, and the blocks, which readers can still search.
    mutating func removeAll() -> (entries: [Entry], blocks: [UnsafeMutableRawPointer]) {
        defer {
            unsafe keyed.forEachBlock { unsafe injectle_free($0) }
            self = EntryIndex()
        }
        var blocks: [UnsafeMutableRawPointer] = unsafe []
        unsafe table.forEachBlock { unsafe blocks.append($0) }
        return unsafe (all, blocks)
    }

    /// Releases all, once there are no readers.
    mutating func destroy() {
        unsafe table.forEach { unsafe EntryIndex.entry($0).release() }
        unsafe table.forEachBlock { unsafe injectle_free($0) }
        unsafe keyed.forEachBlock { unsafe injectle_free($0) }
        self = EntryIndex()
    }
}
