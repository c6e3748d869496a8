internal import CInjectle

// A core sends an event to its behaviors and to its ancestors' behaviors, if one of them observes the kind of the
// event.
//
// The flags have a bit for each kind, so an event that no behavior observes costs one load, and a read checks that word
// anyway.

extension LocatorCore {
    /// Whether a behavior of this core or of an ancestor observes a kind of events.
    func observes(_ kind: Locator.Event.Kind) -> Bool { observedKinds & kind.bit != 0 }

    /// The start of an event that has a duration, or nil if no behavior observes its kind.
    func begin(_ kind: Locator.Event.Kind) -> ContinuousClock.Instant? { observes(kind) ? .now : nil }

    // MARK: Sending

    /// Sends an event to the behaviors of this core, then to its ancestors' behaviors. No lock is held. Returns whether
    /// one of them observes it.
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
        of record: AnyRecord,
        as identity: Locator.Identity,
        since start: ContinuousClock.Instant? = nil,
        failure: (any Error)? = nil,
        isAsynchronous: Bool? = nil,
        source: Locator.Event.Source? = nil
    ) -> Bool {
        guard observes(kind), !LocatorCore.isInBehavior else { return false }
        // First, so that the duration does not include the dispatch.
        let now = ContinuousClock.Instant.now
        // All of them before the first one runs, which can change them.
        let observers = observers(of: kind)
        let event = Locator.Event(
            kind: kind,
            identity: identity,
            identities: record.traits.identities,
            lifetime: record.traits.lifetime,
            isAsynchronous: isAsynchronous ?? record.traits.isAsync,
            locatorName: name,
            locator: title,
            began: start ?? now,
            duration: start.map { $0.duration(to: now) },
            thread: injectle_thread_number(),
            isOnMainThread: MainActorBridge.isMainThread,
            failure: failure,
            title: record.traits.title(
                as: Locator.Listing(identity: identity, isContribution: source?.isContribution ?? false)
            ),
            callers: Array(Frame.path.dropLast(kind.isInOwnFrame ? 1 : 0)),
            source: source
        )
        LocatorCore.markBehavior(true) {
            for behavior in observers { behavior.handle(event) }
        }
        return !observers.isEmpty
    }

    /// The behaviors of this core, and then of its ancestors, that observe a kind of event of this core.
    private func observers(of kind: Locator.Event.Kind) -> [any Locator.Behavior] {
        chain.flatMap { core in
            core.state.withLock { $0.extras?.behaviors ?? [] }
                .filter { $0.kinds & kind.bit != 0 && ($0.observesDescendants || core === self) }
                .map(\.behavior)
        }
    }

    var observesCreations: Bool { observes(.willCreate) || observes(.didCreate) }

    /// Sends that a closure is about to run, in the frame of its creation. Returns the start, or nil if no behavior
    /// observes creations.
    func willCreate(_ record: AnyRecord, _ identity: Locator.Identity) -> ContinuousClock.Instant? {
        guard observesCreations else { return nil }
        send(.willCreate, of: record, as: identity)
        // After the behaviors, which are no part of the creation.
        return .now
    }

    /// Sends that a closure has ended, in the frame of its creation, before any other caller gets the instance.
    ///
    /// - Parameter start: The result of `willCreate`.
    func didCreate(
        _ record: AnyRecord,
        _ identity: Locator.Identity,
        since start: ContinuousClock.Instant?,
        failure: (any Error)? = nil
    ) {
        if let start { send(.didCreate, of: record, as: identity, since: start, failure: failure) }
    }

    func didResolve(
        _ found: Found,
        _ request: Request,
        since start: ContinuousClock.Instant,
        isAsynchronous: Bool
    ) {
        let source = Locator.Event.Source(
            origin: request.origin,
            registrant: ObjectIdentifier(found.entry.core),
            isContribution: found.isContribution
        )
        let record = found.record
        let identity = found.identity
        send(.didResolve, of: record, as: identity, since: start, isAsynchronous: isAsynchronous, source: source)
    }

    // MARK: Behaviors

    /// Whether a behavior runs the calling code, on this thread or on one that waits for it. Its own actions send no
    /// events, so no behavior observes itself or another one.
    static var isInBehavior: Bool { injectle_is_in_behavior() }

    /// Runs `body` as code of a behavior, or as other code.
    static func markBehavior(_ isInBehavior: Bool, _ body: () -> Void) {
        let before = injectle_mark_behavior(isInBehavior)
        defer { _ = injectle_mark_behavior(before) }
        body()
    }

    /// Adds a behavior, and returns the number that removes it.
    func add(_ behavior: any Locator.Behavior, observesDescendants: Bool) -> Int {
        let kinds = behavior.observedKinds.reduce(UInt8(0)) { $0 | $1.bit }
        let number = state.withLock { state in
            state.ensuredExtras.addedBehaviors += 1
            let number = state.ensuredExtras.addedBehaviors
            state.ensuredExtras.behaviors.append(
                AddedBehavior(
                    number: number,
                    behavior: behavior,
                    kinds: kinds,
                    observesDescendants: observesDescendants
                )
            )
            return number
        }
        if kinds != 0 { updateObserved() }
        return number
    }

    /// Removes a behavior, unless it was removed before.
    func removeBehavior(_ number: Int) { changeBehaviors { $0.filter { $0.number != number } } }

    /// Removes all behaviors of a locator that has ended, since they can refer to the core.
    func removeBehaviors() {
        if state.withLock({ $0.extras?.behaviors.isEmpty ?? true }) { return }
        changeBehaviors { _ in [] }
    }

    private func changeBehaviors(_ change: ([AddedBehavior]) -> [AddedBehavior]) {
        // Released without the lock.
        let former = state.withLock { state -> [AddedBehavior] in
            guard let behaviors = state.extras?.behaviors else { return [] }
            state.extras?.behaviors = change(behaviors)
            return behaviors
        }
        if former.contains(where: { $0.kinds != 0 }) { updateObserved() }
        withExtendedLifetime(former) {}
    }

    /// Updates the flags of this core and of its descendants.
    ///
    /// Each core computes its flags from its own list and its parent's flags, after the parent and under its own lock.
    /// So the last update of a core uses the last state of its parent, in whichever order concurrent changes run; and a
    /// child that is added meanwhile is either listed or has copied the flags.
    private func updateObserved() {
        var cores = [self]
        while let core = cores.popLast() {
            cores += core.state.withLock { state in
                let inherited = core.parent?.kindsObservedBelow ?? 0
                let behaviors = state.extras?.behaviors ?? []
                core.observe(
                    behaviors.reduce(inherited) { $0 | $1.kinds },
                    below: behaviors.reduce(inherited) { $1.observesDescendants ? $0 | $1.kinds : $0 }
                )
                return state.children
            }
        }
    }
}

/// A behavior of a locator.
struct AddedBehavior {
    /// The number that removes it.
    let number: Int
    let behavior: any Locator.Behavior
    let kinds: UInt8
    let observesDescendants: Bool
}
