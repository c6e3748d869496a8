/// A cell that has ended with an instance, or a registration that has ended: one step of an ending.
struct EndingItem: Sendable {
    let record: AnyRecord
    /// The order of creation; 0 if there is no instance.
    let order: UInt
    /// The cell and its holder. Nil for a registration without a cell, as of an eager value, which its record retains.
    var cell: Cell?
    var holder: (any CellHolder)?
    /// Whether the registration leaves its entries, after all of its instances.
    var emptiesEntries = false

    /// The locator of the instance.
    var core: LocatorCore { LocatorCore.owner(of: record, in: holder) }

    /// Whether it has an instance with disposers.
    var hasDisposers: Bool { cell != nil && record.traits.hasDisposers }

    /// Whether its instance was created on the main actor, and is released there.
    var isOfMainActor: Bool {
        guard let cell, order > 0, !cell.key.isWeak else { return false }
        return record.traits.isolation.isMainActor
    }

    /// The instance, if it has disposers. The cell owns it until its turn comes: the services that were created later
    /// have been disposed of then.
    var disposable: AnyInstance? {
        let instance = cell?.state.withLock { $0.owned }
        return instance?.disposal == nil ? nil : instance
    }

    /// Runs the disposers. Returns false if they cannot all run here at once.
    func disposeHere() -> Bool {
        guard let cell, let instance = disposable else { return true }
        return instance.disposal?.runHere(on: instance, disownedBy: cell) ?? true
    }

    /// Releases the instance, which no other variable retains.
    // A call would copy the item.
    @inline(__always)
    func release() {
        let core: LocatorCore = record.core
        let instance = cell?.state.withLock { $0.release() }
        if emptiesEntries {
            let emptied = core.empty(record)
            return withExtendedLifetime((instance, emptied)) {}
        }
        let hidden = record.traits.lifetime.isShown ? core.hideInstance(of: record) : []
        if let cell { holder?.remove(cell) }
        // Another ending has removed the registration meanwhile.
        let emptied = record.isEnded ? core.emptyIfLeft(record) : nil
        withExtendedLifetime((instance, hidden, emptied)) {}
    }
}

extension [EndingItem] {
    /// Sorts items in order of creation, unless they are.
    mutating func sortByCreation() {
        if count < 2 { return }
        for index in indices.dropFirst() where self[index].order < self[index - 1].order {
            return sort { $0.order < $1.order }
        }
    }

    /// Runs disposers in reverse order of creation, up to the first one that has to run elsewhere. Returns the number
    /// of items that are left.
    func disposeHere() -> Int {
        var left = count
        while left > 0 {
            if self[left - 1].hasDisposers, !self[left - 1].disposeHere() { return left }
            left -= 1
        }
        return 0
    }

    /// Releases instances, the last one first, down to a number of items, or to the first one that belongs elsewhere.
    mutating func releaseHere(downTo left: Int) {
        while count > left {
            if self[count - 1].isOfMainActor, !ClosureIsolation.mainActor.isHere { return }
            if let item = popLast() { item.release() }
        }
    }
}

extension LocatorCore {
    /// The locator of the instances of a registration in a holder: the holder, or the creator of graph instances, or
    /// the registering locator, whichever is below the other.
    static func owner(of record: AnyRecord, in holder: (any CellHolder)?) -> LocatorCore {
        guard let core = holder as? LocatorCore ?? (holder as? CellList)?.core,
            core.chain.contains(where: { $0 === record.core })
        else { return record.core }
        return core
    }
}
