internal import CInjectle

/// The frame of a creation in a task.
///
/// The task may go on on any thread, so a task-local leads to it. What is started from such a task, and goes on after
/// the creation has ended, still finds it, but void.
///
/// Invariant: `frame` never changes, but for the store of a resolve, which `Frame` guards. What it refers to is kept by
/// this, so it is there for as long as a binding of the task-local is.
final class TaskFrame: @unchecked Sendable {
    // Sound to share: see the invariant. Whether it has ended is an atomic word.

    @TaskLocal private static var current: TaskFrame?

    private let frame: UnsafeMutablePointer<Frame>
    private let entry: Entry
    private let core: LocatorCore
    private let arguments: Arguments?
    private let outer: TaskFrame?
    /// Who makes, if that can be waited for.
    private let node: WaitNode?
    private var isFinished: UInt = 0

    private init(entry: Entry, core: LocatorCore, arguments: Arguments?, node: WaitNode?, within outer: TaskFrame?) {
        self.entry = entry
        self.core = core
        self.arguments = arguments
        self.outer = outer
        self.node = node ?? outer?.node
        frame = .allocate(capacity: 1)
        frame.initialize(
            to: Frame(
                entry: .passUnretained(entry),
                record: .passUnretained(entry.record),
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

    /// The creation in a task that the calling code is part of, if any. A task-local is asked only while there are such.
    private static var innermostOfTask: TaskFrame? {
        guard injectle_is_made_in_tasks(), let current, injectle_load_number(&current.isFinished) == 0 else {
            return nil
        }
        return current
    }

    /// The frame of that creation. It is there for as long as the calling code runs.
    static var innermost: UnsafeMutablePointer<Frame>? { innermostOfTask?.frame }

    /// Whether the calling code is part of one.
    static var isInnermost: Bool {
        @inline(__always) get { injectle_is_made_in_tasks() && isAsked }
    }

    private static var isAsked: Bool {
        @inline(never) get { innermostOfTask != nil }
    }

    /// Who makes in that.
    static var currentNode: WaitNode? { innermostOfTask?.node }

    private func end() {
        injectle_store_number(&isFinished, 1)
        injectle_makes_in_task(false)
        let cache = Frame.takeGraphCache(frame)
        withExtendedLifetime(cache) {}
    }

    /// Runs `body` as part of one resolve that makes several services, for a list of which nothing is registered
    /// itself.
    static func grouping<Value>(
        as list: ServiceKey,
        in core: LocatorCore,
        _ body: () async throws(InjectleError) -> Value
    ) async throws(InjectleError) -> Value {
        let entry = Entry.make(identity: list, record: .syntheticInTask, core: core, order: 0, role: .temporary)
        return try await run(entry: entry, core: core, arguments: nil, body)
    }

    /// Runs `body` as the creation of `entry` in `core`, within the one that the calling task is part of.
    ///
    /// - Parameter node: Who makes, if that is another than who asks.
    static func run<Value, Failure: Error>(
        entry: Entry,
        core: LocatorCore,
        arguments: Arguments?,
        node: WaitNode? = nil,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let frame = TaskFrame(
            entry: entry,
            core: core,
            arguments: arguments,
            node: node,
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
