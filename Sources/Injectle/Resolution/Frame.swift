internal import CInjectle

/// A creation in progress: what it creates, the locator that creates it, and the creation that requested it.
///
/// Frames of threads live on the stack, and each points to the frame around it. That one may be on another thread,
/// which is then blocked until this creation ends. A thread-local variable points to the innermost. A creation in a
/// task can continue on any thread, so a task-local value has its frame.
///
/// Invariant: a frame is on its thread's chain exactly while its closure, its choice of a scope or its list runs; only
/// that thread changes the chain. The objects of the unmanaged references outlive the frame: its creator retains them.
/// Child tasks of one creation can read a frame while one of them changes `graph` or `early`, or sets `failure`: so
/// these are accessed under `lock` where a task has the frame, and a frame on a chain is read by field. `failure` is
/// read without it once the closure and its child tasks have returned.
@safe
struct Frame {
    typealias Pointer = UnsafeMutablePointer<Frame>

    private let type: Any.Type
    private let key: Unmanaged<Locator.Key>?
    private let record: Unmanaged<AnyRecord>?
    private let core: Unmanaged<LocatorCore>
    private let arguments: Unmanaged<Arguments>?
    private let entry: Unmanaged<Entry>?
    /// The request that began the creation.
    let origin: Request.Origin
    /// Whether it is the choice of a scope by a custom lifetime, and no creation.
    let isChoice: Bool
    /// The cell that the creation has claimed first. The creation retains it.
    private var cell: Unmanaged<Cell>?
    private(set) var outer: Pointer?
    private(set) var depth = 1
    /// In the outermost frame: the cells of graph instances, once there are any. Retained until the frame ends.
    private var graph: Unmanaged<Graph>?
    /// The instance while its hooks run. Retained until the frame ends.
    private var early: Unmanaged<AnyInstance>?
    /// Why the created object cannot be used. Retained until the frame ends.
    private var failure: Unmanaged<PropertyFailure>?

    /// A creation, which has not begun.
    ///
    /// - Parameters:
    ///   - record: The registration. The resolves of the elements of a list have none.
    ///   - entry: The entry where the registration was found.
    // An initializer retains its arguments, except for shared ones. The 6.3.1 compiler crashes on `borrowing`.
    init(
        _ identity: __shared Locator.Identity,
        _ record: __shared AnyRecord?,
        in core: __shared LocatorCore,
        _ arguments: __shared Arguments?,
        _ origin: __shared Request.Origin,
        _ entry: __shared Entry?,
        isChoice: Bool = false
    ) {
        type = identity.type
        unsafe key = identity.keyed.map { unsafe .passUnretained($0) }
        unsafe self.record = record.map { unsafe .passUnretained($0) }
        unsafe self.core = unsafe .passUnretained(core)
        unsafe self.arguments = arguments.map { unsafe .passUnretained($0) }
        unsafe self.entry = entry.map { unsafe .passUnretained($0) }
        self.origin = origin
        self.isChoice = isChoice
        unsafe outer = nil
    }

    /// Runs `body` within a creation on this thread. The caller retains the objects of the frame meanwhile.
    static func run<Value, Failure: Error>(
        _ frame: inout Frame,
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try unsafe withUnsafeMutablePointer(to: &frame) { (pointer) throws(Failure) in
            let previous = unsafe enter(pointer)
            defer { unsafe leave(pointer, to: previous) }
            return try body()
        }
    }

    /// Calls a factory closure within a creation on this thread: without a second closure, which generic code would
    /// allocate.
    static func run<Service>(
        _ frame: inout Frame,
        _ closure: Record<Service>.Closure,
        _ resolver: Locator.Resolver,
        _ arguments: Arguments?
    ) throws -> Service {
        try unsafe withUnsafeMutablePointer(to: &frame) { pointer in
            let previous = unsafe enter(pointer)
            defer { unsafe leave(pointer, to: previous) }
            let service = try closure(resolver, arguments)
            try checkProperties()
            return service
        }
    }

    /// Makes a frame the innermost one of this thread. Returns the former one.
    private static func enter(_ frame: Pointer) -> Pointer? {
        let previous = unsafe onThread
        unsafe frame.pointee.place(within: previous ?? TaskFrame.innermost?.frame)
        unsafe setOnThread(frame)
        return unsafe previous
    }

    /// Ends the innermost frame. Disposers of the graph's instances are part of the creation.
    private static func leave(_ frame: Pointer, to previous: Pointer?) {
        unsafe releaseAll(of: frame)
        unsafe setOnThread(previous)
    }

    /// Lets others wait for the creation.
    mutating func claim(_ cell: Cell?) { unsafe self.cell = cell.map { unsafe .passUnretained($0) } }

    private mutating func place(within outer: Pointer?) {
        unsafe self.outer = unsafe outer
        depth = unsafe (outer?.pointee.depth ?? 0) &+ 1
    }

    /// The objects that the frame refers to.
    private var objects: [AnyObject] {
        let objects: [AnyObject?] = unsafe [
            key?.takeUnretainedValue(), record?.takeUnretainedValue(), core.takeUnretainedValue(),
            arguments?.takeUnretainedValue(), entry?.takeUnretainedValue(), cell?.takeUnretainedValue(),
        ]
        return objects.compactMap(\.self)
    }

    // MARK: The current frame

    /// The innermost creation on this thread.
    static var current: Pointer? { unsafe onThread ?? TaskFrame.innermost?.frame }

    /// The innermost creation that began on this thread.
    private static var onThread: Pointer? { unsafe injectle_frame()?.assumingMemoryBound(to: Frame.self) }

    private static func setOnThread(_ frame: Pointer?) {
        unsafe injectle_set_frame(UnsafeMutableRawPointer(frame))
    }

    /// Returns a closure that calls `body` in the context of the calling code, on another thread that this one waits
    /// for: with its chain of frames and its locator, and as the code of an ending, a behavior or a module if it is
    /// that.
    static func inThisContext(_ body: @escaping () -> Void) -> () -> Void {
        let outer = unsafe current
        let locator = LocatorCore.boundLocator ?? .unbound
        let isOfBehavior = LocatorCore.isInBehavior
        let ending = injectle_ending()
        let moduleCall = injectle_module_call()
        return {
            let own = unsafe onThread
            let ownEnding = injectle_ending()
            let ownModuleCall = injectle_module_call()
            unsafe setOnThread(outer)
            injectle_set_ending(ending)
            injectle_set_module_call(moduleCall)
            defer {
                unsafe setOnThread(own)
                injectle_set_ending(ownEnding)
                injectle_set_module_call(ownModuleCall)
            }
            LocatorCore.bind(locator) { LocatorCore.markBehavior(isOfBehavior, body) }
        }
    }

    // MARK: Graph instances

    // A flag, since the thread sanitizer takes two empty values at one address for one variable.
    private static let lock = Mutex(false)

    /// The graph instances that the current resolve requests from a locator. Nil outside a resolve.
    ///
    /// Each locator has its own: a service of a parent must not depend on services of a child.
    static func graphCells(for core: LocatorCore) -> CellList? {
        guard var frame = unsafe current else { return nil }
        while let outer = unsafe frame.pointee.outer { unsafe frame = unsafe outer }
        func present(in graph: Graph?) -> CellList? { graph?.withLock { $0.first { $0.core === core } } }
        let graph = lock.withLock { _ in unsafe frame.pointee.graph?.takeUnretainedValue() }
        if let cells = present(in: graph) { return cells }
        let created = CellList(createdBy: core)
        core.add(graph: created)
        let cells = lock.withLock { _ -> CellList in
            let graph = unsafe frame.pointee.graph?.takeUnretainedValue() ?? Graph([])
            // A child task of the creation can have added its own meanwhile.
            if let cells = present(in: graph) { return cells }
            if unsafe frame.pointee.graph == nil { unsafe frame.pointee.graph = unsafe .passRetained(graph) }
            graph.withLock { $0.append(created) }
            return created
        }
        if cells !== created { core.remove(graph: created) }
        return cells
    }

    /// Ends a frame that is on no chain any more: releases its objects, and disposes of the graph's instances.
    private static func releaseAll(of frame: Pointer) {
        // No other thread uses the frame of a thread.
        while unsafe frame.pointee.graph != nil || frame.pointee.early != nil || frame.pointee.failure != nil {
            unsafe release(frame)
        }
    }

    private static func release(_ frame: Pointer) {
        let (graph, early) = lock.withLock { _ in
            defer { unsafe (frame.pointee.graph, frame.pointee.early) = (nil, nil) }
            return unsafe (frame.pointee.graph?.takeRetainedValue(), frame.pointee.early?.takeRetainedValue())
        }
        let failure = unsafe frame.pointee.failure.take()?.takeRetainedValue()
        // Of several locators, and still in reverse order of creation.
        if let graph = graph?.snapshot {
            CellList.end(graph, forGood: true)
            for cells in graph { cells.core?.remove(graph: cells) }
        }
        withExtendedLifetime((early, failure)) {}
    }

    // MARK: The chain

    /// A frame on the way to here. Sound: its objects outlive it, and it outlives the calling code.
    @safe
    struct Link {
        fileprivate let frame: Pointer

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
        var cell: Cell? { unsafe frame.pointee.cell?.takeUnretainedValue() }
        var arguments: Arguments? { unsafe frame.pointee.arguments?.takeUnretainedValue() }
        var origin: Request.Origin { unsafe frame.pointee.origin }
        var depth: Int { unsafe frame.pointee.depth }
        var early: AnyInstance? { Frame.lock.withLock { _ in unsafe frame.pointee.early?.takeUnretainedValue() } }

        /// Keeps the instance whose hooks run, and returns the one that a hook has replaced.
        func keep(early: AnyInstance) -> AnyInstance? {
            Frame.lock.withLock { _ in
                defer { unsafe frame.pointee.early = unsafe .passRetained(early) }
                return unsafe frame.pointee.early?.takeRetainedValue()
            }
        }

        func takeEarly() -> AnyInstance? {
            Frame.lock.withLock { _ in unsafe frame.pointee.early.take()?.takeRetainedValue() }
        }

        /// The failure of a property, if there is one. Child tasks of the closure have ended.
        func takeFailure() -> PropertyFailure? {
            if unsafe frame.pointee.failure == nil { return nil }
            return Frame.lock.withLock { _ in unsafe frame.pointee.failure.take()?.takeRetainedValue() }
        }

        /// Keeps a failure, unless there is one.
        func keep(_ failure: PropertyFailure) {
            Frame.lock.withLock { _ in
                if unsafe frame.pointee.failure == nil { unsafe frame.pointee.failure = unsafe .passRetained(failure) }
            }
        }
    }

    /// A frame of a creation in a task: on the heap, since a task can continue on any thread. Its owner releases the
    /// objects, and then frees the memory.
    @safe
    struct Allocation: @unchecked Sendable {
        // Sound to share: see the invariants of `Frame`.

        private let pointer: Pointer
        /// The objects that the frame refers to, which this retains.
        private let objects: [AnyObject]

        init(_ frame: Frame, within outer: Allocation?) {
            objects = frame.objects
            unsafe pointer = .allocate(capacity: 1)
            unsafe pointer.initialize(to: frame)
            unsafe pointer.pointee.place(within: outer?.pointer)
        }

        var link: Link { unsafe Link(frame: pointer) }

        /// Releases the graph instances, the early instance and the failure.
        func release() { unsafe Frame.release(pointer) }

        func deallocate() { unsafe pointer.deallocate() }
    }
}
