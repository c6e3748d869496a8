/// The `onDispose` hooks of a close: the hook that runs, and the errors of the hooks before it.
final class ClosingDisposers: Sendable {
    private struct State {
        var running: AnyRecord?
        var errors: [InjectleError] = []
    }

    private let state = Mutex(State())

    /// Records that the hooks of a registration run.
    func begin(_ record: AnyRecord) { state.withLock { $0.running = record } }

    /// Records that these hooks have ended.
    func end(_ errors: [InjectleError]) {
        let former = state.withLock { state in
            defer { state.running = nil }
            state.errors += errors
            return state.running
        }
        withExtendedLifetime(former) {}
    }

    /// The errors of a close that has not ended in time. The last one names the hook that still runs, or else the locator.
    func errors(of core: LocatorCore, after limit: Duration) -> [InjectleError] {
        let (running, errors) = state.withLock { ($0.running, $0.errors) }
        return errors + [running.map { .disposing($0, exceeded: limit) } ?? .closing(core, exceeded: limit)]
    }
}
