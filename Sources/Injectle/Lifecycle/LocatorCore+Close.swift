// What a close needs of the locators that it closes.

extension LocatorCore {
    /// Begins a close. The lock is held.
    func beginClosing(by closing: Ending, _ state: inout State) {
        state.closing = closing
        setClosing()
    }

    /// The endings of instances in progress, for which its close waits.
    var endingsInProgress: [Ending] { state.withLock { $0.extras?.endingsInProgress ?? [] } }

    /// The errors of disposers of this locator and of its descendants, in the close.
    var disposalErrors: [InjectleError] { state.withLock { $0.extras?.disposalErrors ?? [] } }

    var hasEndingsInProgress: Bool { state.withLock { $0.extras?.endingsInProgress.isEmpty == false } }

    /// Whether it has ended, and no disposer is left that could read its instances.
    var hasReleasedAll: Bool { hasEnded && !hasEndingsInProgress }

    /// Whether it has no children, disposers, creations or starts in progress, nor instances in other holders.
    var hasNothingToAwait: Bool {
        state.withLock { state in
            guard state.children.isEmpty, state.extras?.starts.isEmpty ?? true,
                state.extras?.endingsInProgress.isEmpty ?? true, state.extras?.lateCreations.isEmpty ?? true,
                state.extras?.graphs.isEmpty ?? true
            else { return false }
            var hasNothing = true
            forEachRecord(in: state) { record in
                if record.traits.hasDisposers || record.traits.lifetime.usesOtherHolders
                    || !record.cells.isEmpty && (record.cells.isInCreation || record.isReleasedElsewhere)
                {
                    hasNothing = false
                }
            }
            state.cellsOfOthers.forEach { if $0.isAwaitedByClose { hasNothing = false } }
            return hasNothing
        }
    }

    /// The cells of this locator and of its registrations: also in scopes, in named ancestors and in resolves in
    /// progress, and those that have ended while their instances are created.
    var allCells: [Cell] {
        cells + cellHoldersElsewhere.flatMap { $0.holder.cells(of: $0.record) } + graphs.flatMap(\.all) + lateCreations
    }

    // MARK: Graphs

    private var graphs: [CellList] { state.withLock { $0.extras?.graphs ?? [] } }

    /// Adds the graph instances of a resolve, before there are any.
    func add(graph: CellList) { state.withLock { $0.ensuredExtras.graphs.append(graph) } }

    /// Removes the graph instances of a resolve, after their ending has begun.
    func remove(graph: CellList) {
        state.withLock { $0.extras?.graphs.removeAll { $0 === graph } }
        // A released locator waits for it.
        if hasEnded { notifyObservers() }
    }

    // MARK: Late creations

    /// The cells that have ended while their instances are created.
    var lateCreations: [Cell] { state.withLock { $0.extras?.lateCreations ?? [] } }

    /// Waits until no creation has returned whose cell is listed, and thus until its disposers have begun.
    func waitForLateCreations() async {
        if lateCreations.allSatisfy(\.isInCreation) { return }
        let observer = addObserver()
        defer { removeObserver(observer) }
        for await _ in observer.stream where lateCreations.allSatisfy(\.isInCreation) { return }
    }

    /// Adds a cell that has ended while its instance is created.
    func add(lateCreation cell: Cell) {
        state.withLock { $0.ensuredExtras.lateCreations.append(cell) }
        // Before it was added, the creation can have returned.
        if !cell.isInCreation { removeLateCreation(in: cell) }
    }

    /// Removes a cell, the creation of which has returned: a close that waits for it then waits for the disposers of
    /// the instance.
    func removeLateCreation(in cell: Cell) {
        state.withLock { $0.extras?.lateCreations.removeAll { $0 === cell } }
        notifyObservers()
    }

    /// Ends these cells. Returns those with an instance, and the registrations of existing values.
    func endAllCells() -> [EndingItem] {
        var seen: Set<ObjectIdentifier> = []
        let elsewhere = cellHoldersElsewhere.flatMap { $0.holder.endCells(of: $0.record) }
        let graphs = graphs.flatMap { $0.all.compactMap($0.endCell) }
        let instances = (cells.compactMap(endCell) + elsewhere + graphs).filter { item in
            item.cell.map { seen.insert(ObjectIdentifier($0)).inserted } ?? false
        }
        return instances + endValues()
    }

    /// A holder of cells of a registration.
    private struct Elsewhere {
        let holder: any CellHolder
        let record: AnyRecord
    }

    private var cellHoldersElsewhere: [Elsewhere] {
        let records: [AnyRecord] = state.withLock { state in self.records(in: state) }
        return records.flatMap { record -> [Elsewhere] in
            let scopes = (record.scopes?.snapshot ?? [:]).values.map { Elsewhere(holder: $0, record: record) }
            guard record.traits.lifetime.usesOtherLocators, let parent else { return scopes }
            return scopes + parent.chain.map { Elsewhere(holder: $0, record: record) }
        }
    }
}

extension Cell {
    /// Whether a close waits for the creation, the disposers or the release of its instance.
    var isAwaitedByClose: Bool { isInCreation || canSuspendEnding }

    /// Whether the end of its instance can suspend.
    var canSuspendEnding: Bool { record.traits.hasDisposers || record.isReleasedElsewhere }
}

extension AnyRecord {
    /// Whether its instances are released on the main actor, which the calling code does not run on.
    var isReleasedElsewhere: Bool { traits.isolation.isMainActor && !traits.isolation.isHere }
}
