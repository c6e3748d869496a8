// The part of another ending that a later close waits for.

extension CloseOperation {
    /// An instance that no cell keeps, and the cell that it was created for.
    struct Unkept: Sendable {
        let cell: Cell
        let instance: AnyInstance
    }

    /// Disposes of instances in reverse order: as far as the calling thread can, and a task does the rest. A close of their
    /// locators waits for this.
    ///
    /// - Parameter wake: Called before, and lets others begin such a close.
    static func dispose(of unkept: [Unkept], after wake: () -> Void) {
        let operation = CloseOperation(of: nil)
        let cores = unkept.compactMap { $0.cell.record.core }
        for core in cores { core.state.withLock { $0.neededExtras.rests.append(operation) } }
        wake()
        let rest = operation.perform { disposeHere(of: unkept) }
        let end = { @Sendable in
            operation.markEnded()
            for core in cores { core.state.withLock { $0.extras?.rests.removeAll { $0 === operation } } }
        }
        if rest.isEmpty {
            end()
            return operation.decide(nil)
        }
        let task = Task {
            await operation.perform {
                for unkept in rest.reversed() {
                    _ = await unkept.instance.disposal?.run(on: unkept.instance, disownedBy: unkept.cell)
                }
            }
            end()
        }
        operation.decide(task)
    }

    /// Returns the instances that are left, the last of which has a disposer that has to run elsewhere.
    private static func disposeHere(of unkept: [Unkept]) -> [Unkept] {
        var rest = unkept
        while let last = rest.last {
            if last.instance.disposal?.runHere(on: last.instance, disownedBy: last.cell) == false { return rest }
            rest.removeLast()
        }
        return rest
    }

    /// Does the rest of an ending in a task.
    static func finish(_ rest: EndingRest, of core: LocatorCore?) {
        let operation = CloseOperation(of: core)
        core?.state.withLock { $0.neededExtras.rests.append(operation) }
        let run = { @Sendable () async in
            _ = await operation.perform { await rest.finish() }
            operation.markEnded()
            core?.state.withLock { $0.extras?.rests.removeAll { $0 === operation } }
        }
        let task =
            if rest.beginsOnMainActor {
                Task { @MainActor in
                    rest.begin()
                    await run()
                }
            } else {
                Task { await run() }
            }
        operation.decide(task)
    }
}
