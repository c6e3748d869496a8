/// One start of a locator in progress, which waits for several creations, or for the first failure.
final class RunningStart: Sendable {
    enum Outcome: Sendable {
        case created
        case failed(InjectleError)
        /// The calling task was cancelled.
        case cancelled
    }

    let request: Request
    /// The number of services that do not exist.
    private let missing: Mutex<Int>
    private let outcome = FirstValue<Outcome>()

    init(of count: Int, for request: Request) {
        self.request = request
        missing = Mutex(count)
    }

    /// Called after each creation.
    func didCreate() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { finish(with: .created) }
    }

    /// Ends the start, unless it has ended before.
    func finish(with outcome: Outcome) { self.outcome.set(outcome) }

    /// Waits for the outcome. The caller continues on its actor, and so needs no thread of the pool there.
    func wait() async -> Outcome {
        await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            finish(with: .cancelled)
        }
    }
}

/// One start of a locator.
///
/// The creations run in tasks of their own, so the start does not wait for a creation that ignores its cancellation.
extension LocatorCore {
    /// Ends the starts in progress of a locator that is being closed, since the close would wait for the slowest
    /// creation.
    func endStarts() {
        for start in state.withLock({ $0.extras?.starts ?? [] }) {
            start.finish(with: .failed(LocatorCore.closed(self, start.request)))
        }
    }

    private static func closed(_ core: LocatorCore, _ request: Request) -> InjectleError {
        .closed(core, "Nothing can be started in", request.identity, request)
    }

    // MARK: Running

    /// Creates all services, and returns once they exist.
    func start(
        _ request: Request,
        timeout limit: Duration?,
        isolation: isolated (any Actor)?
    ) async throws(InjectleError) {
        let due = registrationsToStart
        if closeHasBegun { throw LocatorCore.closed(self, request) }
        if due.isEmpty { return }
        if Task.isCancelled { throw .cancelled(request, due[0].entry.identity) }
        let start = RunningStart(of: due.count, for: request)
        state.withLock { $0.ensuredExtras.starts.append(start) }
        defer { state.withLock { $0.extras?.starts.removeAll { $0 === start } } }
        // A close that has begun before does not find the start.
        if closeHasBegun { start.finish(with: .failed(LocatorCore.closed(self, request))) }
        let tasks = due.map { create($0, for: start) }
        let timer = limit.map(\.clamped).map { limit in
            Timer(after: limit) { [self] in start.finish(with: .failed(timedOut(request, due, after: limit))) }
        }
        defer {
            timer?.cancel()
            for task in tasks { task.cancel() }
        }
        switch await start.wait() {
        case .created: return
        case .failed(let error): throw error
        case .cancelled:
            let missing = due.first { instance(of: $0.record) == nil }?.entry.identity
            throw .cancelled(request, missing ?? request.identity)
        }
    }

    /// Starts the creation of a service.
    private func create(_ found: Found, for start: RunningStart) -> Task<Void, Never> {
        let request = start.request.part(found.entry.identity.type)
        let context = TaskContext.current
        return Task { [self] in
            await context.run {
                await createDeferredDependencies(of: found, request)
                do throws(InjectleError) {
                    _ = try await provideInTask(request, of: found, isolation: nil)
                    start.didCreate()
                } catch {
                    start.finish(with: .failed(error))
                }
            }
        }
    }

    private func timedOut(_ request: Request, _ due: [Found], after limit: Duration) -> InjectleError {
        let running = due.filter { instance(of: $0.record) == nil }.map { found in
            let cells = chain.flatMap { $0.cells(of: found.record) }
            let claimants = cells.compactMap { $0.state.withLock { $0.claimant } }
            let awaited = claimants.flatMap { WaitGraph.awaited(by: $0) }.compactMap { $0.task?.identity }
            return (identity: found.entry.identity, awaited: awaited)
        }
        let created = due.filter { instance(of: $0.record) != nil }.map(\.entry.identity)
        return .startTimedOut(request, after: limit, created: created, running: running, in: self)
    }
}

extension LocatorCore {
    /// The registrations whose services a start creates: of the locator, and of its ancestors where they are visible
    /// here.
    fileprivate var registrationsToStart: [Found] {
        var seen: Set<ObjectIdentifier> = []
        return chain.flatMap(\.registrations).filter { found in
            let record = found.record
            guard record.startsAutomatically, isVisible(found),
                record.traits.lifetime.isStarted(by: self, registeredIn: found.entry.core)
            else { return false }
            return seen.insert(ObjectIdentifier(record)).inserted && instance(of: record) == nil
        }
    }
}
