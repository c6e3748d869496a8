internal import CInjectle

/// The frame of a making in a task.
///
/// The task may go on on any thread, so a task-local leads to it. What is started from such a task, and goes on after
/// the making has ended, still finds it, but void.
///
/// Invariant: `frame` never changes, but for the store of a resolve, which `Frame` guards. What it refers to is kept by
/// this, so it is there for as long as a binding of the task-local is.
final class TaskFrame: @unchecked Sendable {
    // Sound to share: see the invariant. Whether it has ended is an atomic word.

    @TaskLocal private static var current: TaskFrame?

    private let frame: UnsafeMutablePointer<Frame>
    private let slot: Slot
    private let core: Core
    private let arguments: Arguments?
    private let outer: TaskFrame?
    /// Who makes, if that can be waited for.
    private let strand: Strand?
    private var hasEnded: UInt = 0

    private init(slot: Slot, core: Core, arguments: Arguments?, strand: Strand?, within outer: TaskFrame?) {
        self.slot = slot
        self.core = core
        self.arguments = arguments
        self.outer = outer
        self.strand = strand ?? outer?.strand
        frame = .allocate(capacity: 1)
        frame.initialize(
            to: Frame(
                slot: .passUnretained(slot),
                record: .passUnretained(slot.record),
                core: .passUnretained(core),
                arguments: arguments.map { .passUnretained($0) },
                within: outer?.frame
            )
        )
    }

    deinit {
        frame.pointee.end()
        frame.deallocate()
    }

    /// The making in a task that the calling code is part of, if any. A task-local is asked only while there are such.
    private static var innermostOfTask: TaskFrame? {
        guard injectle_is_made_in_tasks(), let current, injectle_load_number(&current.hasEnded) == 0 else { return nil }
        return current
    }

    /// The frame of that making. It is there for as long as the calling code runs.
    static var innermost: UnsafeMutablePointer<Frame>? { innermostOfTask?.frame }

    /// Whether the calling code is part of one.
    static var isInnermost: Bool {
        @inline(__always) get { injectle_is_made_in_tasks() && isAsked }
    }

    private static var isAsked: Bool {
        @inline(never) get { innermostOfTask != nil }
    }

    /// Who makes in that.
    static var currentStrand: Strand? { innermostOfTask?.strand }

    private func end() {
        injectle_store_number(&hasEnded, 1)
        injectle_makes_in_task(false)
        let store = Frame.takeStoreOfTask(frame)
        withExtendedLifetime(store) {}
    }

    /// Runs `body` as part of one resolve that makes several services, for a list of which nothing is registered
    /// itself.
    static func grouping<Value>(
        as list: ServiceKey,
        in core: Core,
        _ body: () async throws(InjectleError) -> Value
    ) async throws(InjectleError) -> Value {
        let slot = Slot.make(identity: list, record: .ofPartsInTask, core: core, order: 0, standing: .transient)
        return try await run(slot: slot, core: core, arguments: nil, body)
    }

    /// Runs `body` as the making of `slot` in `core`, within the one that the calling task is part of.
    ///
    /// - Parameter strand: Who makes, if that is another than who asks.
    static func run<Value, Failure: Error>(
        slot: Slot,
        core: Core,
        arguments: Arguments?,
        strand: Strand? = nil,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let frame = TaskFrame(
            slot: slot,
            core: core,
            arguments: arguments,
            strand: strand,
            within: innermostOfTask
        )
        injectle_makes_in_task(true)
        defer { frame.end() }
        // The function of the standard library rethrows any error, and so cannot throw just this one.
        let outcome = await $current.withValue(frame) { () async -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
