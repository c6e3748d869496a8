// Instances that no cell keeps, and what an ending leaves to a task: a later close waits for both.

/// A new instance that no cell keeps: its cell has ended meanwhile, or another one that it was created with has failed.
struct Orphan: Sendable {
    /// The cell that it was created for.
    let cell: Cell
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
        let operation = EndingOperation(of: nil)
        let cores = orphans.compactMap { $0.cell.record.core }
        for core in cores { core.state.withLock { $0.ensuredExtras.endingsInProgress.append(operation) } }
        for orphan in orphans { orphan.ended.wake(with: .ended) }
        let rest = operation.perform { disposeHere(of: orphans) }
        let end = { @Sendable in for core in cores { operation.end(in: core) } }
        if rest.isEmpty {
            end()
            return operation.decide(nil)
        }
        let task = Task {
            await operation.perform {
                for orphan in rest.reversed() {
                    _ = await orphan.instance.disposal?.run(on: orphan.instance, disownedBy: orphan.cell)
                }
            }
            end()
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

    /// Adds an ending with disposers to a locator, so that a close waits for it that begins later. The lock of the core is
    /// held.
    static func add(to core: LocatorCore, _ state: inout LocatorCore.State) -> EndingOperation {
        let operation = EndingOperation(of: core)
        state.ensuredExtras.endingsInProgress.append(operation)
        return operation
    }

    /// Ends it in its locator.
    func end(in core: LocatorCore) {
        markEnded()
        core.state.withLock { $0.extras?.endingsInProgress.removeAll { $0 === self } }
    }

    /// Leaves the rest of an ending to a task.
    ///
    /// - Parameter operation: The ending, if a close can wait for it already.
    static func leaveToTask(_ rest: EndingRest, of core: LocatorCore?, in operation: EndingOperation?) {
        let begun = core.map { core in core.state.withLock { operation ?? add(to: core, &$0) } }
        let operation = begun ?? EndingOperation(of: nil)
        let run = { @Sendable () async in
            _ = await operation.perform { await rest.finish() }
            if let core { operation.end(in: core) } else { operation.markEnded() }
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
