internal import Dispatch

/// Calls a closure after a time, unless it is cancelled before.
///
/// It needs no thread of the pool that runs tasks, all of which synchronous closures can block. A serial queue gets a
/// thread of its own, so a closure that blocks delays no other timer.
struct Timer {
    private let source: any DispatchSourceTimer

    init(after limit: Duration, _ body: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "Injectle.Timer"))
        source.setEventHandler(handler: body)
        source.schedule(deadline: .now() + limit.seconds)
        source.resume()
    }

    func cancel() { source.cancel() }
}

/// Leaves behind what an ending waits for, each time that a limit is over, until it is cancelled.
final class GracePeriod: Sendable {
    private struct State {
        var timer: Timer?
        var isCancelled = false
    }

    private let limit: Duration
    /// Returns false if there was nothing to leave.
    private let leaveBehind: @Sendable () -> Bool
    /// Called where two limits in a row find nothing to leave.
    private let giveUp: @Sendable () -> Void
    private let state = Mutex(State())

    init(
        of limit: Duration,
        leaveBehind: @escaping @Sendable () -> Bool,
        giveUp: @escaping @Sendable () -> Void
    ) {
        self.limit = limit
        self.leaveBehind = leaveBehind
        self.giveUp = giveUp
        schedule(isStuck: false)
    }

    private func schedule(isStuck: Bool) {
        // A hook that is due has time to begin, also on a busy machine.
        let pause = max(limit.clamped, .milliseconds(isStuck ? 100 : 1))
        let next = Timer(after: pause) { [self] in
            let hasLeft = leaveBehind()
            if !hasLeft, isStuck { giveUp() }
            // Hooks that begin later are left behind, too.
            schedule(isStuck: !hasLeft)
        }
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.timer = next }
            return state.isCancelled
        }
        if isCancelled { next.cancel() }
    }

    func cancel() {
        let timer = state.withLock { state in
            state.isCancelled = true
            return state.timer.take()
        }
        timer?.cancel()
    }
}
