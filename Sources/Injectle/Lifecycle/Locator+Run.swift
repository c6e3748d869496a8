extension Locator {
    /// Starts this locator, and closes it once the calling task is cancelled and its children have ended.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.atStart().onDispose { _ in print("database closed") })
    /// let running = Task { try await locator.run(timeout: .seconds(10)) }
    /// running.cancel()
    /// try await running.value
    /// ```
    ///
    /// It returns normally after a cancellation. Use it for the root of a program, once: a closed locator does not start
    /// again. With swift-service-lifecycle, a locator is a service of a group by one line:
    ///
    /// ```text
    /// extension Locator: @retroactive Service {
    ///     public func run() async throws { try await cancelWhenGracefulShutdown { try await self.run(timeout: .seconds(10)) } }
    /// }
    /// ```
    ///
    /// Errors of `onDispose` hooks that no behavior observes are written to standard error. See <doc:StartAndClose>.
    ///
    /// - Parameters:
    ///   - limit: The time after which the start fails, at most ten years.
    ///   - gracePeriod: How long the locator waits for children, such as requests, until it closes them, too; nil
    ///     for no limit.
    ///   - isolation: The actor of the caller.
    /// - Throws: ``InjectleError``, of the start. The locator is then closed, too.
    /// - Complexity: As of the start and the close.
    public func run(
        timeout limit: Duration? = nil,
        gracePeriod: Duration? = .seconds(30),
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) {
        var failure: InjectleError?
        do throws(InjectleError) {
            try await start(timeout: limit, fileID: fileID, line: line)
            // The stream has no elements, and ends when the task is cancelled.
            let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
            for await _ in stream {}
            withExtendedLifetime(continuation) {}
        } catch {
            if error.kind != .cancelled || !Task.isCancelled { failure = error }
        }
        // In a task of its own, which the cancellation of the calling task does not cancel.
        await Task { [core] in await core.close(after: gracePeriod) }.value
        withExtendedLifetime(self) {}
        if let failure { throw failure }
    }
}

extension LocatorCore {
    /// Closes the locator once its children have ended, or the grace period has.
    fileprivate func close(after gracePeriod: Duration?) async {
        let end = gracePeriod.map { ContinuousClock.now + $0.clamped }
        while children.contains(where: { !$0.isTerminated }), end.map({ .now < $0 }) ?? true {
            try? await Task.sleep(for: .milliseconds(5))
        }
        let isObserved = observes(.didDispose)
        for error in await CloseOperation.close(self) where !isObserved { printError(error.description) }
    }
}
