/// One start of a locator in progress.
final class RunningStart: Sendable {
    let request: Request
    let updates: AsyncStream<LocatorCore.Update>.Continuation

    init(request: Request, updates: AsyncStream<LocatorCore.Update>.Continuation) {
        self.request = request
        self.updates = updates
    }
}

/// One start of a locator.
///
/// The creations run in tasks of their own, which send their ends to a stream. So the start does not wait for a creation that
/// ignores its cancellation.
extension LocatorCore {
    /// The end of a creation, or the error that ends the start.
    typealias Update = Result<Void, InjectleError>

    /// Ends the starts in progress of a locator that is being closed, since the close would wait for the slowest creation.
    func endStarts() {
        for start in state.withLock({ $0.extras?.starts ?? [] }) {
            start.updates.yield(.failure(LocatorCore.closed(self, start.request)))
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
        if isClosing { throw LocatorCore.closed(self, request) }
        if due.isEmpty { return }
        if Task.isCancelled { throw .cancelled(request, due[0].entry.identity) }
        let (updates, continuation) = AsyncStream.makeStream(of: Update.self)
        let start = RunningStart(request: request, updates: continuation)
        state.withLock { $0.neededExtras.starts.append(start) }
        defer { state.withLock { $0.extras?.starts.removeAll { $0 === start } } }
        // A close that has begun before does not find the start.
        if isClosing { continuation.yield(.failure(LocatorCore.closed(self, request))) }
        var tasks = due.map { create($0, request, continuation) }
        let limit = limit.map(\.clamped)
        if let limit {
            tasks.append(
                Task {
                    try? await Task.sleep(for: limit)
                    if !Task.isCancelled { continuation.yield(.failure(timedOut(request, due, after: limit))) }
                }
            )
        }
        defer {
            for task in tasks { task.cancel() }
            continuation.finish()
        }
        var rest = due.count
        for await update in updates {
            try update.get()
            rest -= 1
            if rest == 0 { return }
        }
        // The cancellation of the calling task ends the stream.
        let missing = due.first { instance(of: $0.record) == nil }?.entry.identity
        throw .cancelled(request, missing ?? request.identity)
    }

    /// Starts the creation of a service.
    private func create(
        _ found: Found,
        _ request: Request,
        _ updates: AsyncStream<Update>.Continuation
    ) -> Task<Void, Never> {
        let request = request.part(found.entry.identity.type)
        return Task { [self] in
            await createLateDependencies(of: found, request)
            do throws(InjectleError) {
                _ = try await provideInTask(request, of: found, isolation: nil)
                updates.yield(.success(()))
            } catch {
                updates.yield(.failure(error))
            }
        }
    }

    private func timedOut(_ request: Request, _ due: [Found], after limit: Duration) -> InjectleError {
        let running = due.filter { instance(of: $0.record) == nil }.map { found in
            let cells = chain.flatMap { $0.cells(of: found.record) }
            let creators = cells.compactMap { $0.state.withLock { $0.creator } }
            let awaited = creators.flatMap { WaitGraph.awaited(by: $0) }.compactMap { $0.task?.identity }
            return (identity: found.entry.identity, awaited: awaited)
        }
        let created = due.filter { instance(of: $0.record) != nil }.map(\.entry.identity)
        return .startTimedOut(request, after: limit, created: created, running: running, in: self)
    }
}

extension LocatorCore {
    /// The registrations whose services a start creates: of the locator, and of its ancestors where they are visible here.
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
