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
    func begin(_ kind: EventKinds) -> EventTime? { observes(kind) ? .now : nil }

    // MARK: Sending

    /// Sends an event to the behaviors of this core, then to its ancestors' behaviors. No lock is held. Returns whether one of
    /// them receives it by a function of its own.
    ///
    /// - Parameters:
    ///   - identity: The identity of the event.
    ///   - start: The start of an event that has a duration, from `begin`.
    ///   - end: Its end, if it is known; by default, now.
    ///   - isAsynchronous: Whether the event awaits; by default, whether the registration's closure does.
    ///   - source: The request of a resolve, and the core that has the registration.
    @inline(never)
    @discardableResult
    func send(
        _ kind: Locator.Event.Kind,
        of record: RegistrationRecord,
        as identity: Locator.Identity,
        since start: EventTime? = nil,
        until end: EventTime? = nil,
        failure: (any Error)? = nil,
        isAsynchronous: Bool? = nil,
        source: Locator.Event.Source? = nil
    ) -> Bool {
        let thread = unsafe injectle_thread_current()
        guard observes(EventKinds(kind)), unsafe thread.pointee.sent_kind == 0 else { return false }
        // First, so that the duration does not include the dispatch.
        let now = end ?? .now
        // All lists are loaded before the first behavior runs, which can change them. Usually, one core has behaviors.
        var lists = unsafe LoadedBehaviors(on: thread)
        unsafe lists.load(from: header)
        if lists.isEmpty { return false }
        defer { lists.release() }
        let event = unsafe Locator.Event(
            kind,
            of: record,
            as: identity,
            in: self,
            // A creation has a frame of its own.
            for: Frame.callers(withoutInnermost: EventKinds.creation.contains(kind)),
            isAsynchronous: isAsynchronous ?? record.isAsynchronous,
            threadNumber: thread.pointee.number,
            isOnMainThread: MainActorBridge.isPreparedMainThread(thread),
            start: start ?? now,
            end: start.map { _ in now },
            failure: failure,
            source: source
        )
        unsafe thread.pointee.sent_kind = UInt(kind.number) + 1
        lists.send(event)
        unsafe thread.pointee.sent_kind = 0
        if let ignoring = lists.ignoring { remove(kind, from: ignoring) }
        return lists.isReceived
    }

    /// Sends no more events of a kind to the behaviors of some types, here and above.
    @inline(never)
    private func remove(_ kind: Locator.Event.Kind, from types: [UInt]) {
        for core in chain {
            core.change { behaviors in
                behaviors = behaviors.map { types.contains($0.type) ? $0.without(EventKinds(kind)) : $0 }
            }
        }
    }

    /// Sends that a closure is about to run, in the frame of its creation. Returns the start, or nil if no behavior
    /// observes creations.
    ///
    /// - Parameter moment: The present moment, if the caller has just looked at the clock.
    func willCreate(_ entry: Entry, at moment: EventTime? = nil) -> EventTime? {
        guard observes(.willCreate) else { return observes(.creation) ? moment ?? .now : nil }
        _ = entry.withRecord { record in entry.withIdentity { send(.willCreate, of: record, as: $0, until: moment) } }
        // After the behaviors, which are no part of the creation.
        return .now
    }

    /// Sends that a closure has ended, in the frame of its creation, before any other caller gets the instance. Returns the
    /// end, or nil if no behavior observes it.
    ///
    /// - Parameter start: The result of `willCreate`.
    @discardableResult
    func didCreate(_ entry: Entry, since start: EventTime?, failure: (any Error)? = nil) -> EventTime? {
        guard let start, observes(.creation) else { return nil }
        let end = EventTime.now
        _ = entry.withRecord { record in
            entry.withIdentity { send(.didCreate, of: record, as: $0, since: start, until: end, failure: failure) }
        }
        return end
    }

    /// Runs the creation of an entry's service in its frame, between the two events. Called only if they are observed.
    /// Returns the end of the creation, which is observed.
    @discardableResult
    func withEvents(of entry: Entry, at moment: EventTime? = nil, _ make: () throws -> Void) throws -> EventTime? {
        let start = willCreate(entry, at: moment)
        do {
            try make()
        } catch {
            didCreate(entry, since: start, failure: error)
            throw error
        }
        return didCreate(entry, since: start)
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
        // Events say whether they are on the main thread.
        MainActorBridge.prepareMainThread()
        var number = 0
        change { behaviors in
            addedBehaviors += 1
            number = addedBehaviors
            behaviors.append(
                BehaviorList.Element(
                    number: number,
                    behavior: behavior,
                    kinds: kinds,
                    observesDescendants: observesDescendants
                )
            )
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
    private func change(_ body: (inout [BehaviorList.Element]) -> Void) {
        var retired = RetireList()
        let isChanged = lock.withLock {
            let before = behaviors
            var elements = before?.elements ?? []
            body(&elements)
            guard !elements.elementsEqual(before?.elements ?? [], by: ===) else { return false }
            behaviors = elements.isEmpty ? nil : BehaviorList(elements)
            unsafe BehaviorList.store(behaviors, in: header)
            retired.add(before)
            return true
        }
        if isChanged { updateObserved(&retired) }
        retired.dispose()
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
        nameEvents()
    }

    /// Called by the initializer.
    func nameEvents() {
        guard let name else { return }
        shortName = ShortText(name)
        if shortName.isEmpty { longNameParts = Locator.Event.RareParts(locatorName: name) }
    }

    /// The lock is held.
    private func updateOwnObserved(_ retired: inout RetireList) {
        let observedReads = observes(.didResolve)
        var inherited: EventKinds = []
        if let parent { inherited = unsafe LocatorHeader.kindsObservedBelow(parent.header) }
        unsafe LocatorHeader.observe(
            inherited.union(behaviors?.kinds ?? []),
            below: inherited.union(behaviors?.kindsOfDescendants ?? []),
            header
        )
        guard observes(.didResolve), !observedReads else { return }
        // Properties that have cached an entry look it up again, and find the flag.
        for entry in index.all where entry.role != .perLocatorInstance { renew(entry, &retired) }
    }
}

/// Marks the code that behaviors run. Its own actions send no events, so no behavior observes itself or another one.
///
/// It also finds out which functions a behavior does not implement: whether a type has the default implementation of one never
/// changes. So a delivery in which both the default `handle` of the behavior's type and its default function for the kind are
/// called shows that no event of this kind reaches code of the behavior, whatever else its code calls meanwhile.
enum EventDispatch {
    /// Whether a behavior runs the calling code, on this thread or on one that waits for it.
    static var isInProgress: Bool { unsafe injectle_thread_current().pointee.sent_kind != 0 }

    /// Runs `body` as code of a behavior, or as other code.
    static func mark(_ isDispatching: Bool, _ body: () -> Void) {
        let thread = unsafe injectle_thread_current()
        let before = unsafe thread.pointee.sent_kind
        unsafe thread.pointee.sent_kind = isDispatching ? .max : 0
        defer { unsafe thread.pointee.sent_kind = before }
        body()
    }

    static func address(of type: Any.Type) -> UInt { UInt(bitPattern: ObjectIdentifier(type)) }

    /// Calls a behavior, whose type has the address, with the event that the thread sends. Returns false if its function for
    /// the kind is the default one.
    @inline(__always)
    static func deliver(
        _ event: Locator.Event,
        to behavior: any Locator.Behavior,
        of type: UInt,
        on thread: UnsafeMutablePointer<injectle_thread>
    ) -> Bool {
        // A behavior can run other code that sends events.
        let (receiver, defaults) = unsafe (thread.pointee.receiver, thread.pointee.defaults)
        unsafe (thread.pointee.receiver, thread.pointee.defaults) = (type, 0)
        defer { unsafe (thread.pointee.receiver, thread.pointee.defaults) = (receiver, defaults) }
        behavior.handle(event)
        return unsafe thread.pointee.defaults < 2
    }

    /// The default `handle` of a type of behaviors is called.
    static func noteDefaultHandle(of type: Any.Type) {
        let thread = unsafe injectle_thread_current()
        if unsafe thread.pointee.receiver == address(of: type), unsafe thread.pointee.defaults == 0 {
            unsafe thread.pointee.defaults = 1
        }
    }

    /// The default function of a type of behaviors for a kind is called.
    static func noteDefault(of type: Any.Type, for kind: Locator.Event.Kind) {
        let thread = unsafe injectle_thread_current()
        if unsafe thread.pointee.receiver == address(of: type), unsafe thread.pointee.defaults == 1,
            unsafe thread.pointee.sent_kind == UInt(kind.number) + 1
        {
            unsafe thread.pointee.defaults = 2
        }
    }
}
