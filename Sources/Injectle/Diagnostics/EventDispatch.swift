internal import CInjectle

// How behaviors are told what happens: to a core, and to those below it.
//
// Whoever reads finds one word that says whether to look further, and that word is there for strict locators anyway. So
// that no read passes by it, properties do not remember where they read in a core that is watched.

/// A behavior, and the number by which it is removed.
struct BehaviorEntry {
    let number: Int
    let behavior: any Locator.Behavior
}

extension LocatorCore {
    /// Whether anybody is to be told what happens here. It costs one load.
    var isObserved: Bool {
        @inline(__always) get { LocatorHeader.has(LocatorHeader.observed, header) }
    }

    // MARK: EventDispatch

    /// Tells the behaviors of this core, then those of its ancestors. Nothing, where there are none. No lock is held.
    ///
    /// - Parameters:
    ///   - record: The registration that it is about.
    ///   - identity: As what; if left out, what it is known as first.
    ///   - began: When what is told of began, if it lasts.
    ///   - failure: What it failed by.
    ///   - isAsynchronous: Whether it awaits; if left out, as the registration's closure does.
    @inline(__always)
    func send(
        _ kind: Locator.Event.Kind,
        of record: RegistrationRecord,
        as identity: ServiceKey? = nil,
        since began: ContinuousClock.Instant? = nil,
        failure: (any Error)? = nil,
        isAsynchronous: Bool? = nil
    ) {
        if isObserved { sendToBehaviors(kind, record, identity, began, failure, isAsynchronous) }
    }

    @inline(never)
    private func sendToBehaviors(
        _ kind: Locator.Event.Kind,
        _ record: RegistrationRecord,
        _ identity: ServiceKey?,
        _ began: ContinuousClock.Instant?,
        _ failure: (any Error)?,
        _ isAsynchronous: Bool?
    ) {
        if EventDispatch.isInProgress { return }
        // First, so that what follows is not part of it.
        let now = ContinuousClock.now
        let behaviors = chain.flatMap { core in core.lock.withLock { core.behaviors } }
        if behaviors.isEmpty { return }
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
            // A creation is on the path itself.
            path: isMaking ? Frame.path : Frame.path + [identity],
            began: began ?? now,
            duration: began.map { $0.duration(to: now) },
            thread: injectle_thread_number(),
            isOnMainThread: MainActorBridge.isMainThread,
            failure: failure
        )
        EventDispatch.mark(true) {
            for behaviorEntry in behaviors { kind.send(event, to: behaviorEntry.behavior) }
        }
    }

    /// Tells that a closure is about to run, in the frame of its creation. Returns when it began, or nil if there is
    /// nobody to be told.
    func willCreate(_ entry: Entry) -> ContinuousClock.Instant? {
        guard isObserved else { return nil }
        send(.willCreate, of: entry.record, as: entry.identity)
        return .now
    }

    /// Tells that a closure has ended, in the frame of its creation, and before anyone else has what it made.
    ///
    /// - Parameters:
    ///   - began: What `willCreate` has returned.
    ///   - failure: What it threw.
    func didCreate(_ entry: Entry, since began: ContinuousClock.Instant?, failure: (any Error)? = nil) {
        guard let began else { return }
        send(.didCreate, of: entry.record, as: entry.identity, since: began, failure: failure)
    }

    /// Runs what makes the service of a entry, in the frame of the creation, and tells of it.
    func withEvents(of entry: Entry, _ make: () throws -> Void) throws {
        guard isObserved else { return try make() }
        let began = willCreate(entry)
        do {
            try make()
        } catch {
            didCreate(entry, since: began, failure: error)
            throw error
        }
        didCreate(entry, since: began)
    }

    // MARK: What is told after a change. The lock is held.

    /// Notes that a registration has lost its last identity.
    func reportUnregistration(_ record: RegistrationRecord, _ retired: inout RetireList) {
        if record.isUnregistrationReported { return }
        record.isUnregistrationReported = true
        retired.add(PendingEvent(.didUnregister, record, in: self))
    }

    /// Notes that registrations were inserted as one step.
    func reportRegistration(_ insertions: [PendingInsertion], _ retired: inout RetireList) {
        var last: RegistrationRecord?
        for insertion in insertions where insertion.record !== last {
            last = insertion.record
            retired.add(PendingEvent(.didRegister, insertion.record, in: self))
        }
    }

    // MARK: Who is told

    /// Adds a behavior behind the others. Returns the number by which it is removed.
    func add(_ behavior: any Locator.Behavior) -> Int {
        let number = EventDispatch.nextNumber()
        lock.withLock { behaviors.append(BehaviorEntry(number: number, behavior: behavior)) }
        updateObserved()
        return number
    }

    /// Removes a behavior, if it is still there.
    func removeBehavior(_ number: Int) {
        let removed = lock.withLock {
            behaviors.firstIndex { $0.number == number }.map { behaviors.remove(at: $0) }
        }
        if removed != nil { updateObserved() }
    }

    /// Removes all, since the locator has ended: one of them may refer to the core.
    func removeBehaviors() {
        let removed = lock.withLock {
            defer { behaviors = [] }
            return behaviors
        }
        if !removed.isEmpty { updateObserved() }
    }

    /// Lets readers see, here and in all that are below, whether anybody is told of them.
    ///
    /// Each takes that from its parent's flag and its own list, after the parent has, under its own lock. So whatever
    /// order changes come in, the last look at a core sees the last state of its parent; and one that is adopted
    /// meanwhile is either listed or has seen the flag.
    private func updateObserved() {
        var retired = RetireList()
        var cores = [self]
        var position = 0
        while position < cores.count {
            let core = cores[position]
            cores += core.lock.withLock {
                core.updateOwnObserved(&retired)
                return core.listChildren()
            }
            position += 1
        }
        retired.dispose()
    }

    /// The lock is held.
    private func updateOwnObserved(_ retired: inout RetireList) {
        let wasObserved = isObserved
        let isObserved = !behaviors.isEmpty || parent?.isObserved ?? false
        guard isObserved != wasObserved else { return }
        set(LocatorHeader.observed, isObserved)
        guard isObserved else { return }
        revision += 1
        // Each read is looked at from now on, also by properties that remember where they read it.
        for entry in index.all where entry.role != .own { renew(entry, &retired) }
    }
}

/// What is told of a change once the lock is free.
struct PendingEvent {
    private let kind: Locator.Event.Kind
    private let record: RegistrationRecord
    private let core: LocatorCore

    init(_ kind: Locator.Event.Kind, _ record: RegistrationRecord, in core: LocatorCore) {
        self.kind = kind
        self.record = record
        self.core = core
    }

    func send() { core.send(kind, of: record) }
}

/// Whether behaviors are being told of something. What they do meanwhile is no event, so that no behavior hears of
/// itself or of another.
enum EventDispatch {
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
