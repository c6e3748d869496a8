/// One start of a locator: what is to be made, and how far that has come.
///
/// The creations run in tasks of their own, which tell by messages what they do. The one who started reads these, where
/// that runs, and so is the only one to touch anything else.
struct StartOperation {
    private enum Message {
        case began(ObjectIdentifier)
        /// It could not be given what it cannot await, which is made before it is tried again.
        case needs(ObjectIdentifier, ServiceKey)
        case ended(ObjectIdentifier, InjectleError?)
        case timedOut
        case cancelled
    }

    private struct Item {
        enum Phase {
            case pending
            case running(since: ContinuousClock.Instant)
            case made(Duration)
        }

        let entry: Entry
        var phase = Phase.pending
        /// What it was last seen to need.
        var needed: ServiceKey?
    }

    private let core: LocatorCore
    private var items: [Item]
    /// Where each registration is among these.
    private let positions: [ObjectIdentifier: Int]
    /// The positions of what is made, in the order in which that was.
    private var made: [Int] = []

    // MARK: What the creations tell

    private final class Channel: Sendable {
        let continuation: AsyncStream<Message>.Continuation

        init(_ continuation: AsyncStream<Message>.Continuation) {
            self.continuation = continuation
        }
    }

    /// Where the creations that a start has begun tell what they do.
    @TaskLocal private static var channel: Channel?

    /// Notes that a record's closure is about to be called, if that is for a start.
    static func notes(_ record: RegistrationRecord) {
        channel?.continuation.yield(.began(ObjectIdentifier(record)))
    }

    /// Notes that a record's closure is called again when another service is there.
    static func notes(_ record: RegistrationRecord, needing identity: ServiceKey) {
        channel?.continuation.yield(.needs(ObjectIdentifier(record), identity))
    }

    // MARK: Running

    init(of core: LocatorCore) {
        self.core = core
        items = core.entriesToStart.map { Item(entry: $0) }
        let records = items.enumerated().map { (ObjectIdentifier($1.entry.record), $0) }
        positions = Dictionary(uniqueKeysWithValues: records)
    }

    /// Makes everything, and returns when it is there.
    mutating func run(
        _ request: ResolveRequest,
        timeout limit: Duration?,
        isolation: isolated (any Actor)?,
        _ report: ((Locator.StartProgress) -> Void)?
    ) async throws(InjectleError) {
        report?(progress)
        if items.isEmpty { return }
        let (messages, continuation) = AsyncStream.makeStream(of: Message.self)
        var tasks = StartOperation.$channel.withValue(Channel(continuation)) {
            items.map { item in StartOperation.asyncFactory(item.entry, request, core, continuation) }
        }
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
        let failure = await withTaskCancellationHandler {
            await follow(messages, request, limit, isolation: isolation, report)
        } onCancel: {
            continuation.yield(.cancelled)
        }
        if let failure { throw failure }
    }

    private static func asyncFactory(
        _ entry: Entry,
        _ request: ResolveRequest,
        _ core: LocatorCore,
        _ continuation: AsyncStream<Message>.Continuation
    ) -> Task<Void, Never> {
        // Sound: an entry protects itself, and nothing changes the request.
        nonisolated(unsafe) let request = request.part(entry.identity.type)
        nonisolated(unsafe) let entry = entry
        return Task {
            var failure: InjectleError?
            do throws(InjectleError) {
                _ = try await Resolution.provideInTask(request, of: entry, in: core, isolation: nil)
            } catch {
                failure = error
            }
            continuation.yield(.ended(ObjectIdentifier(entry.record), failure))
        }
    }

    /// Reads messages until everything is made, or something cannot be.
    private mutating func follow(
        _ messages: AsyncStream<Message>,
        _ request: ResolveRequest,
        _ limit: Duration?,
        isolation: isolated (any Actor)?,
        _ report: ((Locator.StartProgress) -> Void)?
    ) async -> InjectleError? {
        for await message in messages {
            switch message {
            case .began(let record):
                guard let index = positions[record], case .pending = items[index].phase else { continue }
                items[index].phase = .running(since: .now)
            case .needs(let record, let identity):
                if let index = positions[record] { items[index].needed = identity }
                continue
            case .ended(_, let failure?):
                return failure
            case .ended(let record, nil):
                guard let index = positions[record] else { continue }
                var duration = Duration.zero
                if case .running(let start) = items[index].phase { duration = start.duration(to: .now) }
                items[index].phase = .made(duration)
                made.append(index)
            case .timedOut:
                return .startTimedOut(request, after: limit ?? .zero, progress, waits: waits, in: core)
            case .cancelled:
                return cancelled(request)
            }
            report?(progress)
            if made.count == items.count { return nil }
        }
        // Where the task is cancelled, messages end before that is among them.
        return cancelled(request)
    }

    private func cancelled(_ request: ResolveRequest) -> InjectleError {
        .cancelled(request, items.first { if case .made = $0.phase { false } else { true } }?.entry)
    }

    private var progress: Locator.StartProgress {
        let now = ContinuousClock.now
        var progress = Locator.StartProgress()
        for index in made {
            guard case .made(let duration) = items[index].phase else { continue }
            progress.completed.append(
                Locator.StartProgress.Step(identity: items[index].entry.identity, duration: duration)
            )
        }
        for item in items {
            switch item.phase {
            case .pending: progress.pending.append(item.entry.identity)
            case .running(let start):
                let step = Locator.StartProgress.Step(identity: item.entry.identity, duration: start.duration(to: now))
                progress.running.append(step)
            case .made: break
            }
        }
        return progress
    }

    /// For each that is being made, what it waits for.
    private var waits: [(ServiceKey, [ServiceKey])] {
        var makers: [ObjectIdentifier: WaitNode] = [:]
        for cache in core.chain.flatMap(\.caches) {
            cache.forEachCell { cell in
                if case .wait(for: let creator) = cell.state.answer { makers[ObjectIdentifier(cell.record)] = creator }
            }
        }
        return items.compactMap { item in
            let awaited = makers[ObjectIdentifier(item.entry.record)]?.awaited ?? []
            var others = awaited.compactMap { ($0 as? TaskCreation)?.creation.entry.identity }
            if others.isEmpty, let needed = item.needed { others = [needed] }
            return others.isEmpty ? nil : (item.entry.identity, others)
        }
    }
}

extension LocatorCore {
    /// One entry for each registration that a start is to make, and that is not made: what this locator keeps.
    fileprivate var entriesToStart: [Entry] {
        var seen: Set<ObjectIdentifier> = []
        return chain.flatMap(\.ownEntries).filter { entry in
            let record = entry.record
            guard record.startsAutomatically, entry.isCached(by: self) else { return false }
            // What a nearer registration hides is not asked for here.
            guard entry.core === self || find(entry.identity) === entry else { return false }
            guard seen.insert(ObjectIdentifier(record)).inserted else { return false }
            return instance(of: record) == nil
        }
    }
}
