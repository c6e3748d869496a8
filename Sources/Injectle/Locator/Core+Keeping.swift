// What a core keeps of what it makes, and what of that readers see.

extension Core: CellHolder {
    func withCell(
        of record: Record,
        for asking: Core,
        given key: Arguments.Key?,
        _ body: (Cell) -> Void
    ) -> Bool {
        lock.withLock {
            guard record.slots > 0 else { return false }
            let id = ObjectIdentifier(record)
            if let cell = cells[id] {
                body(cell)
            } else {
                let cell = Cell(for: record, given: record.given)
                cells[id] = cell
                body(cell)
            }
            return true
        }
    }

    /// The closure of a record that is kept here, as long as it has not been let go of.
    func make(of record: Record) -> Make? {
        lock.withLock { record.makeOnce }
    }

    /// The same of one that is made in a task.
    func makeInTask(of record: Record) -> MakeInTask? {
        lock.withLock { record.makeInTask }
    }

    func succeed(_ cell: Cell, with instance: Instance) -> Cell.Ended {
        let record = cell.record
        // Casts may call the code that conforms a type; they are done before the lock is taken.
        let forms = record.kind.isShared ? record.identities.map { instance.cast(to: $0.type) } : []
        var garbage = Garbage()
        let ended = lock.withLock {
            let ended = Cell.Ended(cell.state.succeed(with: instance))
            guard ended.isKept else { return ended }
            for (identity, form) in zip(record.identities, forms) {
                guard let form else { continue }
                for slot in index.slots(tagged: identity.tag) where slot.record === record { publish(form, in: slot) }
            }
            if !noteMade(instance, in: cell), !record.isResettable { record.release(&garbage) }
            return ended
        }
        garbage.dispose()
        return ended
    }

    func fail(_ cell: Cell) -> Cell.Ended {
        lock.withLock { Cell.Ended(cell.state.fail()) }
    }

    func leave(_ cell: Cell, _ waiter: Cell.Waiter) -> Bool {
        lock.withLock { cell.state.leave(waiter) }
    }

    func publish(_ form: Instance, in slot: Slot) {
        guard form.type == slot.identity.type, slot.record.kind.isShared || slot.standing == .own else { return }
        // In a strict locator, each read of what may not cross actors is looked at.
        if !slot.record.isSendable, policy == .strict, slot.record.place.isActor { return }
        slot.publish(form)
    }

    func drop(_ record: Record, given key: Arguments.Key?) {
        let garbage = lock.withLock {
            var garbage = Garbage()
            if let cell = cells[ObjectIdentifier(record)] { discard(cell, &garbage) }
            return garbage
        }
        garbage.dispose()
    }

    /// Lets go of what was made in a cell. The lock is held.
    func discard(_ cell: Cell, _ garbage: inout Garbage) {
        // Who is about to replace a slot looks at it again: it may be another now.
        revision += 1
        garbage.add(kept: cell.state.discard())
        // What readers have seen is never replaced, so they get other slots to look into.
        for identity in cell.record.identities {
            for slot in index.slots(tagged: identity.tag) where slot.record === cell.record { renew(slot, &garbage) }
            if let label = identity.label { forgetDerived(under: label, &garbage) }
        }
    }

    /// What this locator keeps besides, for lifetimes that ask for it.
    var store: Store {
        lock.withLock {
            if let furtherStore { return furtherStore }
            let store = Store(of: self, hasEnded: isGone)
            furtherStore = store
            return store
        }
    }

    /// Keeps the form of a service that an identity asks for, for the next who read it.
    ///
    /// - Parameter made: The service as it was made, which may have been dropped since.
    func keep(_ form: Instance, of made: Instance, in slot: Slot) {
        lock.withLock {
            let cell = cells[ObjectIdentifier(slot.record)]
            guard !slot.isDetached, cell?.state.product === made else { return }
            publish(form, in: slot)
        }
    }

    /// Lets readers see what this locator has made for itself of a registration that each makes its own of.
    func publishOwn(_ form: Instance, of record: Record) -> Garbage {
        let identity = ServiceKey(type: form.type, qualifier: ServiceKey.Own(of: record))
        return lock.withLock {
            var garbage = Garbage()
            if isGone { return garbage }
            if let slot = ownSlot(of: record, tagged: identity.tag) {
                publish(form, in: slot)
                return garbage
            }
            let slot = Slot.make(identity: identity, record: record, core: self, order: 0, standing: .own)
            put(slot, replacing: nil, &garbage)
            _ = Unmanaged.passRetained(slot)
            publish(form, in: slot)
            return garbage
        }
    }

    /// Hides it again.
    func withdrawOwn(of record: Record) -> Garbage {
        let hash = ServiceKey.Own.hash(of: .passUnretained(record))
        return lock.withLock {
            var garbage = Garbage()
            for identity in record.identities {
                let tag = ServiceKey.tag(of: identity.type, hash: hash)
                guard let slot = ownSlot(of: record, tagged: tag) else { continue }
                index.remove(slot)
                retire(slot, &garbage)
            }
            return garbage
        }
    }

    private func ownSlot(of record: Record, tagged tag: UInt) -> Slot? {
        index.slots(tagged: tag).first { $0.standing == .own && $0.record === record }
    }
}
