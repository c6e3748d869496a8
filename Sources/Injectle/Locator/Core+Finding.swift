// How a core looks a service up. None of it touches what is guarded, but through what `Core` offers.

extension Core {
    /// The slot that a service is found by: under its identity, from here up to the root; else under its key alone, in the
    /// same order, and then the latest.
    func find(_ identity: ServiceKey) -> Slot? {
        guard let label = identity.label else { return slot(tagged: identity.tag) }
        let tag = identity.tag
        for core in chain {
            // A slot that was derived counts in a locator without a parent, where nothing can stand behind it.
            let countsDerived = core === self && core.parent == nil
            let slot = core.slot(tagged: tag) { slot in
                (slot.standing == .registered || countsDerived) && slot.identity == identity
            }
            if let slot { return slot }
        }
        for core in chain {
            guard let slot = core.slots(under: label).last else { continue }
            if core === self, core.parent == nil, let derived = remember(identity, from: slot) { return derived }
            return Slot.make(
                identity: identity,
                record: slot.record,
                core: core,
                order: slot.order,
                standing: .transient
            )
        }
        return nil
    }

    /// The slot of an identity without a key, from here up to the root.
    private func slot(tagged tag: UInt) -> Slot? {
        reading {
            CoreHead.find(tag, from: head)?.pointee.owner.takeUnretainedValue()
        }
    }

    /// The first slot of this locator alone that has a tag and is the one that is looked for. The question may run code of
    /// a user, so it is asked of each candidate after the read that found it.
    private func slot(tagged tag: UInt, where isWanted: (Slot) -> Bool) -> Slot? {
        let candidate = reading { CoreHead.findOwn(tag, in: head)?.pointee.owner.takeUnretainedValue() }
        guard let candidate else { return nil }
        if isWanted(candidate) { return candidate }
        // Two identities with one tag: rare enough for the lock.
        return slots(tagged: tag).first(where: isWanted)
    }
}
