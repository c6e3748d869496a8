internal import CInjectle

// A core sends events to its behaviors and to its ancestors' behaviors.
//
// A read checks one word of the header, which also has the flag of strict locators. Properties do not cache their entry
// in an observed core, so each read checks that word.

extension LocatorCore {
    /// Whether this core or an ancestor has behaviors. It costs one load.
    var isObserved: Bool {
        @inline(__always) get { unsafe LocatorHeader.has(LocatorHeader.observed, header) }
    }

    // MARK: Sending

    /// Sends an event to the behaviors of this core, then to its ancestors' behaviors. No lock is held.
    ///
    /// - Parameters:
    ///   - identity: The identity of the event; by default, the first one of the registration.
    ///   - began: The start of an event that has a duration.
    ///   - isAsynchronous: Whether the event awaits; by default, whether the registration's closure does.
    @inline(never)
    func send(
        _ kind: Locator.Event.Kind,
        of record: RegistrationRecord,
        as identity: ServiceKey? = nil,
        since began: ContinuousClock.Instant? = nil,
        failure: (any Error)? = nil,
        isAsynchronous: Bool? = nil
    ) {
        guard isObserved, !EventDispatch.isInProgress else { return }
        // First, so that the duration does not include the dispatch.
        let now = ContinuousClock.now
        let behaviors = chain.flatMap(\.copiedBehaviors)
        if behaviors.isEmpty { return }
        let identities = record.identities
        let identity = identity ?? identities[0]
        let isCreation = kind == .willCreate || kind == .didCreate
        let event = Locator.Event(
            kind: kind,
            identity: identity,
            identities: identities,
            lifetime: record.lifetime,
            isAsynchronous: isAsynchronous ?? record.isAsynchronous,
            locatorName: name,
            locator: title,
            // A creation is on the path itself.
            path: isCreation ? Frame.path : Frame.path + [identity],
            began: began ?? now,
            duration: began.map { $0.duration(to: now) },
            thread: injectle_thread_number(),
            isOnMainThread: MainActorBridge.isMainThread,
            failure: failure
        )
        EventDispatch.mark(true) {
            for behavior in behaviors { behavior.handle(event) }
        }
    }

    /// Sends that a closure is about to run, in the frame of its creation. Returns the start, or nil without behaviors.
    func willCreate(_ entry: Entry) -> ContinuousClock.Instant? {
        guard isObserved else { return nil }
        send(.willCreate, of: entry.record, as: entry.identity)
        return .now
    }

    /// Sends that a closure has ended, in the frame of its creation, before any other caller gets the instance.
    ///
    /// - Parameter began: The result of `willCreate`.
    func didCreate(_ entry: Entry, since began: ContinuousClock.Instant?, failure: (any Error)? = nil) {
        guard let began else { return }
        send(.didCreate, of: entry.record, as: entry.identity, since: began, failure: failure)
    }

    /// Runs the creation of an entry's service in its frame, between the two events. Called only with behaviors.
    func withEvents(of entry: Entry, _ make: () throws -> Void) throws {
        let began = willCreate(entry)
        do {
            try make()
        } catch {
            didCreate(entry, since: began, failure: error)
            throw error
        }
        didCreate(entry, since: began)
    }

    // MARK: Pending events. The lock is held.

    /// Adds the event of a registration that has lost its last identity.
    func reportUnregistration(_ record: RegistrationRecord, _ retired: inout RetireList) {
        guard isObserved, !record.isUnregistrationReported else { return }
        record.isUnregistrationReported = true
        retired.add(effect: .event(.didUnregister, record, self))
    }

    /// Adds the event of a registration that was inserted.
    func reportRegistration(_ record: RegistrationRecord, _ retired: inout RetireList) {
        if isObserved { retired.add(effect: .event(.didRegister, record, self)) }
    }

    // MARK: Behaviors

    /// The behaviors of this core, in order.
    ///
    /// An array of its own: the other threads change theirs in place, under the lock, once no other reference to it
    /// exists.
    private var copiedBehaviors: [any Locator.Behavior] { lock.withLock { behaviors.map(\.behavior) } }

    /// Appends a behavior, and returns the number that removes it.
    func add(_ behavior: any Locator.Behavior) -> Int {
        let number = lock.withLock {
            addedBehaviors += 1
            behaviors.append((addedBehaviors, behavior))
            return addedBehaviors
        }
        updateObserved()
        return number
    }

    /// Removes a behavior, unless it was removed before.
    func removeBehavior(_ number: Int) {
        let removed = lock.withLock {
            behaviors.firstIndex { $0.number == number }.map { behaviors.remove(at: $0) }
        }
        if removed != nil { updateObserved() }
    }

    /// Removes all behaviors of a terminated locator, since they can refer to the core.
    func removeBehaviors() {
        let removed = lock.withLock {
            defer { behaviors = [] }
            return behaviors
        }
        if !removed.isEmpty { updateObserved() }
    }

    /// Updates the flag of this core and of its descendants.
    ///
    /// Each core computes its flag from its own list and its parent's flag, after the parent and under its own lock. So
    /// the last update of a core uses the last state of its parent, in whichever order concurrent changes run; and a
    /// child that is added meanwhile is either listed or has copied the flag.
    private func updateObserved() {
        var retired = RetireList()
        var cores = [self]
        while let core = cores.popLast() {
            cores += core.lock.withLock {
                core.updateOwnObserved(&retired)
                return core.listChildren()
            }
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
        // Properties that have cached an entry look it up again, and find the flag.
        for entry in index.all where entry.role != .perLocatorInstance { renew(entry, &retired) }
    }
}

/// Marks the code that behaviors run. Its own actions send no events, so no behavior observes itself or another one.
enum EventDispatch {
    /// Whether a behavior runs the calling code, on this thread or on one that waits for it.
    static var isInProgress: Bool { unsafe injectle_thread_current().pointee.is_sending_event != 0 }

    /// Runs `body` as code of a behavior, or as other code.
    static func mark(_ isDispatching: Bool, _ body: () -> Void) {
        let thread = unsafe injectle_thread_current()
        let before = unsafe thread.pointee.is_sending_event
        unsafe thread.pointee.is_sending_event = isDispatching ? 1 : 0
        defer { unsafe thread.pointee.is_sending_event = before }
        body()
    }
}
