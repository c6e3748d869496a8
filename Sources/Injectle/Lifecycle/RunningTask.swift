/// Returns what runs while an instance exists.
typealias RunClosure = (Instance) -> @Sendable @concurrent () async throws -> Void

/// The task that runs a `running` closure for one instance.
///
/// It begins once a cache has the instance. The disposal of the instance cancels it, and waits for it if it can await.
/// It is a node of the wait-for graph, since a close waits for it, and its closure can wait for the close.
///
/// Invariant: each variable changes once at most, under `lock`.
final class RunningTask: WaitNode, @unchecked Sendable {
    // Sound to share: see the invariant.

    private let record: RegistrationRecord
    private let core: LocatorCore
    private let run: @Sendable @concurrent () async throws -> Void
    private let lock = Lock()
    private var task: Task<Void, Never>?
    private var outcome: Result<Void, any Error>?
    /// Whether the instance has been disposed of.
    private var isStopped = false
    /// Whether the closure ended before that.
    private var endedEarly = false

    /// The task that the calling code belongs to.
    @TaskLocal private static var current: RunningTask?

    static var currentNode: WaitNode? { current }

    init(
        of record: RegistrationRecord,
        in core: LocatorCore,
        _ run: @escaping @Sendable @concurrent () async throws -> Void
    ) {
        (self.record, self.core, self.run) = (record, core, run)
    }

    /// Starts the task, unless the instance has been disposed of meanwhile.
    ///
    /// It is detached: it belongs to the locator, and takes neither the priority nor the task-local values of the code
    /// that creates the instance.
    func begin() {
        lock.withLock {
            if isStopped { return }
            task = Task.detached { await RunningTask.$current.withValue(self, operation: self.perform) }
        }
    }

    @concurrent private func perform() async {
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await run())
        } catch {
            outcome = .failure(error)
        }
        lock.withLock {
            self.outcome = outcome
            endedEarly = !isStopped
        }
        if let earlyEnd { RunOperation.report(earlyEnd, of: core) }
    }

    /// The error of a closure that ended before its instance was disposed of.
    var earlyEnd: InjectleError? {
        guard let outcome = lock.withLock({ endedEarly ? outcome : nil }) else { return nil }
        var thrown: (any Error)?
        if case .failure(let error) = outcome { thrown = error }
        return .endedEarly(record, thrown, in: core)
    }

    /// Cancels the task.
    func cancel() {
        let task = lock.withLock {
            isStopped = true
            return self.task
        }
        task?.cancel()
    }

    /// Cancels the task, and waits for it, unless it waits for the calling code.
    ///
    /// - Throws: The error that the closure throws when it is cancelled, if that is not the cancellation.
    func end() async throws {
        cancel()
        let waiting = CloseOperation.currentNode
        guard RunningTask.current !== self, waiting?.begin(waitingFor: self) ?? true else { return }
        defer { waiting?.end(waitingFor: self) }
        await lock.withLock { task }?.value
        // An early end has been reported.
        if lock.withLock({ endedEarly }) { return }
        do {
            try lock.withLock { outcome }?.get()
        } catch is CancellationError {
        } catch InjectleError.cancelled {
        }
    }
}

extension Locator.Registration where Service: Sendable {
    /// Runs a closure in a task of the locator, from the creation of an instance until its disposal.
    ///
    /// Some services have to run while others use them, such as the client of a database that maintains its connections.
    ///
    /// ```swift
    /// actor Poller {
    ///     func run() async throws { while true { try await Task.sleep(for: .seconds(60)) } }
    /// }
    ///
    /// locator.register(.lazy { Poller() }.running { try await $0.run() }.onDispose { _ in print("closed") })
    /// try await locator.start()
    /// for error in await locator.close() { print(error == .closed) }  // Prints "true"
    /// ```
    ///
    /// The start of the locator creates the service, as with ``atStart()``. The task begins once a cache has the instance;
    /// for an eager service, when it is registered. It ends where ``onDispose(isolation:_:)`` hooks run, in turn with the
    /// hooks of the registration and in reverse order of creation: the locator cancels the task and, in an async function
    /// such as ``Locator/close(isolation:)``, awaits it. So services that the closure uses are disposed of afterwards.
    /// Instances that no cache has, such as volatile ones, do not run.
    ///
    /// A closure that returns or throws earlier ends ``Locator/run(timeout:gracePeriod:isolation:fileID:line:onDisposalErrors:_:)`` of the
    /// locator with ``InjectleError/factoryFailed``. If the locator does not run, the error is written to standard error.
    ///
    /// - Parameter run: The closure. It should return, or throw, when its task is cancelled; no other error than the
    ///   cancellation is then returned by the close.
    /// - Returns: A copy that runs the closure.
    /// - Complexity: O(*n*) in the number of its hooks.
    public func running(_ run: @escaping @Sendable @concurrent (Service) async throws -> Void) -> Self {
        changed { record in
            let position = record.ownRareFields.runs.count
            record.ownRareFields.runs.append { instance in
                let service = instance.loaded(as: Service.self)
                return { try await run(service) }
            }
            let cancel: (Instance) -> Void = { $0.disposal?.tasks[position].cancel() }
            record.ownRareFields.disposers.append(
                ((.anywhere, cancel), { instance in try await instance.disposal?.tasks[position].end() })
            )
            record.ownRareFields.isAtStart = true
        }
    }
}
