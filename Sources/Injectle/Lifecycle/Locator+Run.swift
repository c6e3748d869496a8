extension Locator {
    /// Starts this locator, calls a closure, and closes the locator.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.atStart().onDispose { _ in print("database closed") })
    /// try await locator.run(timeout: .seconds(10), gracePeriod: .seconds(5)) {
    ///     print("serving")
    /// }
    /// // Prints:
    /// //     serving
    /// //     database closed
    /// ```
    ///
    /// The closure is the program, such as a server that runs until SIGTERM, and has the locator as `Locator.shared`.
    /// The locator is closed in any case: if the start fails, if the closure throws, and if the calling task is
    /// cancelled. Use it for the root of a program, once: a closed locator does not start again. See
    /// <doc:StartAndClose>.
    ///
    /// - Parameters:
    ///   - limit: The time after which the start fails, at most ten years.
    ///   - gracePeriod: How long the locator waits for its children, such as requests in progress, until it closes
    ///     them; and then, how long for the `onDispose` hooks. An async hook that still runs is cancelled and left
    ///     behind, and those after it get the same time. `nil` for no limit. After a start that failed, it waits for
    ///     hooks only.
    ///   - isolation: The actor of the caller.
    ///   - report: Receives the errors of the close, if there are any; they are not thrown then. A hook that still runs
    ///     at the end of the grace period is one of them: an ``InjectleError/disposalFailed`` that names the hook. So
    ///     are holds that were not released: another one has their files and lines.
    ///   - body: The program. It runs on the actor of the caller.
    /// - Returns: The result of `body`.
    /// - Throws: The error of the start or of `body`; else, without `report`, the first error of the close. Errors of
    ///   hooks that are neither thrown nor reported are written to standard error, unless a behavior observes
    ///   `didDispose`.
    /// - Complexity: As of the start and the close.
    public func run<Value>(
        timeout limit: Duration? = nil,
        gracePeriod: Duration? = .seconds(30),
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        onDisposalErrors report: (([InjectleError]) -> Void)? = nil,
        _ body: () async throws -> Value
    ) async throws -> Value {
        // The current locator can be another one at the end.
        let core = core
        var isStarted = false
        let result: Result<Value, any Error>
        do {
            try await start(timeout: limit, fileID: fileID, line: line)
            isStarted = true
            result = .success(try await asCurrent(isolation, body))
        } catch {
            result = .failure(error)
        }
        let errors = await core.close(within: gracePeriod, waitingForChildren: isStarted)
        switch result {
        case .success(let value):
            try errors.throwFirst(unlessReportedTo: report)
            return value
        case .failure(let error):
            errors.report(to: report)
            throw error
        }
    }

    /// Calls a closure with this locator as the current one, and binds it where it is not.
    private func asCurrent<Value>(_ isolation: isolated (any Actor)?, _ body: () async throws -> Value) async throws
        -> Value
    {
        if Locator.shared.core === core { return try await body() }
        return try await Locator.$shared.withValue(self) {
            // A closure runs on the actor of a parameter that it captures.
            _ = isolation
            return try await body()
        }
    }

    /// Starts this locator, and closes it once the calling task is cancelled and its children have ended.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.atStart().onDispose { _ in print("database closed") })
    /// let running = Task { try await locator.run(timeout: .seconds(10)) }
    /// running.cancel()
    /// try await running.value
    /// ```
    ///
    /// It returns normally after a cancellation, also during the start, and after a ``close(gracePeriod:isolation:)``
    /// by other code. With swift-service-lifecycle, a locator is a service of a group by one line:
    ///
    /// ```text
    /// extension Locator: @retroactive Service {
    ///     public func run() async throws { try await cancelWhenGracefulShutdown { try await self.run(timeout: .seconds(10)) } }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: The time after which the start fails, at most ten years.
    ///   - gracePeriod: How long the locator waits for its children, and then for the `onDispose` hooks; `nil` for no
    ///     limit.
    ///   - isolation: The actor of the caller.
    ///   - report: Receives the errors of the close, if there are any; they are not thrown then.
    /// - Throws: ``InjectleError``: of the start, else of the close, as with the form with a closure.
    /// - Complexity: As of the start and the close.
    public func run(
        timeout limit: Duration? = nil,
        gracePeriod: Duration? = .seconds(30),
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        onDisposalErrors report: (([InjectleError]) -> Void)? = nil
    ) async throws(InjectleError) {
        var isStarted = false
        var failure: InjectleError?
        do throws(InjectleError) {
            try await start(timeout: limit, fileID: fileID, line: line)
            isStarted = true
            let observer = core.addObserver()
            defer { core.removeObserver(observer) }
            // The cancellation of the calling task ends the stream.
            for await _ in observer.stream where core.hasEnded { break }
        } catch {
            if error.kind != .cancelled || !Task.isCancelled { failure = error }
        }
        let errors = await core.close(within: gracePeriod, waitingForChildren: isStarted)
        if let failure {
            errors.report(to: report)
            throw failure
        }
        try errors.throwFirst(unlessReportedTo: report)
    }
}

extension LocatorCore {
    /// Closes the locator, whether or not the calling task is cancelled. Returns the errors of the close.
    fileprivate func close(within gracePeriod: Duration?, waitingForChildren: Bool) async -> CloseErrors {
        let limit = gracePeriod.map(\.clamped)
        let errors = FirstValue<CloseErrors>()
        let context = TaskContext.current
        Task {
            await context.run {
                let holds = waitingForChildren ? await waitForHolds(andChildren: true, atMost: limit) : []
                errors.set(await Ending.close(self, within: limit).adding(holds, of: self, after: limit))
            }
        }
        return await errors.value
    }
}
