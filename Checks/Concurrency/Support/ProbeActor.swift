/// An actor whose tasks report their first suspension, so that a test knows that a caller waits.
public actor ProbeActor {
    public init() {}

    /// Starts a task that runs `body` on a new actor. Returns when the task suspends for the first time, or ends.
    ///
    /// - Parameter body: Must not leave the actor before the suspension that the test expects.
    public static func startTask<Value: Sendable>(
        _ body: @escaping @Sendable (isolated ProbeActor) async throws -> Value
    ) async -> Task<Value, any Error> {
        await ProbeActor().startTask(body)
    }

    private func startTask<Value: Sendable>(
        _ body: @escaping @Sendable (isolated ProbeActor) async throws -> Value
    ) async -> Task<Value, any Error> {
        let started = Signal()
        let task = Task {
            started.set()
            return try await body(self)
        }
        // Resumes on this actor, and so only when the task no longer occupies it.
        await started.reached()
        return task
    }
}
