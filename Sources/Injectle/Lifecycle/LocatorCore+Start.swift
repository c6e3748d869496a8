/// One start of a locator.
///
/// The creations run in tasks of their own, which send their ends to a stream. So the start does not wait for a creation that
/// ignores its cancellation.
extension LocatorCore {
    /// The end of a creation, or the error that ends the start.
    typealias Update = Result<Void, InjectleError>

    /// Ends the starts in progress of a locator that is being closed, since the close would wait for the slowest creation.
    func endStarts() {
        for (request, updates) in state.withLock({ Array($0.starts.values) }) {
            updates.yield(.failure(LocatorCore.closed(self, request)))
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
        let id = ObjectIdentifier(request)
        state.withLock { $0.starts[id] = (request, continuation) }
        defer { _ = state.withLock { $0.starts.removeValue(forKey: id) } }
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
            do throws(InjectleError) {
                _ = try await provideInTask(request, of: found, isolation: nil)
                updates.yield(.success(()))
            } catch {
                updates.yield(.failure(error))
            }
        }
    }

    private func timedOut(_ request: Request, _ due: [Found], after limit: Duration) -> InjectleError {
        let running = due.filter { instance(of: $0.record) == nil }.map { entry, record in
            let cells = chain.flatMap { $0.store.cells(of: record) }
            let creators = cells.compactMap { $0.state.withLock { $0.creator } }
            let awaited = creators.flatMap(\.awaited).compactMap { $0.task?.creation.entry.identity }
            return (identity: entry.identity, awaited: awaited)
        }
        let created = due.filter { instance(of: $0.record) != nil }.map(\.entry.identity)
        return .startTimedOut(request, after: limit, created: created, running: running, in: self)
    }
}

extension LocatorCore {
    /// The registrations whose services a start creates: of the locator, and of its ancestors where they are visible here.
    fileprivate var registrationsToStart: [Found] {
        var seen: Set<ObjectIdentifier> = []
        return chain.flatMap(\.registrations).compactMap { LocatorCore.found($0) }.filter { entry, record in
            guard record.startsAutomatically, isVisible((entry, record)),
                record.traits.lifetime.isStarted(by: self, registeredIn: entry.core)
            else { return false }
            return seen.insert(ObjectIdentifier(record)).inserted && instance(of: record) == nil
        }
    }
}
