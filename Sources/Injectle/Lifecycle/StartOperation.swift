/// One start of a locator.
///
/// The creations run in tasks of their own, which send their ends to a stream. So the start does not wait for a creation that
/// ignores its cancellation.
struct StartOperation {
    private enum Update {
        case ended(InjectleError?)
        case timedOut
        /// The locator is being closed.
        case closed
    }

    private let core: LocatorCore
    /// The services to create, in the order of registration.
    private let entries: [Entry]

    // MARK: Starts in progress

    private typealias Start = (core: LocatorCore, updates: AsyncStream<Update>.Continuation)

    private static let lock = Lock()
    // Sound to share: both are accessed only under `lock`.
    nonisolated(unsafe) private static var running: [Int: Start] = [:]
    nonisolated(unsafe) private static var count = 0

    /// Adds a start, and returns the number that removes it.
    private static func add(_ start: Start) -> Int {
        lock.withLock {
            unsafe count += 1
            unsafe running[count] = start
            return unsafe count
        }
    }

    /// Ends the starts of locators that are being closed, which would wait for the slowest creation.
    static func end(in cores: [LocatorCore]) {
        let starts = lock.withLock { unsafe Array(running.values) }
        for (core, updates) in starts where cores.contains(where: { $0 === core }) { updates.yield(.closed) }
    }

    // MARK: Running

    init(of core: LocatorCore) {
        self.core = core
        entries = core.entriesToStart
    }

    /// Creates all services, and returns once they exist.
    func run(
        _ request: ResolveRequest,
        timeout limit: Duration?,
        isolation: isolated (any Actor)?
    ) async throws(InjectleError) {
        if core.isClosing { throw .closed(core, "Nothing can be started in", request.identity, request) }
        if entries.isEmpty { return }
        if Task.isCancelled { throw .cancelled(request, entries[0]) }
        let (updates, continuation) = AsyncStream.makeStream(of: Update.self)
        let number = StartOperation.add((core, continuation))
        defer { _ = StartOperation.lock.withLock { unsafe StartOperation.running.removeValue(forKey: number) } }
        // A close that has begun before does not find the start.
        if core.isClosing { continuation.yield(.closed) }
        var tasks = entries.map { create($0, request, continuation) }
        let limit = limit.map(Deadline.clamped)
        if let limit {
            tasks.append(
                Task {
                    try? await Task.sleep(for: limit)
                    if !Task.isCancelled { continuation.yield(.timedOut) }
                }
            )
        }
        defer {
            for task in tasks { task.cancel() }
            continuation.finish()
        }
        var rest = entries.count
        for await update in updates {
            switch update {
            case .ended(let failure?):
                throw failure
            case .ended(nil):
                rest -= 1
                if rest == 0 { return }
            case .closed:
                throw .closed(core, "Nothing can be started in", request.identity, request)
            case .timedOut:
                throw timedOut(request, after: limit ?? .zero)
            }
        }
        // The cancellation of the calling task ends the stream.
        throw .cancelled(request, entries.first { core.instance(of: $0.record) == nil })
    }

    /// Starts the creation of a service.
    private func create(
        _ entry: Entry,
        _ request: ResolveRequest,
        _ updates: AsyncStream<Update>.Continuation
    ) -> Task<Void, Never> {
        // Sound: an entry protects itself, and nothing changes the request.
        nonisolated(unsafe) let request = request.part(entry.identity.type).creatingOnly
        nonisolated(unsafe) let entry = entry
        return Task { [core] in
            do throws(InjectleError) {
                _ = try unsafe await Resolution.provideInTask(request, of: entry, in: core, isolation: nil)
                updates.yield(.ended(nil))
            } catch {
                updates.yield(.ended(error))
            }
        }
    }

    private func timedOut(_ request: ResolveRequest, after limit: Duration) -> InjectleError {
        var creators: [ObjectIdentifier: WaitNode] = [:]
        for core in core.chain {
            core.forEachOwnedCell { _, cell in
                if case .wait(for: let creator) = cell.state.answer {
                    creators[ObjectIdentifier(cell.record)] = creator
                }
            }
        }
        let running = entries.filter { core.instance(of: $0.record) == nil }.map { entry in
            let awaited = creators[ObjectIdentifier(entry.record)]?.awaited ?? []
            return (entry.identity, awaited.compactMap { ($0 as? TaskCreation)?.creation.entry.identity })
        }
        let created = entries.filter { core.instance(of: $0.record) != nil }.map(\.identity)
        return .startTimedOut(request, after: limit, created: created, running: running, in: core)
    }
}

extension LocatorCore {
    /// One entry for each registration that a start of this locator creates, unless the instance exists.
    fileprivate var entriesToStart: [Entry] {
        var seen: Set<ObjectIdentifier> = []
        return chain.flatMap(\.ownEntries).filter { entry in
            let record = entry.record
            guard record.startsAutomatically, entry.isStarted(by: self) else { return false }
            // A nearer registration hides it otherwise.
            guard entry.core === self || isVisible(record, as: entry.identity) else { return false }
            guard seen.insert(ObjectIdentifier(record)).inserted else { return false }
            return instance(of: record) == nil
        }
    }
}
