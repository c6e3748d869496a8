/// The entries of one locator: by identity, where readers search, and by the key alone.
///
/// Invariant: touched under the lock of the core that has it, but for the block of `table`, which readers reach through
/// the core's header. It owns its entries: each is retained once for being in it, by whoever puts it in and takes it out.
struct EntryIndex {
    /// By the tag of the identity.
    private var table = Table()
    /// Those with a key, by the tag of that alone. Only looked at under the lock.
    private var keyed = Table()

    /// What readers search.
    var block: UnsafeMutableRawPointer? { table.block }

    /// All entries, in no order.
    var all: [Entry] { table.entries }

    /// Slots whose identities share a tag, derived ones included.
    func entries(tagged tag: UInt) -> [Entry] {
        table.entries(tagged: tag)
    }

    /// Slots that are registered under a key with the hash of this one.
    func registered(under userKey: ServiceKey.UserKey) -> [Entry] {
        keyed.entries(tagged: userKey.tag).filter { $0.role == .registered }
    }

    /// Slots that were found by a key with the hash of this one.
    func keyAlias(under userKey: ServiceKey.UserKey) -> [Entry] {
        keyed.entries(tagged: userKey.tag).filter { $0.role == .keyAlias }
    }

    /// What an identity may replace, or a check may ask about.
    func taken(under identity: ServiceKey) -> [Entry] {
        identity.userKey.map { registered(under: $0) } ?? entries(tagged: identity.tag)
    }

    /// Whether an identity may replace anything.
    func isTaken(_ identity: ServiceKey) -> Bool {
        identity.userKey.map { keyed.hasRegistered(tagged: $0.tag) } ?? table.hasRegistered(tagged: identity.tag)
    }

    /// Puts a entry in, in the place of another if there is one. Returns the block that was outgrown by it, if any,
    /// which readers may still search.
    mutating func put(_ entry: Entry, replacing old: Entry?) -> UnsafeMutableRawPointer? {
        if let userKey = entry.identity.userKey { keyed.put(entry, tagged: userKey.tag, replacing: old)?.deallocate() }
        return table.put(entry, tagged: entry.identity.tag, replacing: old)
    }

    /// Takes a entry out. It is still retained for having been in.
    func remove(_ entry: Entry) {
        table.remove(entry, tagged: entry.identity.tag)
        if let userKey = entry.identity.userKey { keyed.remove(entry, tagged: userKey.tag) }
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
        table.forEach { $0.release() }
        table.block?.deallocate()
        keyed.block?.deallocate()
        self = EntryIndex()
    }
}
