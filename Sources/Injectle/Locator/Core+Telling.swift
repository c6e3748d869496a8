internal import CInjectle

// How behaviors are told what happens: to a core, and to those below it.
//
// Whoever reads finds one word that says whether to look further, and that word is there for strict locators anyway. So
// that no read passes by it, properties do not remember where they read in a core that is watched.

/// A behavior, and the number by which it is removed.
struct Watcher {
    let number: Int
    let behavior: any Locator.Behavior
}

extension Core {
    /// Whether anybody is to be told what happens here. It costs one load.
    var isWatched: Bool {
        @inline(__always) get { CoreHead.has(CoreHead.watched, head) }
    }

    // MARK: Telling

    /// Tells the behaviors of this core, then those of its ancestors. Nothing, where there are none. No lock is held.
    ///
    /// - Parameters:
    ///   - record: The registration that it is about.
    ///   - identity: As what; if left out, what it is known as first.
    ///   - began: When what is told of began, if it lasts.
    ///   - failure: What it failed by.
    ///   - isAsynchronous: Whether it awaits; if left out, as the registration's closure does.
    @inline(__always)
    func tell(
        _ kind: Locator.Event.Kind,
        of record: Record,
        as identity: ServiceKey? = nil,
        since began: ContinuousClock.Instant? = nil,
        failure: (any Error)? = nil,
        isAsynchronous: Bool? = nil
    ) {
        if isWatched { tellBehaviors(kind, record, identity, began, failure, isAsynchronous) }
    }

    @inline(never)
    private func tellBehaviors(
        _ kind: Locator.Event.Kind,
        _ record: Record,
        _ identity: ServiceKey?,
        _ began: ContinuousClock.Instant?,
        _ failure: (any Error)?,
        _ isAsynchronous: Bool?
    ) {
        if Telling.isInProgress { return }
        // First, so that what follows is not part of it.
        let now = ContinuousClock.now
        let watchers = chain.flatMap { core in core.lock.withLock { core.behaviors } }
        if watchers.isEmpty { return }
        let identities = record.identities
        let identity = identity ?? identities[0]
        let isMaking = kind == .willCreate || kind == .didCreate
        let event = Locator.Event(
            kind: kind,
            identity: identity,
            identities: identities,
            lifetime: record.lifetime,
            isAsynchronous: isAsynchronous ?? record.isAsynchronous,
            locatorName: name,
            locator: title,
            // A making is on the path itself.
            path: isMaking ? Frame.path : Frame.path + [identity],
            began: began ?? now,
            duration: began.map { $0.duration(to: now) },
            thread: injectle_thread_number(),
            isOnMainThread: MainActorDesk.isMainThread,
            failure: failure
        )
        Telling.mark(true) {
            for watcher in watchers { kind.tell(event, to: watcher.behavior) }
        }
    }

    /// Tells that a closure is about to run, in the frame of its making. Returns when it began, or nil if there is
    /// nobody to be told.
    func willCreate(_ slot: Slot) -> ContinuousClock.Instant? {
        guard isWatched else { return nil }
        tell(.willCreate, of: slot.record, as: slot.identity)
        return .now
    }

    /// Tells that a closure has ended, in the frame of its making, and before anyone else has what it made.
    ///
    /// - Parameters:
    ///   - began: What `willCreate` has returned.
    ///   - failure: What it threw.
    func didCreate(_ slot: Slot, since began: ContinuousClock.Instant?, failure: (any Error)? = nil) {
        guard let began else { return }
        tell(.didCreate, of: slot.record, as: slot.identity, since: began, failure: failure)
    }

    /// Runs what makes the service of a slot, in the frame of the making, and tells of it.
    func telling(of slot: Slot, _ make: () throws -> Void) throws {
        guard isWatched else { return try make() }
        let began = willCreate(slot)
        do {
            try make()
        } catch {
            didCreate(slot, since: began, failure: error)
            throw error
        }
        didCreate(slot, since: began)
    }

    // MARK: What is told after a change. The lock is held.

    /// Notes that a registration has lost its last identity.
    func noteGone(_ record: Record, _ garbage: inout Garbage) {
        if record.isToldGone { return }
        record.isToldGone = true
        garbage.add(News(.didUnregister, record, in: self))
    }

    /// Notes that registrations were inserted as one step.
    func noteInserted(_ entries: [Insertion], _ garbage: inout Garbage) {
        var last: Record?
        for entry in entries where entry.record !== last {
            last = entry.record
            garbage.add(News(.didRegister, entry.record, in: self))
        }
    }

    // MARK: Who is told

    /// Adds a behavior behind the others. Returns the number by which it is removed.
    func add(_ behavior: any Locator.Behavior) -> Int {
        let number = Telling.nextNumber()
        lock.withLock { behaviors.append(Watcher(number: number, behavior: behavior)) }
        updateWatched()
        return number
    }

    /// Removes a behavior, if it is still there.
    func removeBehavior(_ number: Int) {
        let removed = lock.withLock {
            behaviors.firstIndex { $0.number == number }.map { behaviors.remove(at: $0) }
        }
        if removed != nil { updateWatched() }
    }

    /// Removes all, since the locator has ended: one of them may refer to the core.
    func removeBehaviors() {
        let removed = lock.withLock {
            defer { behaviors = [] }
            return behaviors
        }
        if !removed.isEmpty { updateWatched() }
    }

    /// Lets readers see, here and in all that are below, whether anybody is told of them.
    ///
    /// Each takes that from its parent's flag and its own list, after the parent has, under its own lock. So whatever
    /// order changes come in, the last look at a core sees the last state of its parent; and one that is adopted
    /// meanwhile is either listed or has seen the flag.
    private func updateWatched() {
        var garbage = Garbage()
        var cores = [self]
        var position = 0
        while position < cores.count {
            let core = cores[position]
            cores += core.lock.withLock {
                core.updateOwnWatched(&garbage)
                return core.listChildren()
            }
            position += 1
        }
        garbage.dispose()
    }

    /// The lock is held.
    private func updateOwnWatched(_ garbage: inout Garbage) {
        let wasWatched = isWatched
        let isWatched = !behaviors.isEmpty || parent?.isWatched ?? false
        guard isWatched != wasWatched else { return }
        set(CoreHead.watched, isWatched)
        guard isWatched else { return }
        revision += 1
        // Each read is looked at from now on, also by properties that remember where they read it.
        for slot in index.all where slot.standing != .own { renew(slot, &garbage) }
    }
}

/// What is told of a change once the lock is free.
struct News {
    private let kind: Locator.Event.Kind
    private let record: Record
    private let core: Core

    init(_ kind: Locator.Event.Kind, _ record: Record, in core: Core) {
        self.kind = kind
        self.record = record
        self.core = core
    }

    func tell() { core.tell(kind, of: record) }
}

/// Whether behaviors are being told of something. What they do meanwhile is no event, so that no behavior hears of
/// itself or of another.
enum Telling {
    /// Whether the calling code was called by a behavior, on this thread or on one that waits for it.
    static var isInProgress: Bool { injectle_thread_current().pointee.is_telling != 0 }

    /// Runs `body` as such code, or as other.
    static func mark(_ isTelling: Bool, _ body: () -> Void) {
        let thread = injectle_thread_current()
        let before = thread.pointee.is_telling
        thread.pointee.is_telling = isTelling ? 1 : 0
        defer { thread.pointee.is_telling = before }
        body()
    }

    private static let lock = Lock()
    // Sound to share: touched only under `lock`.
    nonisolated(unsafe) private static var last = 0

    /// A number that no behavior has had.
    static func nextNumber() -> Int {
        lock.withLock {
            last += 1
            return last
        }
    }
}
