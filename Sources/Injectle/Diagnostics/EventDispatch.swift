internal import CInjectle

// A core sends an event to its behaviors and to its ancestors' behaviors, if one of them observes the kind of the event.
//
// The flags of the header have a bit for each kind, so an event that no behavior observes costs one load, and a read
// checks that word anyway. Properties do not cache their entry in a core whose reads are observed.

extension LocatorCore {
    /// Whether a behavior of this core or of an ancestor observes one of some kinds of events. It costs one load.
    @inline(__always)
    func observes(_ kinds: EventKinds) -> Bool { unsafe LocatorHeader.has(LocatorHeader.observed(kinds), header) }

    /// The start of an event that has a duration, or nil if no behavior observes its kind.
    func begin(_ kind: EventKinds) -> ContinuousClock.Instant? { observes(kind) ? .now : nil }

    // MARK: Sending

    /// Sends an event to the behaviors of this core, then to its ancestors' behaviors. No lock is held. Returns whether one of
    /// them observes it.
    ///
    /// - Parameters:
    ///   - identity: The identity of the event.
    ///   - start: The start of an event that has a duration, from `begin`.
    ///   - isAsynchronous: Whether the event awaits; by default, whether the registration's closure does.
    ///   - source: The request of a resolve, and the core that has the registration.
    @inline(never)
    @discardableResult
    func send(
        _ kind: Locator.Event.Kind,
        of record: RegistrationRecord,
        as identity: Locator.Identity,
        since start: ContinuousClock.Instant? = nil,
        failure: (any Error)? = nil,
        isAsynchronous: Bool? = nil,
        source: Locator.Event.Source? = nil
    ) -> Bool {
        guard observes(EventKinds(kind)), !EventDispatch.isInProgress else { return false }
        // First, so that the duration does not include the dispatch.
        let now = ContinuousClock.Instant.now
        // All of them before the first one runs, which can change them.
        let observers = observers(of: kind)
        let event = Locator.Event(
            kind,
            of: record,
            as: identity,
            in: self,
            // A creation has a frame of its own.
            for: Frame.callers(withoutInnermost: EventKinds.creation.contains(kind)),
            isAsynchronous: isAsynchronous ?? record.isAsynchronous,
            began: start ?? now,
            ended: start.map { _ in now },
            failure: failure,
            source: source
        )
        EventDispatch.mark(true) {
            for behavior in observers { behavior.handle(event) }
        }
        return !observers.isEmpty
    }

    /// The behaviors of this core, and then of its ancestors, that observe a kind of event of this core.
    private func observers(of kind: Locator.Event.Kind) -> [any Locator.Behavior] {
        chain.flatMap { core in
            core.lock.withLock { core.behaviors }
                .filter { $0.kinds.contains(kind) && ($0.observesDescendants || core === self) }
                .map(\.behavior)
        }
    }

    /// Sends that a closure is about to run, in the frame of its creation. Returns the start, or nil if no behavior
    /// observes creations.
    func willCreate(_ entry: Entry) -> ContinuousClock.Instant? {
        guard observes(.creation) else { return nil }
        send(.willCreate, of: entry.record, as: entry.identity)
        // After the behaviors, which are no part of the creation.
        return .now
    }

    /// Sends that a closure has ended, in the frame of its creation, before any other caller gets the instance.
    ///
    /// - Parameter start: The result of `willCreate`.
    func didCreate(_ entry: Entry, since start: ContinuousClock.Instant?, failure: (any Error)? = nil) {
        guard let start else { return }
        send(.didCreate, of: entry.record, as: entry.identity, since: start, failure: failure)
    }

    /// Runs the creation of an entry's service in its frame, between the two events.
    func withEvents(of entry: Entry, _ make: () throws -> Void) throws {
        let start = willCreate(entry)
        do {
            try make()
        } catch {
            didCreate(entry, since: start, failure: error)
            throw error
        }
        didCreate(entry, since: start)
    }

    /// Sends the end of all registrations of a released locator, whose core nothing else refers to.
    func reportRelease() {
        index.forEach { entry in
            guard entry.role == .registered else { return }
            let record = entry.record
            record.entries -= 1
            guard record.entries == 0, !record.isUnregistrationReported else { return }
            record.isUnregistrationReported = true
            send(.didUnregister, of: record, as: record.identity)
        }
    }

    // MARK: Pending events. The lock is held.

    /// Adds the event of a registration that has lost its last identity.
    func reportUnregistration(_ record: RegistrationRecord, _ retired: inout RetireList) {
        guard observes(.didUnregister), !record.isUnregistrationReported else { return }
        record.isUnregistrationReported = true
        retired.add(effect: .event(.didUnregister, record, self))
    }

    /// Adds the event of a registration that was inserted.
    func reportRegistration(_ record: RegistrationRecord, _ retired: inout RetireList) {
        if observes(.didRegister) { retired.add(effect: .event(.didRegister, record, self)) }
    }

    // MARK: Behaviors

    /// Adds a behavior, and returns the number that removes it.
    func add(_ behavior: any Locator.Behavior, observesDescendants: Bool) -> Int {
        let kinds = EventKinds(behavior.observedKinds)
        var number = 0
        change { behaviors in
            addedBehaviors += 1
            number = addedBehaviors
            behaviors.append(AddedBehavior(number, behavior, kinds, observesDescendants))
        }
        return number
    }

    /// Removes a behavior, unless it was removed before.
    func removeBehavior(_ number: Int) {
        change { behaviors in behaviors.removeAll { $0.number == number } }
    }

    /// Removes all behaviors of a terminated locator, since they can refer to the core.
    func removeBehaviors() {
        change { behaviors in behaviors = [] }
    }

    /// Changes the list of behaviors. The lock is held meanwhile.
    private func change(_ body: (inout [AddedBehavior]) -> Void) {
        // Released without the lock.
        let former = lock.withLock {
            defer { body(&behaviors) }
            return behaviors
        }
        var retired = RetireList()
        updateObserved(&retired)
        retired.dispose()
        withExtendedLifetime(former) {}
    }

    /// Updates the flags of this core and of its descendants.
    ///
    /// Each core computes its flags from its own list and its parent's flags, after the parent and under its own lock. So
    /// the last update of a core uses the last state of its parent, in whichever order concurrent changes run; and a
    /// child that is added meanwhile is either listed or has copied the flags.
    private func updateObserved(_ retired: inout RetireList) {
        var cores = [self]
        while let core = cores.popLast() {
            cores += core.lock.withLock {
                core.updateOwnObserved(&retired)
                return core.listChildren()
            }
        }
    }

    /// Called by the initializer.
    func inheritObserved(from parent: LocatorCore) {
        let inherited = unsafe LocatorHeader.kindsObservedBelow(parent.header)
        if inherited.isEmpty { return }
        unsafe LocatorHeader.observe(inherited, below: inherited, header)
    }

    /// The lock is held.
    private func updateOwnObserved(_ retired: inout RetireList) {
        let observedReads = observes(.didResolve)
        var inherited: EventKinds = []
        if let parent { inherited = unsafe LocatorHeader.kindsObservedBelow(parent.header) }
        unsafe LocatorHeader.observe(
            behaviors.reduce(inherited) { $0.union($1.kinds) },
            below: behaviors.reduce(inherited) { $1.observesDescendants ? $0.union($1.kinds) : $0 },
            header
        )
        guard observes(.didResolve), !observedReads else { return }
        // Properties that have cached an entry look it up again, and find the flag.
        for entry in index.all where entry.role != .perLocatorInstance { renew(entry, &retired) }
    }
}

/// Marks the code that behaviors run. Its own actions send no events, so no behavior observes itself or another one.
enum EventDispatch {
    /// Whether a behavior runs the calling code, on this thread or on one that waits for it.
    static var isInProgress: Bool { unsafe injectle_thread_current().pointee.in_behavior }

    /// Runs `body` as code of a behavior, or as other code.
    static func mark(_ isDispatching: Bool, _ body: () -> Void) {
        let thread = unsafe injectle_thread_current()
        let before = unsafe thread.pointee.in_behavior
        unsafe thread.pointee.in_behavior = isDispatching
        defer { unsafe thread.pointee.in_behavior = before }
        body()
    }
}

/// A behavior of a locator.
struct AddedBehavior {
    let number: Int
    let behavior: any Locator.Behavior
    let kinds: EventKinds
    let observesDescendants: Bool

    init(_ number: Int, _ behavior: any Locator.Behavior, _ kinds: EventKinds, _ observesDescendants: Bool) {
        (self.number, self.behavior, self.kinds) = (number, behavior, kinds)
        self.observesDescendants = observesDescendants
    }
}
