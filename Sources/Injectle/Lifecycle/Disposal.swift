internal import CInjectle

/// What ends an instance: its disposers, and when they are due.
///
/// One for each instance that has disposers, and that somebody keeps: a locator, a scope, a resolve. It is due when
/// the last of those has let go, or when the locator closes, whichever comes first, and once. What several locators
/// were given is due when the last of them lets go, or closes.
///
/// Invariant: all that changes does so under `lock`, for a few instructions, and inside any other lock.
final class Disposal: @unchecked Sendable {
    // Sound to share: see the invariant.

    private static let lock = Lock()
    // Sound: touched only under `lock`.
    nonisolated(unsafe) private static var count = 0

    let record: RegistrationRecord
    /// The locator that made it, to tell its behaviors.
    let core: LocatorCore
    /// The place in the order of creation, over all locators.
    let order: Int
    @exclusivity(unchecked) private var scopes = 1
    @exclusivity(unchecked) private var isClaimed = false

    private init(_ record: RegistrationRecord, _ core: LocatorCore) {
        self.record = record
        self.core = core
        Disposal.count += 1
        order = Disposal.count
    }

    /// Lets all notes of an object know what ends it, before anyone keeps one.
    static func prepare(_ instance: Instance, madeOf record: RegistrationRecord, in core: LocatorCore) {
        lock.withLock {
            guard instance.disposal == nil else { return }
            let disposal = Disposal(record, core)
            disposal.scopes = 0
            instance.disposal = disposal
        }
    }

    /// Whether it is disposed of, or about to be.
    var isDisposed: Bool { Disposal.lock.withLock { isClaimed } }

    /// Notes that one more keeps an instance. False if it has been disposed of.
    static func keep(_ instance: Instance, madeOf record: RegistrationRecord, in core: LocatorCore) -> Bool {
        guard record.hasDisposers else { return true }
        return lock.withLock {
            if let disposal = instance.disposal {
                if disposal.isClaimed { return false }
                disposal.scopes += 1
            } else {
                instance.disposal = Disposal(record, core)
            }
            return true
        }
    }

    /// Notes that a locator keeps what it was given, perhaps again after it has been disposed of.
    static func keep(given instance: Instance, of record: RegistrationRecord, in core: LocatorCore) {
        if keep(instance, madeOf: record, in: core) { return }
        lock.withLock {
            guard let disposal = instance.disposal else { return }
            disposal.isClaimed = false
            disposal.scopes = 1
        }
    }

    /// Notes that one less keeps it. True for the last one, who is to see to it that it is disposed of.
    func release() -> Bool {
        Disposal.lock.withLock {
            scopes -= 1
            guard scopes == 0, !isClaimed else { return false }
            isClaimed = true
            return true
        }
    }

    /// Makes it due while it is still kept. True for the first one, who is to dispose of it.
    func claim() -> Bool {
        Disposal.lock.withLock {
            defer { isClaimed = true }
            return !isClaimed
        }
    }

    /// Makes it due while it is still kept, unless by more than a number. True for who is to dispose of it.
    func claim(asAll count: Int) -> Bool {
        Disposal.lock.withLock {
            guard !isClaimed, scopes <= count else { return false }
            isClaimed = true
            return true
        }
    }

    // MARK: Where nothing can be awaited

    /// Those that become due here are left to who collects them.
    @TaskLocal private static var collector: Collector?

    private final class Collector: @unchecked Sendable {
        // Sound to share: touched only under `lock`.
        private let lock = Lock()
        private var instances: [Instance]? = []

        /// False if they have been taken: a task that was started meanwhile may go on, and find this.
        func add(_ more: [Instance]) -> Bool {
            lock.withLock {
                instances?.append(contentsOf: more)
                return instances != nil
            }
        }

        func take() -> [Instance] {
            lock.withLock {
                defer { instances = nil }
                return instances ?? []
            }
        }
    }

    /// What becomes due by `body`, and is left to the caller.
    static func collecting(_ body: () -> Void) -> [Instance] {
        let collector = Collector()
        $collector.withValue(collector) { body() }
        return collector.take()
    }

    /// Disposes of instances that are due, the last made first, as far as that can be done without awaiting. What
    /// fails, or cannot be done, is reported.
    static func run(_ due: [Instance]) {
        if due.isEmpty { return }
        if collector?.add(due) == true { return }
        var rest = inOrder(due)[...]
        while let instance = rest.first, let disposal = instance.disposal, disposal.isHere {
            rest.removeFirst()
            disposal.runHere(on: instance)
        }
        if rest.isEmpty { return }
        // The actor of the first runs it as soon as it can, and so all that were made before it come later, too.
        Task { [rest] in
            for instance in rest { await instance.disposal?.runWhereItBelongs(on: instance) }
        }
    }

    /// Those of the hooks that do not have to be awaited.
    private var immediate: [Disposer] { record.disposers.filter { !$0.awaits } }

    /// Whether all of these can be run here.
    private var isHere: Bool { immediate.allSatisfy { $0.place.isHere(nil) } }

    /// What there is to be said of those that have to be awaited.
    private var notRun: [InjectleError] { record.disposers.contains(where: \.awaits) ? [.notDisposed(self)] : [] }

    private func runHere(on instance: Instance) {
        let began = ContinuousClock.now
        var errors = notRun
        for disposer in immediate {
            do {
                try disposer.runHere(on: instance)
            } catch {
                errors.append(.disposing(self, threw: error))
            }
        }
        report(errors, since: began)
    }

    private func runWhereItBelongs(on instance: Instance) async {
        let began = ContinuousClock.now
        report(notRun + (await run(immediate, on: instance)), since: began)
    }

    /// Tells of the end of an instance where nobody can be returned what failed.
    private func report(_ errors: [InjectleError], since began: ContinuousClock.Instant) {
        send(errors, since: began)
        if core.isObserved { return }
        for error in errors { injectle_complain("\(error)\n") }
    }

    private func send(_ errors: [InjectleError], since began: ContinuousClock.Instant) {
        core.send(.didDispose, of: record, since: began, failure: errors.first)
    }

    /// The last made first.
    static func inOrder(_ due: [Instance]) -> [Instance] {
        due.sorted { ($0.disposal?.order ?? 0) > ($1.disposal?.order ?? 0) }
    }

    // MARK: Where it can

    /// Disposes of instances that are due, the last made first, one after the other. Returns what their disposers
    /// threw.
    ///
    /// It goes on, and its hooks are not cancelled, if the calling task is.
    static func end(_ due: [Instance]) async -> [InjectleError] {
        due.isEmpty ? [] : await Task { await run(due) }.value
    }

    /// Disposes of instances that are due, in the calling task.
    static func run(_ due: [Instance]) async -> [InjectleError] {
        var errors: [InjectleError] = []
        for instance in inOrder(due) {
            guard let disposal = instance.disposal else { continue }
            let began = ContinuousClock.now
            let own = await disposal.run(disposal.record.disposers, on: instance)
            disposal.send(own, since: began)
            errors += own
        }
        return errors
    }

    /// Runs some hooks, each where it belongs. Returns what they threw.
    private func run(_ disposers: [Disposer], on instance: Instance) async -> [InjectleError] {
        var errors: [InjectleError] = []
        for disposer in disposers {
            do {
                try await disposer.run(on: instance)
            } catch {
                errors.append(.disposing(self, threw: error))
            }
        }
        return errors
    }
}

/// One hook that ends an instance.
struct Disposer: @unchecked Sendable {
    // Sound to share: a hook is called where it was written, and what it captures is its author's to protect.

    enum Body {
        case immediate((Instance) throws -> Void)
        case awaiting(@concurrent (Instance) async throws -> Void)
    }

    let place: ClosureIsolation
    let body: Body

    /// Whether it has to be awaited, wherever it is run.
    var awaits: Bool {
        if case .awaiting = body { true } else { false }
    }

    func run(on instance: Instance) async throws {
        switch body {
        case .immediate(let body): try await place.run { try body(instance) }
        case .awaiting(let body): try await body(instance)
        }
    }

    /// Runs it, if it does not have to be awaited.
    func runHere(on instance: Instance) throws {
        if case .immediate(let body) = body { try body(instance) }
    }
}

extension Locator.Registration {
    /// Ends a service when its locator does not keep it any more.
    ///
    /// It runs once for each instance that is kept: by a locator, from being made or given until the registration is
    /// replaced or removed, the instance or the locator is reset, the locator is closed, or the last reference to the
    /// locator goes; by a ``Locator/Scope``, until that lets go; by a resolve, for a graph service that another needs
    /// in its course, until that has ended. Of several who keep it, the last one ends it. What nobody but its users
    /// keeps, as a volatile service, a copy, a weak one, or what was asked for itself, is theirs to end. What is given,
    /// and finished by ``afterInit(_:)``, is kept from its first use on.
    ///
    /// Instances that go at once are ended in the reverse order of creation, so each can still use what it holds of what
    /// it was made of; while a locator is closed, it can also still ask for that. Several hooks run in the order they
    /// were added.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.onDispose { garage in print("locked") })
    /// let garage: Garage = try locator.resolve()
    /// locator.reset()  // Prints "locked"
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor that it is written on, and runs on; filled in. Where nothing can be awaited, and it is
    ///     another one, that runs it as soon as it can.
    ///   - dispose: Is given the service. No lock is held meanwhile.
    /// - Returns: A copy with the hook added.
    /// - Throws: Nothing by itself. What the hook throws is among what ``Locator/close(isolation:)`` returns; where
    ///   nothing can be awaited, ``Locator/Behavior/didDispose(_:)`` is told, and without any behavior, a line is
    ///   written to standard error.
    /// - Complexity: O(*n*) in the number of hooks that it has.
    public func onDispose(
        isolation: (any Actor)? = #isolation,
        _ dispose: @escaping (Service) throws -> Void
    ) -> Self {
        disposing(
            Disposer(place: ClosureIsolation(isolation), body: .immediate { try dispose($0.loaded(as: Service.self)) })
        )
    }

    /// Ends a service, by a hook that may await, when its locator does not keep it any more.
    ///
    /// The same as ``onDispose(isolation:_:)`` but for where it runs: only where it can be awaited, in
    /// ``Locator/close(isolation:)``, ``Locator/unregisterAsync(_:key:isolation:)``, ``Locator/resetAsync(isolation:)``
    /// and ``Locator/RegistrationHandle/removeAsync(isolation:)``. Elsewhere, that it did not run is reported.
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
    /// - Parameter dispose: Is given the service. It runs on the main actor if it is written there, on another actor if
    ///   it is written there and uses it, and else on none.
    /// - Returns: A copy with the hook added.
    /// - Throws: Nothing by itself. What the hook throws is among what those four return.
    /// - Complexity: O(*n*) in the number of hooks that it has.
    public func onDispose(_ dispose: @escaping @concurrent (Service) async throws -> Void) -> Self {
        disposing(
            Disposer(
                place: .anywhere,
                body: .awaiting { instance in
                    // Sound as for what a closure captures: what a hook does with a service that is not `Sendable`, and
                    // that others may still hold, is its author's to protect.
                    nonisolated(unsafe) let service = instance.loaded(as: Service.self)
                    try await dispose(service)
                }
            )
        )
    }

    private func disposing(_ disposer: Disposer) -> Self {
        changed { $0.disposers.append(disposer) }
    }
}
