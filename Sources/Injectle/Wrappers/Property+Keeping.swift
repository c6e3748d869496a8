internal import CInjectle

// What is made for a property alone, and kept by it.

extension Property: CellHolder {
    /// Makes sure that the property's cell is for `record`, asked for in `core`.
    func prepare(for record: Record, askedIn core: Core) {
        change { memory, garbage in
            guard memory.cell?.record !== record || memory.askedIn !== core else { return }
            forget(memory, &garbage)
            memory.cell = Cell(for: record)
            memory.askedIn = core
        }
    }

    func withCell(
        of record: Record,
        for asking: Core,
        given key: Arguments.Key?,
        _ body: (Cell) -> Void
    ) -> Bool {
        change { memory, _ in
            guard let cell = memory.cell, cell.record === record, memory.askedIn === asking else { return false }
            body(cell)
            return true
        }
    }

    func succeed(_ cell: Cell, with instance: Instance) -> Cell.Ended {
        let keepsFirst = head.pointee.keepsFirst
        return change { memory, garbage in
            let ended = Cell.Ended(cell.state.succeed(with: instance))
            if injectle_load_number(&head.pointee.isCleared) != 0 {
                forget(memory, &garbage)
            } else if memory.cell === cell, !keepsFirst {
                injectle_store(&head.pointee.own, instance.storage)
            }
            return ended
        }
    }

    func fail(_ cell: Cell) -> Cell.Ended {
        change { _, _ in Cell.Ended(cell.state.fail()) }
    }

    func leave(_ cell: Cell, _ waiter: Cell.Waiter) -> Bool {
        change { _, _ in cell.state.leave(waiter) }
    }

    /// What is the property's own it keeps, as long as the registration stands.
    func drop(_ record: Record, given key: Arguments.Key?) {}

    /// Lets go of what was made for it alone, since what is registered now is not.
    func forgetOwn() {
        guard injectle_load(&head.pointee.own) != nil, !head.pointee.keepsFirst else { return }
        change { memory, garbage in forget(memory, &garbage) }
    }
}
