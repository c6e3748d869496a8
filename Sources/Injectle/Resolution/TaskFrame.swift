internal import CInjectle

/// The frame of a creation in a task.
///
/// A task can continue on any thread, so a task-local value refers to its frame. A task that outlives the creation that
/// started it still finds the frame, but ignores it.
///
/// Invariant: nothing changes `frame` but its graph caches, which `Frame` guards. This object retains the objects that it
/// refers to, and the binding of the task-local value retains this object.
@safe
final class TaskFrame: @unchecked Sendable {
    // Sound to share: see the invariant. `isFinished` is an atomic word.

    @TaskLocal private static var current: TaskFrame?

    private let frame: UnsafeMutablePointer<Frame>
    /// The objects that the frame refers to.
    private let retained: (Entry, LocatorCore, Arguments?, TaskFrame?)
    /// The node of the creation, if others can wait for it.
    private let node: WaitNode?
    private var isFinished: UInt = 0

    private init(
        entry: Entry,
        core: LocatorCore,
        origin: ResolveRequest.Origin,
        arguments: Arguments?,
        node: WaitNode?,
        within outer: TaskFrame?
    ) {
        retained = (entry, core, arguments, outer)
        self.node = node ?? outer?.node
        unsafe frame = .allocate(capacity: 1)
        unsafe frame.initialize(
            to: Frame(
                entry: .passUnretained(entry),
                record: .passUnretained(entry.record),
                core: .passUnretained(core),
                origin: origin,
                arguments: arguments.map { unsafe .passUnretained($0) },
                within: unsafe outer?.frame
            )
        )
    }

    deinit {
        unsafe frame.pointee.end()
        unsafe frame.deallocate()
    }

    /// The creation in a task that the calling code is part of. The task-local value is read only while there is any.
    private static var innermostOfTask: TaskFrame? {
        guard injectle_has_task_creations(), let current, unsafe injectle_load_number(&current.isFinished) == 0 else {
            return nil
        }
        return current
    }

    /// The frame of that creation, which outlives the calling code.
    static var innermost: UnsafeMutablePointer<Frame>? {
        @inline(__always) get { unsafe injectle_has_task_creations() ? innermostOfTask?.frame : nil }
    }

    /// The node of that creation.
    static var currentNode: WaitNode? { innermostOfTask?.node }

    /// Whether that creation is the one of a node, or was requested by it, directly or through others.
    static func isWithin(_ node: WaitNode) -> Bool {
        sequence(first: innermostOfTask) { $0?.retained.3 }.prefix { $0 != nil }.contains { $0?.node === node }
    }

    private func end() {
        unsafe injectle_store_number(&isFinished, 1)
        injectle_count_task_creation(false)
        unsafe Frame.endGraphCaches(of: frame)
    }

    /// Runs `body` as the creation of `entry` in `core`, within the creation that the calling task is part of.
    ///
    /// - Parameter node: The node of the creation, if it differs from the caller's.
    static func run<Value, Failure: Error>(
        entry: Entry,
        core: LocatorCore,
        for origin: ResolveRequest.Origin,
        arguments: Arguments? = nil,
        node: WaitNode? = nil,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outer = innermostOfTask
        let frame = TaskFrame(
            entry: entry,
            core: core,
            origin: origin,
            arguments: arguments,
            node: node,
            within: outer
        )
        injectle_count_task_creation(true)
        defer { frame.end() }
        // `withValue` rethrows any error, and cannot throw a typed one.
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
