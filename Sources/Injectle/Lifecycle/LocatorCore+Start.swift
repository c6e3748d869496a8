/// One start of a locator.
///
/// The creations run in tasks of their own, which send their ends to a stream. So the start does not wait for a creation that
/// ignores its cancellation.
extension LocatorCore {
    /// The end of a creation, or the error that ends the start.
    private typealias Update = Result<Void, InjectleError>

    // MARK: Starts in progress

    private typealias Start = (core: LocatorCore, request: Request, updates: AsyncStream<Update>.Continuation)

    private static let runningStarts = Mutex<(starts: [Int: Start], count: Int)>(([:], 0))

    /// Adds a start, and returns the number that removes it.
    private static func add(_ start: Start) -> Int {
        runningStarts.withLock { running in
            running.count += 1
            running.starts[running.count] = start
            return running.count
        }
    }

    /// Ends the starts of locators that are being closed, which would wait for the slowest creation.
    static func endStarts(of cores: [LocatorCore]) {
        for (core, request, updates) in runningStarts.current.starts.values where cores.contains(where: { $0 === core })
        {
            updates.yield(.failure(closed(core, request)))
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
        let number = LocatorCore.add((self, request, continuation))
        defer { _ = LocatorCore.runningStarts.withLock { $0.starts.removeValue(forKey: number) } }
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
        let request = request.part(found.entry.identity.type).creatingOnly
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
    /// The registrations whose services a start creates: those of the locator and of its ancestors, which are visible here.
    fileprivate var registrationsToStart: [Found] {
        var seen: Set<ObjectIdentifier> = []
        return chain.flatMap(\.registrations).compactMap { LocatorCore.found($0) }.filter { entry, record in
            guard record.startsAutomatically, record.traits.lifetime.isStarted(by: self, registeredIn: entry.core)
            else { return false }
            // A nearer registration hides it otherwise.
            guard entry.core === self || isVisible(record, as: entry.identity) else { return false }
            return seen.insert(ObjectIdentifier(record)).inserted && instance(of: record) == nil
        }
    }
}
