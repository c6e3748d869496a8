internal import CInjectle

/// The disposal of one instance: which caches keep the instance, and whether its disposers have run.
///
/// Each instance that has disposers and is in a cache (of a locator, a scope or a resolve) has one. It is due once, when
/// the last cache has dropped the instance or when the locator closes. An instance that several locators were given is
/// due when the last of them drops it or closes.
///
/// Invariant: all variables change under `lock`, which is a leaf: no other lock is taken under it.
final class Disposal: @unchecked Sendable {
    // Sound to share: see the invariant.

    private static let lock = Lock()
    // Sound: touched only under `lock`.
    nonisolated(unsafe) private static var count = 0

    let record: RegistrationRecord
    /// The locator that created the instance or received it, whose behaviors observe the disposal.
    let core: LocatorCore
    /// The position in the order of creation of all locators.
    let order: Int
    /// The number of caches that have the instance.
    @safe @exclusivity(unchecked) private var caches = 0
    @safe @exclusivity(unchecked) private var isClaimed = false

    private init(_ record: RegistrationRecord, _ core: LocatorCore) {
        self.record = record
        self.core = core
        unsafe Disposal.count += 1
        order = unsafe Disposal.count
    }

    /// Gives an instance its disposal before any weak reference to it is cached.
    static func prepare(_ instance: Instance, madeOf record: RegistrationRecord, in core: LocatorCore) {
        lock.withLock {
            if instance.disposal == nil { instance.disposal = Disposal(record, core) }
        }
    }

    /// Whether the disposers have run, or are about to.
    var isDisposed: Bool { Disposal.lock.withLock { isClaimed } }

    /// Counts one more cache that has an instance. Returns false if the instance has been disposed of.
    ///
    /// - Parameter isGiven: Whether the instance was passed to the locator. Then it is due again.
    @inline(never)
    @discardableResult
    static func keep(
        _ instance: Instance,
        madeOf record: RegistrationRecord,
        in core: LocatorCore,
        isGiven: Bool = false
    ) -> Bool {
        prepare(instance, madeOf: record, in: core)
        return lock.withLock {
            guard let disposal = instance.disposal, isGiven || !disposal.isClaimed else { return false }
            // An instance that is given again while a closed locator still has it has two.
            disposal.caches += 1
            disposal.isClaimed = false
            return true
        }
    }

    /// Counts one cache less. Returns whether the caller must dispose of the instance.
    func release() -> Bool {
        Disposal.lock.withLock {
            caches -= 1
            guard caches == 0, !isClaimed else { return false }
            isClaimed = true
            return true
        }
    }

    /// Makes the disposal due, unless more than `count` caches have the instance. Returns whether the caller must dispose
    /// of it.
    func claim(asAll count: Int) -> Bool {
        Disposal.lock.withLock {
            guard !isClaimed, caches <= count else { return false }
            isClaimed = true
            return true
        }
    }

    // MARK: Synchronous disposal

    /// The instances that become due in the calling code, for a caller that awaits their disposers.
    @TaskLocal private static var pending: PendingInstances?

    private final class PendingInstances: @unchecked Sendable {
        // Sound to share: touched only under the lock of disposals.

        /// Nil once they have been taken, which a task that was started meanwhile can outlive.
        var instances: [Instance]? = []
    }

    /// Runs `body`, and returns the instances that become due by it.
    static func collecting(_ body: () -> Void) -> [Instance] {
        let pending = PendingInstances()
        $pending.withValue(pending, operation: body)
        return lock.withLock {
            defer { pending.instances = nil }
            return pending.instances ?? []
        }
    }

    /// Runs the disposers of instances, in reverse order of creation: in a task from the first one that is async or of
    /// another actor. Reports errors.
    static func run(_ due: [Instance]) {
        if due.isEmpty || lock.withLock({ pending?.instances?.append(contentsOf: due) }) != nil { return }
        var rest = inReverseOrder(due)[...]
        while let instance = rest.first, let disposal = instance.disposal, disposal.canRunHere {
            rest.removeFirst()
            disposal.runHere(on: instance)
        }
        if rest.isEmpty { return }
        Task { [rest] in
            for instance in rest { await instance.disposal?.run(on: instance, areReturned: false) }
        }
    }

    private var canRunHere: Bool { record.disposers.allSatisfy { $0.hook?.place.isHere == true } }

    private func runHere(on instance: Instance) {
        let start = ContinuousClock.Instant.now
        var errors: [InjectleError] = []
        for disposer in record.disposers {
            do {
                try disposer.hook?.dispose(instance)
            } catch {
                errors.append(.disposing(self, threw: error))
            }
        }
        report(errors, since: start, areReturned: false)
    }

    /// Sends the event. Errors that no caller and no behavior receives go to standard error.
    private func report(_ errors: [InjectleError], since start: ContinuousClock.Instant, areReturned: Bool) {
        let isReceived = core.send(.didDispose, of: record, as: record.identity, since: start, failure: errors.first)
        if areReturned || isReceived { return }
        for error in errors { unsafe injectle_print_error("\(error)\n") }
    }

    /// In reverse order of creation.
    private static func inReverseOrder(_ due: [Instance]) -> [Instance] {
        due.sorted { ($0.disposal?.order ?? 0) > ($1.disposal?.order ?? 0) }
    }

    // MARK: Async disposal

    /// Runs the disposers of instances in the calling task, in reverse order of creation. Returns their errors.
    static func run(_ due: [Instance]) async -> [InjectleError] {
        var errors: [InjectleError] = []
        for instance in inReverseOrder(due) {
            errors += await instance.disposal?.run(on: instance, areReturned: true) ?? []
        }
        return errors
    }

    /// Runs the disposers, each on its actor. Returns their errors.
    @discardableResult
    private func run(on instance: Instance, areReturned: Bool) async -> [InjectleError] {
        let start = ContinuousClock.Instant.now
        var errors: [InjectleError] = []
        for disposer in record.disposers {
            do {
                try await disposer.run(instance)
            } catch {
                errors.append(.disposing(self, threw: error))
            }
        }
        report(errors, since: start, areReturned: areReturned)
        return errors
    }
}

/// A hook that disposes of an instance: a synchronous one with its actor, or nil if it is async; and a closure that runs it
/// on its actor. Its author protects its captures.
typealias Disposer = (
    hook: (place: ClosureIsolation, dispose: (Instance) throws -> Void)?,
    run: @concurrent (Instance) async throws -> Void
)

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
    /// Instances that are dropped together are disposed of in reverse order of creation, so a hook can use the
    /// dependencies of its service, and while the locator is closed it can also resolve them. The hooks of one
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
    public func onDispose(
        isolation: (any Actor)? = #isolation,
        _ dispose: @escaping (Service) throws -> Void
    ) -> Self {
        let place = ClosureIsolation(isolation)
        let run: (Instance) throws -> Void = { try dispose($0.loaded(as: Service.self)) }
        return disposing((place, run)) { instance in try await place.run { try run(instance) } }
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
    /// - Throws: Nothing by itself. Errors are treated as those of ``onDispose(isolation:_:)``.
    /// - Complexity: O(*n*) in the number of its hooks.
    public func onDispose(_ dispose: @escaping @concurrent (Service) async throws -> Void) -> Self {
        disposing { instance in
            // Sound as for the captures of a closure: a hook's author protects a service that is not `Sendable`, and
            // that other code can still hold.
            nonisolated(unsafe) let service = instance.loaded(as: Service.self)
            try unsafe await dispose(service)
        }
    }

    private func disposing(
        _ hook: (ClosureIsolation, (Instance) throws -> Void)? = nil,
        _ run: @escaping @concurrent (Instance) async throws -> Void
    ) -> Self {
        changed { $0.ownRareFields.disposers.append((hook, run)) }
    }
}
