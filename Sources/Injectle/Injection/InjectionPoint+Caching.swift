internal import CInjectle

// The instance that a property alone caches.

extension InjectionPoint: InstanceCache {
    /// Ensures that the property's cell is for `record` and for requests to `core`.
    func prepare(for record: RegistrationRecord, requestedIn core: LocatorCore) {
        change { memory, retired in
            guard memory.cell?.record !== record || memory.requestedIn !== core else { return }
            forget(memory, &retired)
            memory.cell = OnceCell(for: record)
            memory.requestedIn = core
        }
    }

    func withCell(
        of record: RegistrationRecord,
        for caller: LocatorCore,
        given key: Arguments.Key?,
        _ body: (OnceCell) -> Void
    ) -> Bool {
        change { memory, _ in
            guard let cell = memory.cell, cell.record === record, memory.requestedIn === caller else { return false }
            body(cell)
            return true
        }
    }

    func succeed(_ cell: OnceCell, with instance: Instance) -> OnceCell.Ended {
        change { memory, retired in
            let ended = cell.state.succeed(with: instance)
            if isCleared {
                forget(memory, &retired)
            } else if memory.cell === cell, !keepsFirst {
                unsafe publish(own: instance.storage)
            }
            return ended
        }
    }

    func fail(_ cell: OnceCell) -> OnceCell.Ended {
        change { _, _ in cell.state.fail() }
    }

    func leave(_ cell: OnceCell, _ waiter: OnceCell.Waiter) -> Bool {
        change { _, _ in cell.state.leave(waiter) }
    }

    /// Does nothing: a property keeps its own instance as long as the registration exists.
    func drop(_ record: RegistrationRecord, given key: Arguments.Key?, _ retired: inout RetireList) {}

    func forEachCell(_ body: (OnceCell) -> Void) {
        change { memory, _ in
            if let cell = memory.cell { body(cell) }
        }
    }

    /// Releases the property's own instance, since another cache holds the instances of the current registration.
    func forgetOwn() {
        guard hasOwn, !keepsFirst else { return }
        change { memory, retired in forget(memory, &retired) }
    }
}
