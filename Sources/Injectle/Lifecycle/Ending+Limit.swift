// What an ending leaves behind once a grace period is over.

extension Ending {
    /// Waits for the end. After each `limit`, leaves behind the hook or the creations that the ending waits for.
    /// Returns false if two limits in a row find nothing to leave, as where synchronous code blocks a thread.
    func wait(within limit: Duration) async -> Bool {
        let hasEnded = FirstValue<Bool>()
        // A task: its turn comes after hooks that are due, so that these have begun on a busy machine.
        let timer = Task {
            var isStuck = false
            while true {
                try await Timer.sleep(for: max(limit.clamped, .milliseconds(isStuck ? 100 : 1)))
                let hasLeft = leaveBehind(after: limit)
                // Hooks that begin later are left behind, too.
                if !hasLeft, isStuck { hasEnded.set(false) }
                isStuck = !hasLeft
            }
        }
        Task {
            await wait()
            timer.cancel()
            hasEnded.set(true)
        }
        return await hasEnded.value
    }

    /// Leaves behind what the ending waits for: an async hook, or creations that ignore their cancellation. Returns
    /// false if it waits for neither.
    private func leaveBehind(after limit: Duration) -> Bool {
        if let awaited = progress.withLock({ $0.awaited }) { return awaited.leaveBehind(after: limit) }
        let (creations, core, disposers) = progress.withLock { ($0.creations, $0.core, $0.disposers) }
        if let creations, let core {
            if !creations.isCancelled { recordCreations(in: core, exceeding: limit) }
            creations.cancel()
            return true
        }
        return disposers?.leaveRunning(after: limit) ?? false
    }

    /// Runs `body`, which waits for another ending.
    func awaiting(_ other: Ending, _ body: () async -> Void) async {
        progress.withLock { $0.awaited = other }
        await body()
        let former = progress.withLock { $0.awaited.take() }
        withExtendedLifetime(former) {}
    }

    /// Runs `body`, which waits for creations until its task is cancelled: a task of its own, since hooks run in the
    /// one of the ending.
    func awaitingCreations(_ body: @escaping @Sendable () async -> Void) async {
        let task = Task { await body() }
        progress.withLock { $0.creations = task }
        await task.value
        progress.withLock { $0.creations = nil }
    }
}
