/// The slots of one locator: by identity, where readers search, and by the key alone.
///
/// Invariant: touched under the lock of the core that has it, but for the block of `table`, which readers reach through
/// the core's head. It owns its slots: each is retained once for being in it, by whoever puts it in and takes it out.
struct SlotIndex {
    /// By the tag of the identity.
    private var table = Table()
    /// Those with a key, by the tag of that alone. Only looked at under the lock.
    private var keyed = Table()

    /// What readers search.
    var block: UnsafeMutableRawPointer? { table.block }

    /// All slots, in no order.
    var all: [Slot] { table.slots }

    /// Slots whose identities share a tag, derived ones included.
    func slots(tagged tag: UInt) -> [Slot] {
        table.slots(tagged: tag)
    }

    /// Slots that are registered under a key with the hash of this one.
    func registered(under label: ServiceKey.Label) -> [Slot] {
        keyed.slots(tagged: label.tag).filter { $0.standing == .registered }
    }

    /// Slots that were found by a key with the hash of this one.
    func derived(under label: ServiceKey.Label) -> [Slot] {
        keyed.slots(tagged: label.tag).filter { $0.standing == .derived }
    }

    /// What an identity may replace, or a check may ask about.
    func taken(under identity: ServiceKey) -> [Slot] {
        identity.label.map { registered(under: $0) } ?? slots(tagged: identity.tag)
    }

    /// Whether an identity may replace anything.
    func isTaken(_ identity: ServiceKey) -> Bool {
        identity.label.map { keyed.hasRegistered(tagged: $0.tag) } ?? table.hasRegistered(tagged: identity.tag)
    }

    /// Puts a slot in, in the place of another if there is one. Returns the block that was outgrown by it, if any,
    /// which readers may still search.
    mutating func put(_ slot: Slot, replacing old: Slot?) -> UnsafeMutableRawPointer? {
        if let label = slot.identity.label { keyed.put(slot, tagged: label.tag, replacing: old)?.deallocate() }
        return table.put(slot, tagged: slot.identity.tag, replacing: old)
    }

    /// Takes a slot out. It is still retained for having been in.
    func remove(_ slot: Slot) {
        table.remove(slot, tagged: slot.identity.tag)
        if let label = slot.identity.label { keyed.remove(slot, tagged: label.tag) }
    }

    /// Takes everything out. Returns the slots, still retained for having been in, and the block that readers may still
    /// search.
    mutating func removeAll() -> (slots: [Slot], block: UnsafeMutableRawPointer?) {
        defer {
            keyed.block?.deallocate()
            self = SlotIndex()
        }
        return (all, block)
    }

    /// Frees all of it. Nobody searches any more.
    mutating func destroy() {
        table.forEach { $0.release() }
        table.block?.deallocate()
        keyed.block?.deallocate()
        self = SlotIndex()
    }
}
