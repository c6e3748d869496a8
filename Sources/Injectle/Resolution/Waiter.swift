/// A thread or a task that waits for a creation, and the outcome for it.
final class Waiter: Sendable {
    enum Outcome: Sendable {
        case created(AnyInstance)
        case failed(InjectleError)
        /// The wait was part of a circle that is one also alone.
        case circular(CirclePath)
        /// The creation is repeated by those that wait.
        case repeated(Acquisition.Repetition)
        /// The creation has ended without an instance that others get.
        case ended
    }

    private struct State {
        var outcome = Outcome.ended
        /// In the wait-for graph.
        var number: Int?
        var continuation: CheckedContinuation<Void, Never>?
        var isAwake = false
        var hasLeft = false
    }

    let awaited: Node
    let cell: Cell
    /// The gate of a thread. A task has none.
    let gate: Gate?
    private let state = Mutex(State())

    init(for awaited: Node, in cell: Cell, isTask: Bool) {
        self.awaited = awaited
        self.cell = cell
        gate = isTask ? nil : Gate()
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// The number of the wait in the wait-for graph. Nil if that does not have it.
    var number: Int? { state.withLock { $0.number } }

    func begin(_ number: Int?) { state.withLock { $0.number = number } }

    /// Called once, after the wait has ended in the wait-for graph: what wakes must not find itself there.
    func finish(with outcome: Outcome) { wake { $0.outcome = outcome } }

    func finish(with answer: WaitState.Answer) {
        switch answer {
        case .use(let instance): finish(with: .created(instance))
        case .circular(let circle): finish(with: Outcome.circular(circle))
        case .wait, .deadlock, .refused: finish(with: .ended)
        }
    }

    private func wake(_ update: (inout State) -> Void) {
        let continuation = state.withLock { state in
            update(&state)
            state.isAwake = true
            return state.continuation.take()
        }
        gate?.open()
        continuation?.resume()
    }

    /// Suspends the task until the outcome. Returns false if the task was cancelled before: it receives none then. Its
    /// cancellation affects no other waiter.
    func suspend() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAwake = state.withLock { state in
                    if !state.isAwake { state.continuation = continuation }
                    return state.isAwake
                }
                if isAwake { continuation.resume() }
            }
        } onCancel: {
            leave()
        }
        return state.withLock { !$0.hasLeft }
    }

    private func leave() {
        // A waiter that the cell has returned wakes soon.
        guard WaitGraph.leave(self) else { return }
        wake { $0.hasLeft = true }
        awaited.task?.removeWaiter()
    }
}
