/// A lifetime that replaces the instance once it has reached an age.
///
/// It is a custom lifetime whose scope lasts for one instance, so each registration has its own.
///
/// Invariant: `start` is the time of the last request before the scope had an instance.
final class TimeToLive: Locator.CustomLifetime {
    private let duration: Duration
    /// The time of the clock since this was created.
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    private struct State {
        /// Has the present instance.
        var scope = Locator.Scope()
        var start = Duration.zero
    }

    init(_ duration: Duration, on clock: some Clock<Duration>) {
        let origin = clock.now
        self.duration = duration
        now = { origin.duration(to: clock.now) }
    }

    /// Called at each resolve. An expired instance is disposed of here.
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? {
        // The clock is a user's code, so no lock is held.
        let now = now()
        let former = state.snapshot
        let hasInstance = former.scope.cells.hasInstance
        if hasInstance, now - former.start < duration { return former.scope }
        let next = State(scope: hasInstance ? Locator.Scope() : former.scope, start: max(former.start, now))
        let current = state.withLock { state in
            // Otherwise, another thread has replaced it.
            if state.scope === former.scope { state = next }
            return state.scope
        }
        if hasInstance { former.scope.reset() }
        return current
    }
}

extension Locator.LifetimeConvertible where Self == Locator.Lifetime {
    /// A singleton that is replaced by a new instance once it has reached an age.
    ///
    /// ```swift
    /// struct Rates { let fetchedAt = ContinuousClock.now }
    ///
    /// locator.register(.lazy { Rates() }.lifetime(.timeToLive(.seconds(60))))
    /// ```
    ///
    /// The first resolve after that time releases the old instance, runs its `onDispose` hooks and creates another one.
    /// Nothing happens in between: there is no timer. A caller that holds the old instance keeps it. An ``Inject``
    /// property checks the age at each read.
    ///
    /// - Parameters:
    ///   - duration: The largest age of an instance that a resolve returns.
    ///   - clock: Measures the age. A test passes a clock that it sets itself.
    /// - Returns: The lifetime. Each registration measures the age of its own instance.
    /// - Complexity: O(1) at each resolve, which takes a lock.
    public static func timeToLive(_ duration: Duration, clock: some Clock<Duration> = ContinuousClock()) -> Self {
        let details = Self.Details(
            name: "time to live \(duration)",
            ofEachRegistration: { TimeToLive(duration, on: clock) },
            maximumAge: duration
        )
        return Self(.custom, details)
    }
}
