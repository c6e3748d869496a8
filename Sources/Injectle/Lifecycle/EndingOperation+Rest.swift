// What an ending leaves to a task, and the closes that wait for it.

extension EndingOperation {
    /// Adds an ending to a locator, whose close waits for it if that begins later. The lock of the core is held.
    static func add(to core: LocatorCore, _ state: inout LocatorCore.State) -> EndingOperation {
        let operation = EndingOperation(of: core, waitedForBy: [core])
        state.ensuredExtras.endingsInProgress.append(operation)
        return operation
    }

    /// Adds an ending to locators.
    static func add(to cores: [LocatorCore]) -> EndingOperation {
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
