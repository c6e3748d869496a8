extension Locator {
    /// Keeps this locator open for work that outlives the code that closes it, such as a task that a request starts.
    ///
    /// ```swift
    /// let sending = await locator.withChild("request", { $0.register(.eager(User(name: "Ada"))) }) { request in
    ///     let hold = request.hold()
    ///     return Task.detached {
    ///         try await hold.run { request in try request.resolve(User.self).name }
    ///     }
    /// }
    /// print(try await sending.value)  // Prints "Ada"
    /// ```
    ///
    /// Take it before the work starts. ``close(gracePeriod:isolation:)`` waits until all holds are released.
    /// `withChild` returns at once, and the child is closed when its last hold is released. The close of an ancestor
    /// waits for none of them, except for the grace period of `run`, which then names the holds that are left. A
    /// forgotten hold lets `close()` wait for ever, unless that has a grace period, as do works of two holds that close
    /// each other's locators.
    ///
    /// - Returns: A hold, which retains the locator.
    public func hold(fileID: StaticString = #fileID, line: UInt = #line) -> Hold {
        Hold(isUnbound ? Locator.ofProcess(with: core) : self, SourceLocation(fileID, line))
    }

    private static func ofProcess(with core: LocatorCore) -> Locator { core === Locator.test.core ? .test : .default }

    /// Keeps a locator open, until it is released: see ``Locator/hold(fileID:line:)``.
    ///
    /// ```swift
    /// let hold = locator.hold()
    /// let closing = Task { await locator.close() }  // waits
    /// print(try hold.locator.resolveOptional(User.self) == nil)  // Prints "true"
    /// hold.release()
    /// await closing.value
    /// ```
    ///
    /// A hold that is released with its last reference counts until then. Any thread can use it.
    public final class Hold: Sendable {
        /// The holds whose work the calling code is, by `run`: a close in that code, also by `Locator.run`, does not
        /// wait for them.
        static let running = OwnTaskLocal<[Hold]>()

        /// The locator, which stays open.
        public let locator: Locator
        private let isReleased = Mutex(false)

        init(_ locator: Locator, _ location: SourceLocation) {
            self.locator = locator
            locator.core.add(PresentHold(id: ObjectIdentifier(self), location: location))
        }

        deinit { release() }

        /// Calls a closure with the locator as the current one, and then releases the hold.
        ///
        /// ```swift
        /// let hold = locator.hold()
        /// let isCurrent = await hold.run { locator in Locator.shared === locator }
        /// print(isCurrent)  // Prints "true"
        /// ```
        ///
        /// - Parameters:
        ///   - isolation: The actor of the caller, on which the closure runs.
        ///   - body: The work.
        /// - Returns: The result of `body`.
        /// - Throws: The error of `body`.
        public func run<Value, Failure: Error>(
            isolation: isolated (any Actor)? = #isolation,
            _ body: (Locator) async throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            defer { release() }
            do {
                return try await Hold.running.withValue((Hold.running.current ?? []) + [self]) {
                    try await Locator.$shared.withValue(locator) {
                        // A closure runs on the actor of a parameter that it captures.
                        _ = isolation
                        return try await body(locator)
                    }
                }
            } catch {
                // `withValue` rethrows any error, and the closure throws a `Failure`.
                throw error as! Failure
            }
        }

        /// Ends the hold. Another call has no effect.
        ///
        /// ```swift
        /// let hold = locator.hold()
        /// hold.release()
        /// ```
        public func release() {
            let isFirst = isReleased.withLock { isReleased in
                defer { isReleased = true }
                return !isReleased
            }
            guard isFirst, let close = locator.core.removeHold(ObjectIdentifier(self)) else { return }
            Task { [locator] in await locator.perform(close) }
        }
    }

    private func perform(_ close: CloseAfterHolds) async {
        let errors = await Ending.close(core, within: close.gracePeriod)
        // No code waits for this close. The caller of another close receives its errors.
        if errors.isFirst { errors.report(to: nil) }
    }
}

/// A hold that is not released.
struct PresentHold {
    let id: ObjectIdentifier
    /// Where the code has taken it.
    let location: SourceLocation
    /// The number of closes in its work that wait for other holds: the work has nothing else to do.
    var waitingCloses = 0
}

/// The close of a child that the last hold begins.
struct CloseAfterHolds {
    let gracePeriod: Duration?
}

extension LocatorCore {
    fileprivate func add(_ hold: PresentHold) { state.withLock { $0.ensuredExtras.holds.append(hold) } }

    /// Removes a hold. Returns the close that the caller performs, if it was the last one.
    fileprivate func removeHold(_ id: ObjectIdentifier) -> CloseAfterHolds? {
        let close = state.withLock { state in
            let extras = state.ensuredExtras
            extras.holds.removeAll { $0.id == id }
            return extras.holds.isEmpty ? extras.closeAfterHolds.take() : nil
        }
        notifyObservers()
        return close
    }

    var isHeld: Bool { state.withLock { $0.extras?.holds.isEmpty == false } }

    /// Where the code has taken the holds of this locator and of its descendants, other than those whose work waits.
    var locationsOfHolds: [SourceLocation] {
        ([self] + descendants).flatMap { core in
            core.state.withLock { $0.extras?.holds ?? [] }.filter { $0.waitingCloses == 0 }.map(\.location)
        }
    }

    /// The holds whose work the calling code is.
    var ownHolds: Set<ObjectIdentifier> {
        Set((Locator.Hold.running.current ?? []).filter { $0.locator.core === self }.map(ObjectIdentifier.init))
    }

    /// Whether the work of each hold waits in a close.
    var allHoldsWait: Bool {
        state.withLock { $0.extras?.holds.allSatisfy { $0.waitingCloses > 0 } ?? true }
    }

    func countClose(_ change: Int, inWorkOf holds: Set<ObjectIdentifier>) {
        if holds.isEmpty { return }
        state.withLock { state in
            let extras = state.ensuredExtras
            for index in extras.holds.indices where holds.contains(extras.holds[index].id) {
                extras.holds[index].waitingCloses += change
            }
        }
        notifyObservers()
    }

    /// Leaves the close to the last hold, if there is one. Returns whether there is.
    func leaveToLastHold(_ close: CloseAfterHolds) -> Bool {
        state.withLock { state in
            guard let extras = state.extras, !extras.holds.isEmpty else { return false }
            extras.closeAfterHolds = close
            return true
        }
    }

    /// Waits until all holds are released or the time is over. Holds whose own work waits here do not count, and a
    /// close in progress waits for none.
    ///
    /// - Parameter waitsForChildren: Whether it waits until all children have ended, too.
    /// - Returns: The holds that are left, also of descendants.
    func waitForHolds(andChildren waitsForChildren: Bool = false, atMost limit: Duration?) async -> [SourceLocation] {
        if closeHasBegun { return [] }
        let own = ownHolds
        countClose(1, inWorkOf: own)
        defer { countClose(-1, inWorkOf: own) }
        let observer = addObserver()
        defer { removeObserver(observer) }
        let timer = limit.map { Timer(after: $0) { observer.continuation.finish() } }
        defer { timer?.cancel() }
        // The cancellation of the calling task does not end the wait.
        let isOver = await Task {
            for await _ in observer.stream where closeHasBegun || hasEnded || allHoldsWait {
                if !waitsForChildren || children.allSatisfy(\.hasEnded) { return true }
            }
            return false
        }.value
        return isOver ? [] : locationsOfHolds
    }
}
