/// Creates one instance at most once, for any number of threads and tasks, and keeps it.
///
/// A cell is filled once, and ends once. From then on nothing is created in it, and it can be read until its instance
/// is released.
final class Cell: Sendable {
    let record: AnyRecord
    let key: CellSet.Key
    let state: Mutex<CellState>

    init(for record: AnyRecord, _ key: CellSet.Key = CellSet.Key(), _ state: CellState = CellState()) {
        self.record = record
        self.key = key
        self.state = Mutex(state)
    }

    /// Whether it has an instance, or a weak reference to one that is alive.
    var hasInstance: Bool { state.withLock { $0.instance }?.revived(by: record) != nil }

    /// The identifier of the node that creates its instance, if the creation has claimed this cell first.
    var nodeID: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

    /// Whether its instance is being created.
    var isInCreation: Bool { state.withLock { $0.claimant != nil } }

    /// Whether the cell has exactly this instance.
    func holds(_ instance: AnyInstance) -> Bool { state.withLock { $0.instance === instance } }

    /// Fills the cell. The caller wakes those that wait.
    func fill(with instance: AnyInstance) -> CellState.EndedCreation { endCreation { $0.fill(with: instance) } }

    /// Ends a creation without an instance. The holder drops the cell, and with it the arguments of the request.
    func fail(with outcome: Waiter.Outcome, in holder: any CellHolder) {
        Acquisition.discard(failed(with: outcome, in: holder))
    }

    /// Ends a creation without an instance. Returns the instances that were created with its early one, which the
    /// caller discards.
    func failed(with outcome: Waiter.Outcome, in holder: any CellHolder) -> [WaitState.Finished] {
        let ended = endCreation { $0.fail() }
        if ended.isLate { LocatorCore.owner(of: record, in: holder).removeLateCreation(in: self) }
        // An empty cell keeps no arguments.
        removeIfUnused(from: holder)
        ended.wake(with: outcome)
        return ended.discarded
    }

    /// Ends the creation: with the lock of the wait-for graph, if others wait for it, or use its instance.
    private func endCreation(_ body: (inout CellState) -> CellState.EndedCreation) -> CellState.EndedCreation {
        state.withLock { $0.hasWaiters || $0.isInCircle ? nil : body(&$0) } ?? WaitGraph.endCreation(in: self, body)
    }

    /// Ends the cell if nothing is in it, and removes it from its holder: the next request gets another one.
    func removeIfUnused(from holder: any CellHolder) {
        if state.withLock({ $0.endIfUnused() }) { holder.remove(self) }
    }
}

/// The part of a cell that only decides: a state machine that takes no lock, runs no closure and wakes nobody. Each
/// call returns what its caller has to do after releasing the lock.
///
/// ```text
/// empty     claim    → creation
/// empty     end      → ended
/// creation  fill     → filled, or after an end, ended with an instance: wakes the waiters
/// creation  fail     → empty, or after an end, ended: wakes the waiters
/// creation  enter, leave, end → creation
/// filled    end      → filled: still read, until the release
/// filled    release  → ended: returns the instance
/// ended with an instance, release → ended: returns the instance
/// ```
///
/// An empty cell that was claimed or refused ends at once, so that its holder keeps no arguments without an instance.
struct CellState {
    /// What a caller that needs the instance has to do.
    enum Phase {
        /// Claim the cell, create the instance, and then call `fill` or `fail`.
        case empty
        /// Enter as a waiter for the claimant, unless that wait would never end.
        case creation(Node, [Waiter])
        /// Use the instance.
        case filled(AnyInstance)
        /// Find another cell. It owns the instance of a creation that has returned after its end, until the ending of
        /// that releases it.
        case ended(AnyInstance?)
    }

    private(set) var phase = Phase.empty
    /// Whether it has begun to end: nothing is created in it any more, and an instance is released soon.
    private(set) var isEnding = false
    /// Whether the creation, which has claimed this cell first, is part of a circle, and ends in the wait-for graph.
    var isInCircle = false

    init(_ instance: AnyInstance? = nil) {
        if let instance { phase = .filled(instance) }
    }

    /// The instance, if it exists.
    var instance: AnyInstance? { if case .filled(let instance) = phase { instance } else { nil } }

    /// The instance, also after the end of the cell.
    var owned: AnyInstance? { if case .ended(let late) = phase { late } else { instance } }

    /// The node that creates the instance.
    var claimant: Node? { if case .creation(let claimant, _) = phase { claimant } else { nil } }

    /// Whether others wait for the creation.
    var hasWaiters: Bool { if case .creation(_, let waiters) = phase { !waiters.isEmpty } else { false } }

    /// Claims the creation for a node. The cell is empty.
    mutating func claim(as claimant: Node) {
        guard case .empty = phase else { preconditionFailure("Only an empty cell can be claimed.") }
        phase = .creation(claimant, [])
    }

    /// Adds a waiter, which the `fill` or `fail` that ends the creation returns. Returns false if its claimant creates
    /// nothing here any more.
    mutating func enter(_ waiter: Waiter) -> Bool {
        guard case .creation(let claimant, let waiters) = phase, claimant == waiter.awaited else { return false }
        phase = .creation(claimant, waiters + [waiter])
        return true
    }

    /// Removes a waiter. Returns false if the creation has ended, and has returned it.
    mutating func leave(_ waiter: Waiter) -> Bool {
        guard case .creation(let claimant, let waiters) = phase, waiters.contains(where: { $0 === waiter }) else {
            return false
        }
        phase = .creation(claimant, waiters.filter { $0 !== waiter })
        return true
    }

    /// Removes and returns the waiters that are threads.
    mutating func leaveThreads() -> [Waiter] {
        guard case .creation(let claimant, let waiters) = phase else { return [] }
        phase = .creation(claimant, waiters.filter { $0.gate == nil })
        return waiters.filter { $0.gate != nil }
    }

    /// The end of a creation.
    struct EndedCreation {
        let waiters: [Waiter]
        /// Whether the cell has ended meanwhile: no request finds the instance.
        let isLate: Bool
        /// The instances that were created with its early one since it has failed, in order of creation.
        var discarded: [WaitState.Finished] = []

        func wake(with outcome: Waiter.Outcome) { for waiter in waiters { waiter.finish(with: outcome) } }
    }

    /// Ends the creation with an instance.
    mutating func fill(with instance: AnyInstance) -> EndedCreation {
        endCreation(isEnding ? .ended(instance) : .filled(instance))
    }

    /// Ends an empty cell. Returns whether it has done so.
    mutating func endIfUnused() -> Bool {
        guard case .empty = phase else { return false }
        isEnding = true
        phase = .ended(nil)
        return true
    }

    /// Ends the creation without an instance.
    mutating func fail() -> EndedCreation { endCreation(isEnding ? .ended(nil) : .empty) }

    private mutating func endCreation(_ next: Phase) -> EndedCreation {
        guard case .creation(_, let waiters) = phase else {
            preconditionFailure("Only a creation in progress can end.")
        }
        phase = next
        isInCircle = false
        return EndedCreation(waiters: waiters, isLate: isEnding)
    }

    /// The end of a cell.
    struct Ended {
        /// The instance, which can still be read.
        let instance: AnyInstance?
        /// Whether the cell has not ended before: then the caller disposes of the instance.
        let isFirst: Bool
        /// Whether an instance is being created, which no request finds.
        let isInCreation: Bool
    }

    /// Lets nothing be created in it any more.
    mutating func end() -> Ended {
        defer { isEnding = true }
        if case .empty = phase { phase = .ended(nil) }
        return Ended(instance: instance, isFirst: !isEnding, isInCreation: claimant != nil)
    }

    /// Removes the instance, and ends the cell.
    mutating func release() -> AnyInstance? {
        isEnding = true
        if case .creation = phase { return nil }
        defer { phase = .ended(nil) }
        return owned
    }
}
