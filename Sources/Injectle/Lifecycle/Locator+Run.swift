extension Locator {
    /// Starts this locator, calls a closure, and closes the locator when the closure has ended and the children have, too.
    ///
    /// ```swift
    /// struct Server { func serve() async throws { print("serving") } }
    /// locator.register(.lazy { Database() }.atStart().onDispose { _ in print("database closed") })
    /// try await locator.run(timeout: .seconds(10)) {
    ///     try await Server().serve()
    /// }
    /// // Prints:
    /// //     serving
    /// //     database closed
    /// ```
    ///
    /// 1. The locator starts, as by ``start(timeout:isolation:fileID:line:onProgress:)``.
    /// 2. `body` runs in a child task. It is cancelled with the calling task, when a
    ///    ``Registration/running(_:)`` closure of the locator ends early, and when other code closes the locator.
    /// 3. Once `body` has ended, the children of the locator end: each is closed or released by the code that uses it, as
    ///    ``withChild(_:_:isolation:onDisposalErrors:_:)`` does. So no request meets a closed locator.
    /// 4. The locator is closed, as by ``close(isolation:)``, also if the start or `body` failed.
    ///
    /// Use it for the root of a program, once: a closed locator does not start again. See <doc:StartAndClose>.
    ///
    /// - Parameters:
    ///   - limit: The time after which the start fails, at most ten years.
    ///   - gracePeriod: How long the locator waits for children after `body` has ended; nil for no limit. Then it closes
    ///     the open ones, and reports ``InjectleError/locatorClosed``.
    ///   - fileID: The file that errors name.
    ///   - line: The line that errors name.
    ///   - report: Receives the errors of the close, if there are any. By default, they are written to standard error;
    ///     errors of `onDispose` hooks only if no behavior observes them.
    ///   - body: The program, such as the `run()` of a server.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or an ``InjectleError``: of the start, or ``InjectleError/factoryFailed`` if a `running`
    ///   closure ended early.
    /// - Complexity: As of the start and the close.
    public func run<Value: Sendable>(
        timeout limit: Duration? = nil,
        gracePeriod: Duration? = .seconds(30),
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        onDisposalErrors report: (([InjectleError]) -> Void)? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        var request = ResolveRequest(Locator.self, fileID, line, isOptional: false)
        request.requester = .start
        return try await RunOperation.run(
            self,
            request,
            timeout: limit,
            gracePeriod: gracePeriod,
            onDisposalErrors: report,
            body
        ).get()
    }

    /// Starts this locator, and closes it once the calling task is cancelled and its children have ended.
    ///
    /// ```swift
    /// let running = Task { try await locator.run(timeout: .seconds(10)) }
    /// running.cancel()
    /// try await running.value
    /// ```
    ///
    /// It returns normally after a cancellation. With swift-service-lifecycle, a locator is a service of a group by one line:
    ///
    /// ```text
    /// extension Locator: @retroactive Service {
    ///     public func run() async throws { try await cancelWhenGracefulShutdown { try await self.run(timeout: .seconds(10)) } }
    /// }
    /// ```
    ///
    /// A group whose service fails cancels all services at once, so a server of the group can still get a request while the
    /// locator closes. Run the server in the closure of ``run(timeout:gracePeriod:isolation:fileID:line:onDisposalErrors:_:)``
    /// instead, or hold a child while it runs: see <doc:StartAndClose>.
    ///
    /// - Throws: ``InjectleError``: of the start, or ``InjectleError/factoryFailed`` if a
    ///   ``Registration/running(_:)`` closure ended early.
    public func run(
        timeout limit: Duration? = nil,
        gracePeriod: Duration? = .seconds(30),
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        onDisposalErrors report: (([InjectleError]) -> Void)? = nil
    ) async throws(InjectleError) {
        do {
            try await run(
                timeout: limit,
                gracePeriod: gracePeriod,
                fileID: fileID,
                line: line,
                onDisposalErrors: report
            ) {
                // The stream has no elements, and ends when the task is cancelled.
                let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
                for await _ in stream {}
                withExtendedLifetime(continuation) {}
            }
        } catch let error as InjectleError {
            if error.kind == .cancelled, Task.isCancelled { return }
            throw error
        } catch {
            // The body throws nothing, and all other errors are the library's.
            preconditionFailure("\(error)")
        }
    }
}
