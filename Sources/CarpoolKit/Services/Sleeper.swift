/// Takes a while, where a program of more weight would have something to do.
protocol Sleeper: Sendable {
    func sleep(for duration: Duration) async throws
}

/// Lets real time pass.
struct TaskSleeper: Sleeper {
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
