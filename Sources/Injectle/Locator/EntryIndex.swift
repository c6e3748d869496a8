/// The entries of one locator: by identity, where readers search, and by the key alone.
///
/// Invariant: touched under the lock of the core that has it, but for the block of `table`, which readers reach through
/// the core's header. It owns its entries: each is retained once for being in it, by whoever puts it in and takes it out.
struct EntryIndex {
    /// By the tag of the identity.
    private var table = EntryTable()
    /// Those with a key, by the tag of that alone. Only looked at under the lock.
    private var keyed = EntryTable()

    /// What readers search.
    var block: UnsafeMutableRawPointer? { table.block }

    /// All entries, in no order.
    var all: [Entry] {
        var all: [Entry] = []
        table.forEach { all.append(EntryIndex.entry($0).takeUnretainedValue()) }
        return all
    }

    /// Slots whose identities share a tag, derived ones included.
    func entries(tagged tag: UInt) -> [Entry] {
        EntryIndex.entries(tagged: tag, in: table)
    }

    /// The registered entries of the record with a serial and an identity whose tag has a hash. Nil if no such identity is
    /// registered any more.
    func entries(ofRecord serial: Int32, hash: Int32) -> [Entry]? {
        var record: RegistrationRecord?
        table.forEach(hash: hash) { address in
            let entry = EntryIndex.entry(address).takeUnretainedValue()
            if entry.role == .registered, entry.record.serial == serial { record = entry.record }
        }
        guard let record else { return nil }
        return Set(record.identities.map(\.tag)).flatMap { entries(tagged: $0) }
            .filter { $0.role == .registered && $0.record === record }
    }

    private static func entry(_ address: UnsafeMutableRawPointer) -> Unmanaged<Entry> { .fromOpaque(address) }

    private static func entries(tagged tag: UInt, in table: EntryTable) -> [Entry] {
        var entries: [Entry] = []
        table.forEach(tagged: tag) { entries.append(entry($0).takeUnretainedValue()) }
        return entries
    }

    private static func hasRegistered(tagged tag: UInt, in table: EntryTable) -> Bool {
        var isFound = false
        table.forEach(tagged: tag) { if entry($0).withHeader({ $0.pointee.role == .registered }) { isFound = true } }
        return isFound
    }

    /// Slots that are registered under a key with the hash of this one.
    func registered(under userKey: ServiceKey.KeyPart) -> [Entry] {
        EntryIndex.entries(tagged: userKey.tag, in: keyed).filter { $0.role == .registered }
    }

    /// Slots that were found by a key with the hash of this one.
    func keyAlias(under userKey: ServiceKey.KeyPart) -> [Entry] {
        EntryIndex.entries(tagged: userKey.tag, in: keyed).filter { $0.role == .keyAlias }
    }

    /// What an identity may replace, or a check may ask about.
    func taken(under identity: ServiceKey) -> [Entry] {
        identity.userKey.map { registered(under: $0) } ?? entries(tagged: identity.tag)
    }

    /// Whether an identity may replace anything.
    func isTaken(_ identity: ServiceKey) -> Bool {
        identity.userKey.map { EntryIndex.hasRegistered(tagged: $0.tag, in: keyed) }
            ?? EntryIndex.hasRegistered(tagged: identity.tag, in: table)
    }

    /// Puts a entry in, in the place of another if there is one. Returns the block that was outgrown by it, if any,
    /// which readers may still search.
    mutating func put(_ entry: Entry, replacing old: Entry?) -> UnsafeMutableRawPointer? {
        if let userKey = entry.identity.userKey {
            keyed.put(entry.address, tagged: userKey.tag, replacing: old?.address)?.deallocate()
        }
        return table.put(entry.address, tagged: entry.identity.tag, replacing: old?.address)
    }

    /// Takes a entry out. It is still retained for having been in.
    func remove(_ entry: Entry) {
        table.remove(entry.address, tagged: entry.identity.tag)
        if let userKey = entry.identity.userKey { keyed.remove(entry.address, tagged: userKey.tag) }
    }

    /// Takes everything out. Returns the entries, still retained for having been in, and the block that readers may still
    /// search.
    mutating func removeAll() -> (entries: [Entry], block: UnsafeMutableRawPointer?) {
        defer {
            keyed.block?.deallocate()
            self = EntryIndex()
        }
        return (all, block)
    }

    /// Frees all of it. Nobody searches any more.
    mutating func destroy() {
        table.forEach { EntryIndex.entry($0).release() }
        table.block?.deallocate()
        keyed.block?.deallocate()
        self = EntryIndex()
    }
}
