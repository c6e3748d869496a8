internal import CInjectle

/// The frame of a creation in a task.
///
/// Invariant: the code that runs the creation retains this object.
final class TaskFrame: Sendable {
    static let local = OwnTaskLocal<TaskFrame>()

    private let frame: Frame.Allocation
    private let outer: TaskFrame?

    private init(_ frame: Frame, within outer: TaskFrame?) {
        self.frame = Frame.Allocation(frame, within: outer?.frame)
        self.outer = outer
    }

    deinit {
        frame.release()
        frame.deallocate()
    }

    /// The frame of the creation in a task that the calling code is part of, which outlives that code.
    // Looks at the count before `local`, whose initialization each access checks by a call.
    static var innermost: Frame.Link? { injectle_has_task_values() ? local.current?.frame.link : nil }

    /// Runs `body` within the creation that the calling task is part of.
    static func run<Value, Failure: Error>(
        _ frame: Frame,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let frame = TaskFrame(frame, within: local.current)
        defer { frame.frame.release() }
        // `withValue` rethrows any error, and cannot throw a typed one.
        let outcome = await local.withValue(frame) { () async -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
