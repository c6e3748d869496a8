// Instances that no cell keeps, and what an ending leaves to a task: a later close waits for both.

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
        for orphan in orphans { orphan.ended.wake(with: .ended) }
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

    /// Adds an ending to a locator, whose close waits for it if that begins later. The lock of the core is held.
    static func add(to core: LocatorCore, _ state: inout LocatorCore.State) -> EndingOperation {
        let operation = EndingOperation(of: core, waitedForBy: [core])
        state.ensuredExtras.endingsInProgress.append(operation)
        return operation
    }

    /// Adds an ending to locators.
    private static func add(to cores: [LocatorCore]) -> EndingOperation {
        let operation = EndingOperation(of: cores.first)
        for core in cores { operation.add(to: core) }
        return operation
    }

    /// Adds the ending of instances of some registrations to their locators, before the cells end. Nil if no registration
    /// has disposers.
    static func add(forDisposersOf instances: [(record: AnyRecord, holder: any CellHolder)]) -> EndingOperation? {
        let cores = instances.filter(\.record.traits.hasDisposers).map {
            LocatorCore.owner(of: $0.record, in: $0.holder)
        }
        return cores.isEmpty ? nil : add(to: cores)
    }

    /// Leaves the rest of an ending to a task.
    ///
    /// - Parameter operation: The ending, if a close can wait for it already.
    static func leaveToTask(_ rest: EndingRest, in operation: EndingOperation?) {
        let operation = operation ?? add(to: rest.cores)
        let run = { @Sendable () async in
            _ = await operation.perform { await rest.finish() }
            operation.end()
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
