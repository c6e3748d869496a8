import Synchronization

/// A clock whose sleeps end when a test ends them.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [(id: Int, end: Instant, continuation: CheckedContinuation<Void, any Error>)] = []
        var lastID = 0
        var observers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock(\.now) }
    let minimumResolution = Duration.zero

    func sleep(until end: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A cancellation handler that runs later finds the sleeper.
                let isCancelled = state.withLock { state in
                    guard !Task.isCancelled else { return true }
                    state.sleepers.append((id, end, continuation))
                    state.observers.forEach { $0.resume() }
                    state.observers = []
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns once something sleeps.
    func sleeping() async {
        await withCheckedContinuation { continuation in
            let isSleeping = state.withLock { state in
                guard state.sleepers.isEmpty else { return true }
                state.observers.append(continuation)
                return false
            }
            if isSleeping { continuation.resume() }
        }
    }

    /// Ends the sleeps that end within the duration.
    func advance(by duration: Duration) {
        let sleepers = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let ended = state.sleepers.filter { $0.end <= state.now }
            state.sleepers.removeAll { $0.end <= state.now }
            return ended
        }
        for sleeper in sleepers { sleeper.continuation.resume() }
    }
}
