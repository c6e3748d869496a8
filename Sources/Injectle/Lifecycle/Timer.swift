internal import Dispatch

/// Calls a closure after a time, unless it is cancelled before.
///
/// It needs no thread of the pool that runs tasks, all of which synchronous closures can block: a serial queue gets a
/// thread of its own.
struct Timer {
    private static let queue = DispatchQueue(label: "Injectle.Timer")

    private let source: any DispatchSourceTimer

    init(after limit: Duration, _ body: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: Timer.queue)
        source.setEventHandler(handler: body)
        source.schedule(deadline: .now() + limit.seconds)
        source.resume()
    }

    func cancel() { source.cancel() }

    /// Suspends the calling task for a time, or until it is cancelled: the runtime keeps the task of a cancelled
    /// `Task.sleep` until the time is over.
    static func sleep(for limit: Duration) async throws {
        let isOver = FirstValue<Bool>()
        let timer = Timer(after: limit) { isOver.set(true) }
        defer { timer.cancel() }
        _ = await withTaskCancellationHandler {
            await isOver.value
        } onCancel: {
            isOver.set(false)
        }
        try Task.checkCancellation()
    }
}
