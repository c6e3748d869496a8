/// One start of a locator: what is to be made, and how far that has come.
///
/// The makings run in tasks of their own, which tell by messages what they do. The one who started reads these, where
/// that runs, and so is the only one to touch anything else.
struct Startup {
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
            case toGo
            case inTheMaking(since: ContinuousClock.Instant)
            case made(Duration)
        }

        let slot: Slot
        var phase = Phase.toGo
        /// What it was last seen to need.
        var needed: ServiceKey?
    }

    private let core: Core
    private var items: [Item]
    /// Where each registration is among these.
    private let positions: [ObjectIdentifier: Int]
    /// The positions of what is made, in the order in which that was.
    private var made: [Int] = []

    // MARK: What the makings tell

    private final class Channel: Sendable {
        let continuation: AsyncStream<Message>.Continuation

        init(_ continuation: AsyncStream<Message>.Continuation) {
            self.continuation = continuation
        }
    }

    /// Where the makings that a start has begun tell what they do.
    @TaskLocal private static var channel: Channel?

    /// Notes that a record's closure is about to be called, if that is for a start.
    static func notes(_ record: Record) {
        channel?.continuation.yield(.began(ObjectIdentifier(record)))
    }

    /// Notes that a record's closure is called again when another service is there.
    static func notes(_ record: Record, needing identity: ServiceKey) {
        channel?.continuation.yield(.needs(ObjectIdentifier(record), identity))
    }

    // MARK: Running

    init(of core: Core) {
        self.core = core
        items = core.slotsToStart.map { Item(slot: $0) }
        let records = items.enumerated().map { (ObjectIdentifier($1.slot.record), $0) }
        positions = Dictionary(uniqueKeysWithValues: records)
    }

    /// Makes everything, and returns when it is there.
    mutating func run(
        _ request: Request,
        within limit: Duration?,
        isolation: isolated (any Actor)?,
        _ report: ((Locator.Progress) -> Void)?
    ) async throws(InjectleError) {
        report?(progress)
        if items.isEmpty { return }
        let (messages, continuation) = AsyncStream.makeStream(of: Message.self)
        var tasks = Startup.$channel.withValue(Channel(continuation)) {
            items.map { item in Startup.makeInTask(item.slot, request, core, continuation) }
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

    private static func makeInTask(
        _ slot: Slot,
        _ request: Request,
        _ core: Core,
        _ continuation: AsyncStream<Message>.Continuation
    ) -> Task<Void, Never> {
        let request = request.asking(for: slot.identity.type)
        // Sound: a slot protects itself.
        nonisolated(unsafe) let slot = slot
        return Task {
            var failure: InjectleError?
            do throws(InjectleError) {
                _ = try await Resolution.provideWithNeeded(slot, request, in: core, nil)
            } catch {
                failure = error
            }
            continuation.yield(.ended(ObjectIdentifier(slot.record), failure))
        }
    }

    /// Reads messages until everything is made, or something cannot be.
    private mutating func follow(
        _ messages: AsyncStream<Message>,
        _ request: Request,
        _ limit: Duration?,
        isolation: isolated (any Actor)?,
        _ report: ((Locator.Progress) -> Void)?
    ) async -> InjectleError? {
        for await message in messages {
            switch message {
            case .began(let record):
                guard let index = positions[record], case .toGo = items[index].phase else { continue }
                items[index].phase = .inTheMaking(since: .now)
            case .needs(let record, let identity):
                if let index = positions[record] { items[index].needed = identity }
                continue
            case .ended(_, let failure?):
                return failure
            case .ended(let record, nil):
                guard let index = positions[record] else { continue }
                var duration = Duration.zero
                if case .inTheMaking(let start) = items[index].phase { duration = start.duration(to: .now) }
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

    private func cancelled(_ request: Request) -> InjectleError {
        .cancelled(request, items.first { if case .made = $0.phase { false } else { true } }?.slot)
    }

    private var progress: Locator.Progress {
        let now = ContinuousClock.now
        var progress = Locator.Progress()
        for index in made {
            guard case .made(let duration) = items[index].phase else { continue }
            progress.made.append(Locator.Progress.Step(identity: items[index].slot.identity, duration: duration))
        }
        for item in items {
            switch item.phase {
            case .toGo: progress.toGo.append(item.slot.identity)
            case .inTheMaking(let start):
                let step = Locator.Progress.Step(identity: item.slot.identity, duration: start.duration(to: now))
                progress.inTheMaking.append(step)
            case .made: break
            }
        }
        return progress
    }

    /// For each that is being made, what it waits for.
    private var waits: [(ServiceKey, [ServiceKey])] {
        var makers: [ObjectIdentifier: Strand] = [:]
        for holder in core.chain.flatMap(\.holders) {
            holder.forEachCell { cell in
                if case .wait(for: let maker) = cell.state.answer { makers[ObjectIdentifier(cell.record)] = maker }
            }
        }
        return items.compactMap { item in
            let awaited = makers[ObjectIdentifier(item.slot.record)]?.awaited ?? []
            var others = awaited.compactMap { ($0 as? TaskMaking)?.slot.identity }
            if others.isEmpty, let needed = item.needed { others = [needed] }
            return others.isEmpty ? nil : (item.slot.identity, others)
        }
    }
}

extension Core {
    /// One slot for each registration that a start is to make, and that is not made: what this locator keeps.
    fileprivate var slotsToStart: [Slot] {
        var seen: Set<ObjectIdentifier> = []
        return chain.flatMap(\.ownSlots).filter { slot in
            let record = slot.record
            guard record.isMadeByStart, keepsWhatIsMade(of: slot) else { return false }
            // What a nearer registration hides is not asked for here.
            guard slot.core === self || find(slot.identity) === slot else { return false }
            guard seen.insert(ObjectIdentifier(record)).inserted else { return false }
            return instance(of: record) == nil
        }
    }

    /// Whether this locator is who keeps what is made of a slot, which is here or in a parent.
    private func keepsWhatIsMade(of slot: Slot) -> Bool {
        switch slot.record.kind {
        case .perLocator: true
        case .perNamedLocator: slot.record.lifetime.details?.name == name
        default: slot.core === self
        }
    }
}

extension Record {
    /// Whether a start makes it, unless it is there.
    fileprivate var isMadeByStart: Bool {
        guard declared == nil else { return false }
        switch kind {
        case .lazy, .perLocator, .perNamedLocator: return isAtStart || isAsynchronous
        case .factory, .perArgument, .custom, .composite: return isAtStart
        case .eager, .unowned, .volatile, .weak, .graph: return false
        }
    }
}
