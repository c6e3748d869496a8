/// One start of a locator: the services to create, and their progress.
///
/// The creations run in tasks of their own, which send updates to a stream. The caller of `start` reads the stream on its
/// own actor, so nothing else touches the state.
struct StartOperation {
    private enum Update {
        case began(ObjectIdentifier)
        /// The creation runs again once an async service exists that it requires.
        case requires(ObjectIdentifier, Locator.Identity)
        case ended(ObjectIdentifier, InjectleError?)
        case timedOut
        /// The locator is being closed.
        case closed
    }

    private let core: LocatorCore
    /// The services in the order of registration. A creation has a duration once it has ended.
    private var items:
        [(entry: Entry, began: ContinuousClock.Instant?, duration: Duration?, required: Locator.Identity?)]
    /// The positions of the items by their records.
    private let positions: [ObjectIdentifier: Int]
    /// The positions of the items that exist, in the order of creation.
    private var completed: [Int] = []

    // MARK: Updates

    /// The stream of the start whose creations the calling code belongs to.
    @TaskLocal private static var updates: AsyncStream<Update>.Continuation?

    /// Sends that a record's closure is about to run, or runs again once another service exists.
    static func notes(_ record: RegistrationRecord, needing identity: Locator.Identity? = nil) {
        let record = ObjectIdentifier(record)
        updates?.yield(identity.map { .requires(record, $0) } ?? .began(record))
    }

    // MARK: Starts in progress

    private typealias Start = (core: LocatorCore, updates: AsyncStream<Update>.Continuation)

    private static let lock = Lock()
    // Sound to share: both are accessed only under `lock`.
    nonisolated(unsafe) private static var running: [Int: Start] = [:]
    nonisolated(unsafe) private static var count = 0

    /// Adds a start, and returns the number that removes it.
    private static func add(_ start: Start) -> Int {
        start.core.lock.withLock { start.core.starts += 1 }
        return lock.withLock {
            unsafe count += 1
            unsafe running[count] = start
            return unsafe count
        }
    }

    private static func remove(_ number: Int) {
        let removed = lock.withLock { unsafe running.removeValue(forKey: number) }
        removed?.core.lock.withLock { removed?.core.starts -= 1 }
    }

    /// Ends the starts of locators that are being closed, which would wait for the slowest creation.
    static func end(in cores: [LocatorCore]) {
        let starts = lock.withLock { unsafe Array(running.values) }
        for (core, updates) in starts where cores.contains(where: { $0 === core }) { updates.yield(.closed) }
    }

    // MARK: Running

    init(of core: LocatorCore) {
        self.core = core
        items = core.entriesToStart.map { ($0, nil, nil, nil) }
        let records = items.enumerated().map { (ObjectIdentifier($1.entry.record), $0) }
        positions = Dictionary(uniqueKeysWithValues: records)
    }

    /// Creates all services, and returns once they exist.
    mutating func run(
        _ request: ResolveRequest,
        timeout limit: Duration?,
        isolation: isolated (any Actor)?,
        _ report: ((Locator.StartProgress) -> Void)?
    ) async throws(InjectleError) {
        if core.isClosing { throw .closed(core, "Nothing can be started in", request.identity, request) }
        report?(progress)
        if items.isEmpty { return }
        if Task.isCancelled { throw .cancelled(request, items[0].entry) }
        let (updates, continuation) = AsyncStream.makeStream(of: Update.self)
        let number = StartOperation.add((core, continuation))
        defer { StartOperation.remove(number) }
        // A close that has begun before does not find the start.
        if core.isClosing { continuation.yield(.closed) }
        var tasks = StartOperation.$updates.withValue(continuation) {
            items.map { create($0.entry, request) }
        }
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
        for await update in updates {
            switch update {
            case .began(let record):
                guard let index = positions[record], items[index].began == nil, items[index].duration == nil else {
                    continue
                }
                items[index].began = .now
            case .requires(let record, let identity):
                if let index = positions[record] { items[index].required = identity }
                continue
            case .ended(_, let failure?):
                throw failure
            case .ended(let record, nil):
                guard let index = positions[record] else { continue }
                items[index].duration = items[index].began?.duration(to: .now) ?? .zero
                completed.append(index)
            case .closed:
                throw .closed(core, "Nothing can be started in", request.identity, request)
            case .timedOut:
                throw .startTimedOut(request, after: limit ?? .zero, progress, waits: waits, in: core)
            }
            report?(progress)
            if completed.count == items.count { return }
        }
        // The cancellation of the calling task ends the stream.
        throw .cancelled(request, items.first { $0.duration == nil }?.entry)
    }

    /// Starts the creation of a service.
    private func create(_ entry: Entry, _ request: ResolveRequest) -> Task<Void, Never> {
        // Sound: an entry protects itself, and nothing changes the request.
        nonisolated(unsafe) let request = request.part(entry.identity.type).creatingOnly
        nonisolated(unsafe) let entry = entry
        return Task { [core] in
            var failure: InjectleError?
            do throws(InjectleError) {
                _ = try unsafe await Resolution.provideInTask(request, of: entry, in: core, isolation: nil)
            } catch {
                failure = error
            }
            unsafe StartOperation.updates?.yield(.ended(ObjectIdentifier(entry.record), failure))
        }
    }

    private var progress: Locator.StartProgress {
        let now = ContinuousClock.now
        var progress = Locator.StartProgress()
        progress.completed = completed.map { position in
            .init(identity: items[position].entry.identity, duration: items[position].duration ?? .zero)
        }
        for item in items where item.duration == nil {
            if let began = item.began {
                progress.running.append(.init(identity: item.entry.identity, duration: began.duration(to: now)))
            } else {
                progress.pending.append(item.entry.identity)
            }
        }
        return progress
    }

    /// The services that each running creation waits for.
    private var waits: [(Locator.Identity, [Locator.Identity])] {
        var creators: [ObjectIdentifier: WaitNode] = [:]
        for core in core.chain {
            core.forEachOwnedCell { _, cell in
                if case .wait(for: let creator) = cell.state.answer {
                    creators[ObjectIdentifier(cell.record)] = creator
                }
            }
        }
        return items.compactMap { item in
            let awaited = creators[ObjectIdentifier(item.entry.record)]?.awaited ?? []
            var others = awaited.compactMap { ($0 as? TaskCreation)?.creation.entry.identity }
            if others.isEmpty, let required = item.required { others = [required] }
            return others.isEmpty ? nil : (item.entry.identity, others)
        }
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
