// Instances that no cell keeps.

/// A new instance that no cell keeps: its cell has ended meanwhile, or another one that it was created with has failed.
struct Orphan: Sendable {
    /// The cell that it was created for, and its holder.
    let cell: Cell
    let holder: any CellHolder
    let instance: AnyInstance
    /// Those that have waited for it.
    let ended: CellState.EndedCreation
}

extension EndingOperation {
    /// Disposes of instances that no cell keeps, in reverse order of creation: as far as the calling thread can, and a
    /// task does the rest. A close of their locators waits for this.
    ///
    /// Before the disposers run, the creation of the cells has ended, which disposers could request. Those that have
    /// waited for it wake before, too: they create other instances, or close the locator.
    static func dispose(of orphans: [Orphan]) {
        if !orphans.isEmpty { disposeOfSome(orphans) }
    }

    @inline(never)
    private static func disposeOfSome(_ orphans: [Orphan]) {
        let operation = add(to: orphans.map { LocatorCore.owner(of: $0.cell.record, in: $0.holder) })
        for orphan in orphans {
            if orphan.ended.isLate {
                LocatorCore.owner(of: orphan.cell.record, in: orphan.holder).removeLateCreation(in: orphan.cell)
            }
            orphan.ended.wake(with: .ended)
        }
        let rest = operation.perform { disposeHere(of: orphans) }
        if rest.isEmpty {
            operation.end()
            return operation.decide(nil)
        }
        let task = Task {
            await operation.perform {
                for orphan in rest.reversed() {
                    _ = await orphan.instance.disposal?.run(on: orphan.instance, disownedBy: orphan.cell)
                }
            }
            operation.end()
        }
        operation.decide(task)
    }

    /// Returns the instances that are left, the last of which has a disposer that has to run elsewhere.
    private static func disposeHere(of orphans: [Orphan]) -> [Orphan] {
        var rest = orphans
        while let last = rest.last {
            if last.instance.disposal?.runHere(on: last.instance, disownedBy: last.cell) == false { return rest }
            rest.removeLast()
        }
        return rest
    }
}
