/// The `onDispose` hooks of an ending in a task: the hook that runs, and the errors of the hooks before it.
final class RunningDisposers: Sendable {
    /// Why a hook has no outcome.
    struct LeftBehind: Error {
        let limit: Duration
    }

    private struct State {
        var running: AnyRecord?
        /// Cancels the async hook that runs, and leaves it behind.
        var leave: (@Sendable (LeftBehind) -> Void)?
        var errors: [InjectleError] = []
    }

    private let state = Mutex(State())

    /// Records that the hooks of a registration run.
    func didBegin(_ record: AnyRecord) { state.withLock { $0.running = record } }

    /// Records that these hooks have ended.
    func didEnd(_ errors: [InjectleError]) {
        let former = state.withLock { state in
            defer { state.running = nil }
            state.errors += errors
            return state.running
        }
        withExtendedLifetime(former) {}
    }

    /// Adds an error that is no hook's.
    func add(_ error: InjectleError) { state.withLock { $0.errors.append(error) } }

    /// Runs an async hook in a task of its own, so that the ending can go on without it.
    ///
    /// - Throws: The error of the hook, or a `LeftBehind`.
    func run(_ hook: @escaping @concurrent @Sendable () async throws -> Void) async throws {
        let outcome = FirstValue<Result<Void, any Error>>()
        let context = TaskContext.current
        // The task has released what the hook captures before its outcome is known: the ending releases the instance
        // then.
        let hook = Mutex<(@concurrent @Sendable () async throws -> Void)?>(hook)
        let task = Task {
            await context.run {
                let result = await RunningDisposers.result(of: hook)
                outcome.set(result)
            }
        }
        state.withLock { state in
            state.leave = { reason in
                task.cancel()
                outcome.set(.failure(reason))
            }
        }
        let result = await outcome.value
        let former = state.withLock { $0.leave.take() }
        withExtendedLifetime(former) {}
        try result.get()
    }

    private static func result(of hook: Mutex<(@concurrent @Sendable () async throws -> Void)?>) async
        -> Result<Void, any Error>
    {
        let hook = hook.withLock { $0.take() }
        do {
            try await hook?()
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Cancels the async hook that runs, and leaves it behind, after a time. Returns false if there is none.
    func leaveRunning(after limit: Duration) -> Bool {
        guard let leave = state.withLock({ $0.leave }) else { return false }
        leave(LeftBehind(limit: limit))
        return true
    }

    /// The errors of an ending that cannot go on. The last one names the hook that still runs, or else the locator.
    func errors(of core: LocatorCore, after limit: Duration) -> [InjectleError] {
        let (running, errors) = state.withLock { ($0.running, $0.errors) }
        return errors + [running.map { .disposing($0, exceeded: limit) } ?? .closing(core, exceeded: limit)]
    }
}
