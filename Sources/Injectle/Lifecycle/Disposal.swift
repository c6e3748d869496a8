/// The disposal of one instance whose registration has `onDispose` hooks.
///
/// Several cells can have one instance, as with composite lifetimes, and with an eager value that several locators have
/// registered. The last one that ends disposes of it.
///
/// Invariant: `owners` are the cells that have the instance, and own it. The one ending of a cell gives it up, once. No lock of
/// a locator guards it, since cells of several locators share it.
@usableFromInline final class Disposal: Sendable {
    /// A cell that owns the instance, and the registration whose disposers run if it is the last one.
    private struct Owner {
        let cell: ObjectIdentifier
        let record: AnyRecord
    }

    private struct State {
        /// The registration that has created the instance, until that is disposed of. Nil for an existing value.
        var creator: AnyRecord?
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
    /// The locator that has created the instance. Nil for an existing value, which the locator disposes of that has it last.
    private let core: LocatorCore?
    /// The existing value.
    private let value: AnyInstance?

    /// The disposals of the existing values that have owners.
    private static let shared = Mutex<[ObjectIdentifier: Disposal]>([:])

    /// The disposal of a new instance.
    init(_ record: AnyRecord, in core: LocatorCore) {
        state = Mutex(State(creator: record))
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
            guard !state.isDisposed, let record = registration ?? state.creator else { return false }
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
                state.creator = nil
            }
            return (removed, isLast)
        }
        guard isLast else { return nil }
        // The program can register a value again, also in its disposer.
        if let value { Disposal.shared.withLock { $0[ObjectIdentifier(value)] = nil } }
        return removed?.record
    }

    /// The disposers that run if a cell gives the instance up. Nil, with the owner removed, if others own it.
    private func disposers(of instance: AnyInstance, ownedBy cell: Cell) -> [Disposer]? {
        let (owner, isLast) = state.withLock { state in
            if state.isOwned(onlyBy: cell) { return (state.owners.first, true) }
            return (state.remove(cell), false)
        }
        guard isLast, let record = owner?.record else { return nil }
        return record.disposers(of: instance)
    }

    /// Removes an owner and, if it was the last one, runs the disposers. Returns false, with the owner still there, if they
    /// cannot all run here at once.
    func runHere(on instance: AnyInstance, disownedBy cell: Cell) -> Bool {
        guard let disposers = disposers(of: instance, ownedBy: cell) else { return true }
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
        let hooks = areReturned ? CloseOperation.currentHooks : nil
        hooks?.begin(record)
        var errors: [InjectleError] = []
        for disposer in record.disposers(of: instance) {
            do { try await disposer.run() } catch { errors.append(.disposing(record, threw: error)) }
        }
        hooks?.end(errors)
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

extension Locator.Registration {
    /// Adds a hook that disposes of an instance once its locator drops it.
    ///
    /// The hook runs once for each cached instance: of a locator, when the registration is replaced or removed, the
    /// instance or the locator is reset, the locator is closed, or the last reference to it is released; of a
    /// ``Locator/Scope``, when the scope drops it; of a resolve, for a graph service that another service required, when
    /// the resolve ends. If several caches have the instance, as several locators that have registered one value, the last
    /// one runs its hook. Instances that no cache has, such as volatile ones, copies, weak ones and graph services that were
    /// resolved themselves, are not disposed of, nor is a value that is the default of a ``ServiceKey``. A preconstructed
    /// instance with ``afterInit(_:)`` is cached from its first use on.
    ///
    /// Replacing a registration does not end the instances of child locators, whose code may use them: a child resolves
    /// the new registration from then on, and disposes of its old instance when it ends or is reset.
    ///
    /// Instances that are dropped together are disposed of in reverse order of creation, and released after that. So a hook
    /// can use the dependencies of its service, and resolve them. The hooks of one registration run in the order of their
    /// addition. An instance that is dropped while it is created is disposed of, and the request tries again.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.onDispose { garage in print("locked") })
    /// let garage: Garage = try locator.resolve()
    /// locator.reset()  // Prints "locked"
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor of the hook. If a synchronous caller runs elsewhere, the actor runs the hook later.
    ///   - dispose: The hook. No lock is held while it runs.
    /// - Returns: A copy with the hook added.
    /// - Throws: Nothing by itself. ``Locator/close(isolation:)`` returns the errors of hooks; a synchronous caller
    ///   reports them by ``Locator/Event/Kind/didDispose``, or to standard error if no behavior
    ///   observes that.
    /// - Complexity: O(*n*) in the number of its hooks.
    public func onDispose(isolation: (any Actor)? = #isolation, _ dispose: @escaping (Service) throws -> Void) -> Self {
        let place = ClosureIsolation(isolation)
        return changed { record in
            record.add { service in
                let run = UncheckedBox { try dispose(service) }
                let synchronous = Disposer.Synchronous(isolation: place, run: run.value)
                return Disposer(synchronous: synchronous) { try await place.run(run.value) }
            }
        }
    }

    /// Adds a hook of the main actor that disposes of an instance once its locator drops it.
    ///
    /// ```swift
    /// @MainActor final class ViewModel { var title = "" }
    ///
    /// locator.register(.lazy(.main) { ViewModel() }.onDispose(.main) { model in print("closed", model.title) })
    /// ```
    ///
    /// For a registration that is written in a function without isolation. Otherwise like ``onDispose(isolation:_:)``.
    ///
    /// - Parameters:
    ///   - isolation: `.main`.
    ///   - dispose: The hook.
    /// - Returns: A copy with the hook added.
    /// - Throws: Nothing by itself, as ``onDispose(isolation:_:)``.
    /// - Complexity: O(*n*) in the number of its hooks.
    public func onDispose(
        _ isolation: Locator.OnMainActor,
        _ dispose: @escaping @MainActor (Service) throws -> Void
    ) -> Self {
        onDispose(isolation: MainActor.shared) { service in
            let service = UncheckedBox(service)
            try onMainActor { try dispose(service.value) }
        }
    }

    /// Adds an async hook that disposes of an instance once its locator drops it.
    ///
    /// ``Locator/close(isolation:)`` awaits the hook. If the registration is replaced or removed, the instance or the locator
    /// is reset, or the last reference to the locator is released, the hook runs in a task of its own, after the hooks of
    /// instances that were created later.
    ///
    /// ```swift
    /// actor Connection {
    ///     func close() { print("closed") }
    /// }
    ///
    /// locator.register(.lazy { Connection() }.onDispose { await $0.close() })
    /// let connection: Connection = try locator.resolve()
    /// _ = await locator.close()  // Prints "closed"
    /// ```
    ///
    /// - Parameter dispose: The hook. It runs on the actor that it is written on, if that is the main actor or the hook uses
    ///   it, else on none.
    /// - Returns: A copy with the hook added.
    /// - Throws: Nothing by itself. Errors are reported as with ``onDispose(isolation:_:)``.
    /// - Complexity: O(*n*) in the number of its hooks.
    public func onDispose(_ dispose: @escaping @concurrent (Service) async throws -> Void) -> Self {
        changed { record in
            record.add { service in
                let service = UncheckedBox(service)
                let dispose = UncheckedBox(dispose)
                return Disposer(synchronous: nil) { try await dispose.value(service.value) }
            }
        }
    }
}
