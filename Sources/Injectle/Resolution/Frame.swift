public import CInjectle

/// A creation in progress: what it creates, the locator that creates it, and the creation that requested it.
///
/// Frames of threads live on the stack, and each points to the frame around it. That one may be on another thread, which is
/// then blocked until this creation ends. A thread-local variable points to the innermost. A creation in a task can continue
/// on any thread, so a task-local value has its frame.
///
/// Invariant: a frame is on its thread's chain exactly while its factory closure runs; only that thread changes the chain.
/// The objects of the unmanaged references outlive the frame: its creator retains them. Child tasks of one creation can read
/// a frame while one of them changes `graph` or `early`: so these are accessed under `lock` where a task has the frame, and a
/// frame on a chain is read by field.
@usableFromInline
@safe
struct Frame {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<Frame>

    /// The work of a frame.
    @frozen @usableFromInline struct Work {
        @usableFromInline let identity: Locator.Identity
        /// The registration. The resolves of the elements of a list have none.
        @usableFromInline let record: AnyRecord?
        @usableFromInline let core: LocatorCore
        @usableFromInline let arguments: Arguments?
        @usableFromInline let origin: Request.Origin
        /// The entry where the registration was found.
        @usableFromInline let entry: Entry?

        @inlinable @inline(__always)
        init(
            _ identity: Locator.Identity,
            _ record: AnyRecord?,
            _ core: LocatorCore,
            _ arguments: Arguments?,
            _ origin: Request.Origin,
            _ entry: Entry? = nil
        ) {
            self.identity = identity
            self.record = record
            self.core = core
            self.arguments = arguments
            self.origin = origin
            self.entry = entry
        }
    }

    /// The graph instances of one resolve that are requested from one locator.
    private struct GraphCells {
        let core: LocatorCore
        let cells: CellList
    }
    private typealias Graph = Mutex<[GraphCells]>

    /// Whether it is the choice of a scope by a custom lifetime, and no creation.
    let isChoice: Bool
    private let type: Any.Type
    private let key: Unmanaged<Locator.Key>?
    private let entry: Unmanaged<Entry>?
    private let record: Unmanaged<AnyRecord>?
    private let core: Unmanaged<LocatorCore>
    private let arguments: Unmanaged<Arguments>?
    /// The node that runs the creation: 0 for one in a task that nothing can wait for.
    let node: UInt
    let outer: Pointer?
    /// The request that began the creation.
    let origin: Request.Origin
    let depth: Int
    /// In the outermost frame: the cells of graph instances, once there are any. Retained until the frame ends.
    private var graph: Unmanaged<Graph>?
    /// The instance while its hooks run. Retained until the frame ends.
    fileprivate var early: Unmanaged<AnyInstance>?

    // An initializer retains its arguments, except for shared ones. The 6.3.1 compiler crashes on `borrowing`.
    @usableFromInline init(_ work: __shared Work, isChoice: Bool, node: UInt, within outer: Pointer?) {
        self.isChoice = isChoice
        type = work.identity.type
        unsafe key = work.identity.keyed.map { unsafe .passUnretained($0) }
        unsafe entry = work.entry.map { unsafe .passUnretained($0) }
        unsafe record = work.record.map { unsafe .passUnretained($0) }
        unsafe core = unsafe .passUnretained(work.core)
        unsafe arguments = work.arguments.map { unsafe .passUnretained($0) }
        self.node = node
        origin = work.origin
        unsafe self.outer = unsafe outer
        depth = unsafe (outer?.pointee.depth ?? 0) &+ 1
    }

    /// Runs `body` within the creation that is in progress on this thread.
    @inlinable
    static func run<Value, Failure: Error>(
        _ work: Work,
        isChoice: Bool = false,
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let previous = unsafe onThread
        let outer = unsafe previous ?? (injectle_has_task_frames() ? TaskFrame.innermost : nil)
        var frame = unsafe Frame(work, isChoice: isChoice, node: injectle_thread_id(), within: outer)
        defer { withExtendedLifetime(work) {} }
        return try unsafe withUnsafeMutablePointer(to: &frame) { (pointer) throws(Failure) in
            unsafe setOnThread(pointer)
            defer {
                unsafe setOnThread(previous)
                unsafe end(pointer)
            }
            return try body()
        }
    }

    // MARK: The current frame

    /// The innermost creation on this thread.
    static var current: Pointer? { unsafe onThread ?? (injectle_has_task_frames() ? TaskFrame.innermost : nil) }

    /// The innermost creation that began on this thread.
    @usableFromInline static var onThread: Pointer? {
        @inlinable @inline(__always) get { unsafe injectle_frame()?.assumingMemoryBound(to: Frame.self) }
    }

    @inlinable @inline(__always)
    static func setOnThread(_ frame: Pointer?) {
        unsafe injectle_set_frame(UnsafeMutableRawPointer(frame))
    }

    /// Returns a closure that calls `body` in the context of the calling code, on another thread that this one waits for:
    /// with its chain of frames and its locator, and as the code of a behavior if it is that.
    static func inThisContext(_ body: @escaping () -> Void) -> () -> Void {
        let outer = unsafe current
        let locator = LocatorCore.overriding ?? .current
        let isOfBehavior = LocatorCore.isInBehavior
        return {
            let own = unsafe onThread
            unsafe setOnThread(outer)
            defer { unsafe setOnThread(own) }
            LocatorCore.bind(locator) { LocatorCore.markBehavior(isOfBehavior, body) }
        }
    }

    // MARK: Graph and early instances

    // A flag, since the thread sanitizer takes two empty values at one address for one variable.
    fileprivate static let lock = Mutex(false)

    /// The graph instances that the current resolve requests from a locator. Nil outside a resolve.
    ///
    /// Each locator has its own: a service of a parent must not depend on services of a child.
    static func graphCells(for core: LocatorCore) -> CellList? {
        guard var frame = unsafe current else { return nil }
        while let outer = unsafe frame.pointee.outer { unsafe frame = unsafe outer }
        let graph = lock.withLock { _ -> Graph in
            if let graph = unsafe frame.pointee.graph { return unsafe graph.takeUnretainedValue() }
            let graph = Graph([])
            unsafe frame.pointee.graph = unsafe .passRetained(graph)
            return graph
        }
        return graph.withLock { graph in
            if let cells = graph.first(where: { $0.core === core })?.cells { return cells }
            let cells = CellList()
            graph.append(GraphCells(core: core, cells: cells))
            return cells
        }
    }

    /// Lets requests within the innermost creation get its instance, whose hooks run.
    static func setEarly(_ instance: AnyInstance, of record: AnyRecord) {
        guard let current = unsafe current, instance.object != nil, Link.current?.record === record else { return }
        lock.withLock { _ in
            // A prototype and its copies have frames of their own, and each frame has one instance.
            if unsafe current.pointee.early == nil { unsafe current.pointee.early = unsafe .passRetained(instance) }
        }
    }

    /// Lets them get it no more.
    static func removeEarly(of record: AnyRecord) {
        guard let current = unsafe current, Link.current?.record === record else { return }
        let early = lock.withLock { _ in
            defer { unsafe current.pointee.early = nil }
            return unsafe current.pointee.early?.takeRetainedValue()
        }
        withExtendedLifetime(early) {}
    }

    /// Ends a frame that is on no chain any more: releases its objects, and disposes of the graph's instances.
    @usableFromInline static func end(_ frame: Pointer) {
        // No other thread uses the frame of a thread.
        if unsafe frame.pointee.graph != nil || frame.pointee.early != nil { unsafe release(frame) }
    }

    fileprivate static func release(_ frame: Pointer) {
        let (graph, early) = lock.withLock { _ in
            defer { unsafe (frame.pointee.graph, frame.pointee.early) = (nil, nil) }
            return unsafe (frame.pointee.graph?.takeRetainedValue(), frame.pointee.early?.takeRetainedValue())
        }
        // In several locators, and still in reverse order of creation.
        if let graph { Ending.run { $0 = graph.current.flatMap { $0.cells.endAll(forGood: true) } } }
        withExtendedLifetime(early) {}
    }

    // MARK: The chain

    /// A frame on the way to here. Sound: its objects outlive it, and it outlives the calling code.
    @safe
    struct Link {
        private let frame: Pointer

        /// The innermost frame.
        static var current: Link? { unsafe Frame.current.map { unsafe Link(frame: $0) } }

        var outer: Link? { unsafe frame.pointee.outer.map { unsafe Link(frame: $0) } }
        var isChoice: Bool { unsafe frame.pointee.isChoice }
        var identity: Locator.Identity {
            unsafe Locator.Identity(frame.pointee.type, frame.pointee.key?.takeUnretainedValue())
        }
        var entry: Entry? { unsafe frame.pointee.entry?.takeUnretainedValue() }
        var record: AnyRecord? { unsafe frame.pointee.record?.takeUnretainedValue() }
        var creator: LocatorCore { unsafe frame.pointee.core.takeUnretainedValue() }
        var node: UInt { unsafe frame.pointee.node }
        var arguments: Arguments? { unsafe frame.pointee.arguments?.takeUnretainedValue() }
        var origin: Request.Origin { unsafe frame.pointee.origin }
        var depth: Int { unsafe frame.pointee.depth }
        var early: AnyInstance? { Frame.lock.withLock { _ in unsafe frame.pointee.early?.takeUnretainedValue() } }
    }
}

/// The frame of a creation in a task.
///
/// Invariant: this object retains the objects that the frame refers to, and the code that runs the creation retains this object.
@usableFromInline
@safe
final class TaskFrame: @unchecked Sendable {
    // Sound to share: see the invariants of `Frame`.

    static let local = OwnTaskLocal<TaskFrame>()

    private let frame: Frame.Pointer
    private let work: Frame.Work
    private let outer: TaskFrame?

    private init(_ work: Frame.Work, node: UInt, within outer: TaskFrame?) {
        self.work = work
        self.outer = outer
        unsafe frame = .allocate(capacity: 1)
        unsafe frame.initialize(to: Frame(work, isChoice: false, node: node, within: outer?.frame))
    }

    deinit {
        unsafe Frame.release(frame)
        unsafe frame.deallocate()
    }

    /// The creation in a task that the calling code is part of.
    private static var innermostOfTask: TaskFrame? {
        injectle_has_task_frames() ? local.current : nil
    }

    /// The frame of that creation, which outlives the calling code.
    @usableFromInline static var innermost: Frame.Pointer? { unsafe innermostOfTask?.frame }

    private func end() {
        injectle_count_task_frame(false)
        unsafe Frame.release(frame)
    }

    /// Runs `body` within the creation that the calling task is part of.
    ///
    /// - Parameter node: The node of the creation: 0 if nothing can wait for it.
    static func run<Value, Failure: Error>(
        _ work: Frame.Work,
        node: UInt = 0,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let frame = TaskFrame(work, node: node, within: innermostOfTask)
        injectle_count_task_frame(true)
        defer { frame.end() }
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
