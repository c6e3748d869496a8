/// The disposal of one instance whose registration has `onDispose` hooks.
///
/// Several cells can have one instance, as with composite lifetimes, and with an eager value that several locators have
/// registered. The last one that ends disposes of it.
///
/// Invariant: `owners` are the cells that have the instance, and own it. The one ending of a cell gives it up, once. No
/// lock of a locator guards it, since cells of several locators share it.
@usableFromInline final class Disposal: Sendable {
    /// A cell that owns the instance, and the registration whose disposers run if it is the last one.
    private struct Owner {
        let cell: ObjectIdentifier
        let record: AnyRecord
    }

    private struct State {
        /// The registration that has created the instance, until that is disposed of. Nil for an existing value.
        var record: AnyRecord?
        /// Most instances have one.
        var owners: [Owner] = []
        var isDisposed = false

        func isOwned(onlyBy cell: Cell) -> Bool { owners.count == 1 && owners[0].cell == ObjectIdentifier(cell) }

        mutating func remove(_ cell: Cell) -> Owner? {
            guard let index = owners.firstIndex(where: { $0.cell == ObjectIdentifier(cell) }) else { return nil }
            return owners.remove(at: index)
        }
    }

    private let state: Mutex<State>
    /// The locator that has created the instance. Nil for an existing value, which the locator disposes of that has it
    /// last.
    private let core: LocatorCore?
    /// The existing value.
    private let value: AnyInstance?

    /// The disposals of the existing values that have owners.
    private static let shared = Mutex<[ObjectIdentifier: Disposal]>([:])

    /// The disposal of a new instance.
    init(_ record: AnyRecord, in core: LocatorCore) {
        state = Mutex(State(record: record))
        self.core = core
        value = nil
    }

    private init(of value: AnyInstance) {
        state = Mutex(State())
        core = nil
        self.value = value
    }

    /// The one disposal of an existing value, until that is disposed of. The caller adds an owner.
    static func shared(by value: AnyInstance) -> Disposal {
        let id = ObjectIdentifier(value)
        return shared.withLock { shared in
            if let present = shared[id] { return present }
            let disposal = Disposal(of: value)
            shared[id] = disposal
            return disposal
        }
    }

    /// Whether the disposers run or have run.
    var isDisposed: Bool { state.withLock { $0.isDisposed } }

    /// Whether another cell owns the instance, which is not disposed of.
    func isOwned(beside cell: Cell) -> Bool {
        state.withLock { !$0.isDisposed && $0.owners.contains { $0.cell != ObjectIdentifier(cell) } }
    }

    /// Adds an owner. Returns false if the instance was disposed of.
    func retain(by cell: Cell) -> Bool {
        let registration = value == nil ? nil : cell.record
        return state.withLock { state in
            guard !state.isDisposed, let record = registration ?? state.record else { return false }
            state.owners.append(Owner(cell: ObjectIdentifier(cell), record: record))
            return true
        }
    }

    /// Removes an owner. Returns the registration whose disposers the caller has to run, if it was the last one.
    private func release(by cell: Cell) -> AnyRecord? {
        let (removed, isLast) = state.withLock { state in
            let removed = state.remove(cell)
            let isLast = removed != nil && state.owners.isEmpty && !state.isDisposed
            if isLast {
                state.isDisposed = true
                state.record = nil
            }
            return (removed, isLast)
        }
        guard isLast else { return nil }
        // The program can register a value again, also in its disposer.
        if let value { Disposal.shared.withLock { $0[ObjectIdentifier(value)] = nil } }
        return removed?.record
    }

    /// Returns the disposers to run if a cell is the last owner. Otherwise removes this owner, and returns nil.
    private func disposersOrDisown(_ instance: AnyInstance, by cell: Cell) -> [Disposer]? {
        let (owner, isLast) = state.withLock { state in
            if state.isOwned(onlyBy: cell) { return (state.owners.first, true) }
            return (state.remove(cell), false)
        }
        guard isLast, let record = owner?.record else { return nil }
        return record.disposers(of: instance)
    }

    /// Removes an owner and, if it was the last one, runs the disposers. Returns false, with the owner still there, if
    /// they cannot all run here at once.
    func runHere(on instance: AnyInstance, disownedBy cell: Cell) -> Bool {
        guard let disposers = disposersOrDisown(instance, by: cell) else { return true }
        guard disposers.allSatisfy({ $0.synchronous?.isolation.isHere == true }) else { return false }
        guard let record = release(by: cell) else { return true }
        let start = ContinuousClock.Instant.now
        var errors: [InjectleError] = []
        for disposer in disposers {
            do { try disposer.synchronous?.run() } catch { errors.append(.disposing(record, threw: error)) }
        }
        report(errors, of: record, since: start, areReturned: false)
        return true
    }

    /// Removes an owner and, if it was the last one, runs the disposers where they belong. Returns their errors.
    func run(on instance: AnyInstance, disownedBy cell: Cell, areReturned: Bool = false) async -> [InjectleError] {
        guard let record = release(by: cell) else { return [] }
        let start = ContinuousClock.Instant.now
        let running = Ending.currentDisposers
        running?.didBegin(record)
        var errors: [InjectleError] = []
        for disposer in record.disposers(of: instance) {
            do {
                if let running, disposer.synchronous == nil {
                    try await running.run(disposer.run)
                } else {
                    try await disposer.run()
                }
            } catch let late as RunningDisposers.LeftBehind {
                errors.append(.disposing(record, exceeded: late.limit))
            } catch {
                errors.append(.disposing(record, threw: error))
            }
        }
        running?.didEnd(areReturned ? errors : [])
        report(errors, of: record, since: start, areReturned: areReturned)
        return errors
    }

    private func report(
        _ errors: [InjectleError],
        of record: AnyRecord,
        since start: ContinuousClock.Instant,
        areReturned: Bool
    ) {
        let isReceived = (core ?? record.core).send(
            .didDispose,
            of: record,
            as: record.traits.identity,
            since: start,
            failure: errors.first
        )
        if areReturned || isReceived { return }
        for error in errors { printError(error.description) }
    }
}
