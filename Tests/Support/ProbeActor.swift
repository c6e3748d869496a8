/// Where somebody asks for something, so that it can be told when they have come to wait.
public actor Desk {
    public init() {}

    /// Begins a task that runs `body` here. Returns when that waits for the first time, or has ended.
    ///
    /// - Parameter body: Is to call nothing that leaves this actor before it waits.
    public static func begin<Value: Sendable>(
        _ body: @escaping @Sendable (isolated Desk) async throws -> Value
    ) async -> Task<Value, any Error> {
        await Desk().begin(body)
    }

    private func begin<Value: Sendable>(
        _ body: @escaping @Sendable (isolated Desk) async throws -> Value
    ) async -> Task<Value, any Error> {
        let begun = Signal()
        let task = Task {
            begun.set()
            return try await body(self)
        }
        // Goes on here, and so not before the task has let go of this actor.
        await begun.reached()
        return task
    }
}
