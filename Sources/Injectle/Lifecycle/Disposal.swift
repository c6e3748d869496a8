/// The disposal of one instance whose registration has `onDispose` hooks.
///
/// Several cells can have one instance, as with composite lifetimes, and with an eager value that several locators have
/// registered by one registration value. The last one that ends disposes of it.
///
/// Invariant: `owners` are the cells that have the instance, and own it. The one ending of a cell gives it up, once.
@usableFromInline final class Disposal: Sendable {
    private struct State {
        var owners: Set<ObjectIdentifier> = []
        var isDisposed = false
        /// The registration, until its disposers have run: a given instance and its registration refer to each other.
        var record: AnyRecord?
    }

    private let state: Mutex<State>
    /// The locator that has created the instance. Nil for a given instance, which the registering locator disposes of.
    private let core: LocatorCore?

    init(_ record: AnyRecord? = nil, in core: LocatorCore? = nil) {
        state = Mutex(State(record: record))
        self.core = core
    }

    /// Whether the disposers run or have run.
    var isDisposed: Bool { state.withLock { $0.isDisposed } }

    /// Adds an owner. Returns false if the instance was disposed of.
    func retain(by cell: Cell) -> Bool {
        state.withLock { state in
            if state.isDisposed { return false }
            state.owners.insert(ObjectIdentifier(cell))
            return true
        }
    }

    /// Adds an owner of an instance that the program has registered, which it may do again after the disposal. Returns the
    /// former registration, to be released without a lock.
    func retain(by cell: Cell, givenBy record: AnyRecord) -> AnyRecord? {
        state.withLock { state in
            state.owners.insert(ObjectIdentifier(cell))
            guard state.isDisposed || state.record == nil else { return nil }
            defer { (state.isDisposed, state.record) = (false, record) }
            return state.record
        }
    }

    /// Replaces an owner by the cell to which the instance is moved.
    func transfer(from cell: Cell, to other: Cell) {
        state.withLock { state in
            if state.owners.remove(ObjectIdentifier(cell)) != nil { state.owners.insert(ObjectIdentifier(other)) }
        }
    }

    /// Removes an owner. Returns whether the caller has to dispose of the instance.
    private func release(by cell: Cell) -> Bool {
        state.withLock { state in
            guard state.owners.remove(ObjectIdentifier(cell)) != nil, state.owners.isEmpty, !state.isDisposed
            else { return false }
            state.isDisposed = true
            return true
        }
    }

    /// Removes an owner and, if it was the last one, runs the disposers. Returns false, with the owner still there, if they
    /// cannot all run here at once.
    func runHere(on instance: AnyInstance, disownedBy cell: Cell) -> Bool {
        let record = state.withLock { state -> AnyRecord? in
            if state.owners == [ObjectIdentifier(cell)] { return state.record }
            state.owners.remove(ObjectIdentifier(cell))
            return nil
        }
        guard let record else { return true }
        let disposers = record.disposers(of: instance.undecorated)
        guard disposers.allSatisfy({ $0.synchronous?.isolation.isHere == true }) else { return false }
        guard release(by: cell) else { return true }
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
        guard release(by: cell), let record = state.withLock({ $0.record }) else { return [] }
        let start = ContinuousClock.Instant.now
        let hooks = areReturned ? CloseOperation.currentHooks : nil
        hooks?.begin(record)
        var errors: [InjectleError] = []
        for disposer in record.disposers(of: instance.undecorated) {
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
        // Unless a disposer has registered the instance again.
        state.withLock { if $0.isDisposed, $0.record === record { $0.record = nil } }
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
    /// the resolve ends. If several caches have the instance, the last one runs the hook. Instances that no cache has,
    /// such as volatile ones, copies, weak ones and graph services that were resolved themselves, are not disposed of. A
    /// preconstructed instance with ``afterInit(_:)`` is cached from its first use on.
    ///
    /// Replacing a registration does not end the instances of child locators, whose code may use them: a child resolves
    /// the new registration from then on, and disposes of its old instance when it ends or is reset.
    ///
    /// Instances that are dropped together are disposed of in reverse order of creation, and released after that. So a hook
    /// can use the dependencies of its service, and resolve them, unless it runs later in a task. The hooks of one
    /// registration run in the order of their addition.
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
                let (service, dispose) = (UncheckedBox(service), UncheckedBox(dispose))
                return Disposer(synchronous: nil) { try await dispose.value(service.value) }
            }
        }
    }
}
