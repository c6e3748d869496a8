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
    /// Take it before the work starts. ``close(isolation:)`` waits until all holds are released. `withChild` returns at
    /// once, and the child is closed when its last hold is released. The close of an ancestor waits for none of them,
    /// except for the grace period of `run`, which then names the holds that are left. A forgotten hold lets `close()`
    /// wait for ever, as do works of two holds that close each other's locators.
    ///
    /// - Returns: A hold, which retains the locator.
    public func hold(fileID: StaticString = #fileID, line: UInt = #line) -> Hold {
        Hold(isUnbound ? Locator.ofProcess(with: core) : self, SourceLocation(fileID, line))
    }

    private static func ofProcess(with core: LocatorCore) -> Locator { core === Locator.test.core ? .test : .default }

    /// Keeps a locator open, until it is released: see ``Locator/hold()``.
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
        /// The locators that the calling code holds by `run`, for which a close in that code does not wait.
        static let running = OwnTaskLocal<[LocatorCore]>()

        /// The locator, which stays open.
        public let locator: Locator
        private let location: SourceLocation
        private let isReleased = Mutex(false)

        init(_ locator: Locator, _ location: SourceLocation) {
            self.locator = locator
            self.location = location
            locator.core.addHold(location)
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
                return try await Hold.running.withValue((Hold.running.current ?? []) + [locator.core]) {
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
            guard isFirst, locator.core.removeHold(location) else { return }
            Task { [locator] in await locator.closeAfterHolds() }
        }
    }

    private func closeAfterHolds() async {
        // The code that could receive the errors has gone on.
        await core.closeCollectingErrors(within: .seconds(30)).report(to: nil)
    }
}

extension LocatorCore {
    fileprivate func addHold(_ location: SourceLocation) {
        state.withLock { $0.ensuredExtras.holds.append(location) }
    }

    /// Returns whether the last hold has ended, so that the caller closes the locator.
    fileprivate func removeHold(_ location: SourceLocation) -> Bool {
        let closes = state.withLock { state in
            let extras = state.ensuredExtras
            if let index = extras.holds.lastIndex(of: location) { extras.holds.remove(at: index) }
            return extras.holds.isEmpty && extras.isClosedByLastHold
        }
        notifyEndObservers()
        return closes
    }

    private var holds: Int { state.withLock { $0.extras?.holds.count ?? 0 } }

    /// Where the code has taken the holds of this locator and of its descendants.
    var locationsOfHolds: [SourceLocation] {
        ([self] + descendants).flatMap { core in core.state.withLock { $0.extras?.holds ?? [] } }
    }

    /// The number of holds whose code waits in a close, and has done its work.
    private var waitingHolds: Int { state.withLock { $0.extras?.waitingHolds ?? 0 } }

    private func addWaitingHolds(_ count: Int) {
        if count == 0 { return }
        state.withLock { $0.ensuredExtras.waitingHolds += count }
        notifyEndObservers()
    }

    var isHeld: Bool { holds > 0 }

    /// Leaves the close to the last hold, if there is one. Returns whether there is.
    func leaveCloseToLastHold() -> Bool {
        state.withLock { state in
            guard let extras = state.extras, !extras.holds.isEmpty else { return false }
            state.extras?.isClosedByLastHold = true
            return true
        }
    }

    /// Waits until all holds are released, except for those of the calling code and of other code that waits here. A
    /// close in progress waits for none.
    func waitForHolds() async {
        let own = Locator.Hold.running.current?.count { $0 === self } ?? 0
        if isClosing || holds <= own { return }
        addWaitingHolds(own)
        defer { addWaitingHolds(-own) }
        // The cancellation of the calling task does not end the wait.
        await Task {
            for await _ in endings().stream where isClosing || hasEnded || holds <= waitingHolds { return }
        }.value
    }
}
