internal import CInjectle

/// A creation in progress: the entry, the locator that creates its service, and the creation that requested it.
///
/// Frames live on the stack of the thread that creates, and each points to the frame around it. That one may be on
/// another thread, which is then blocked until this creation ends. So no frame outlives the frames around it, and none
/// allocates memory. A thread-local variable points to the innermost. The frame of a creation in a task belongs to a
/// `TaskFrame`; the frames around it are of tasks, too.
///
/// Invariant: a frame is on its thread's chain exactly while its factory closure runs; only that thread changes the
/// chain. The objects of the unmanaged references outlive the frame: `Frame.run` retains them. Child tasks of one creation can read a frame while one of
/// them writes `graphCaches`: so a frame on a chain is never copied, and read by field.
@safe
struct Frame {
    let entry: Unmanaged<Entry>
    let record: Unmanaged<RegistrationRecord>
    let core: Unmanaged<LocatorCore>
    let node: Unmanaged<WaitNode>?
    let arguments: Unmanaged<Arguments>?
    let outer: UnsafeMutablePointer<Frame>?
    /// The request that began the creation.
    let origin: ResolveRequest.Origin
    let depth: Int
    /// In the outermost frame: the caches of graph instances, once there are any. Retained until the frame ends. Only the
    /// thread that runs the chain accesses it; for a creation in a task, `graphCachesLock` protects it.
    private var graphCaches: Unmanaged<ScopedCache>?

    init(
        entry: Unmanaged<Entry>,
        record: Unmanaged<RegistrationRecord>,
        core: Unmanaged<LocatorCore>,
        origin: ResolveRequest.Origin,
        node: Unmanaged<WaitNode>? = nil,
        arguments: Unmanaged<Arguments>? = nil,
        within outer: UnsafeMutablePointer<Frame>?
    ) {
        unsafe self.entry = unsafe entry
        unsafe self.record = unsafe record
        unsafe self.core = unsafe core
        self.origin = origin
        unsafe self.node = unsafe node ?? outer?.pointee.node
        unsafe self.arguments = unsafe arguments
        unsafe self.outer = unsafe outer
        depth = unsafe (outer?.pointee.depth ?? 0) &+ 1
    }

    /// The innermost creation on this thread.
    static var current: UnsafeMutablePointer<Frame>? {
        unsafe onThread ?? TaskFrame.innermost
    }

    /// The innermost creation that began on this thread.
    private static var onThread: UnsafeMutablePointer<Frame>? {
        unsafe injectle_thread_current().pointee.frame?.assumingMemoryBound(to: Frame.self)
    }

    /// The node of the innermost creation on this thread, if others can wait for it.
    static var currentNode: WaitNode? { unsafe current?.pointee.node?.takeUnretainedValue() }

    /// Whether the chain is too long, or the stack too short, for another creation.
    static var isTooDeep: Bool {
        guard let current = unsafe current else { return false }
        return unsafe current.pointee.depth >= Resolution.depthLimit
            || injectle_stack_is_short(injectle_thread_current())
    }

    /// Runs `body` as the creation of `entry` in `core`, within the creation that is in progress on this thread.
    ///
    /// - Parameter record: The record of the creation, if that is not the entry's.
    static func run<Value, Failure: Error>(
        entry: Entry,
        as record: RegistrationRecord? = nil,
        core: LocatorCore,
        for origin: ResolveRequest.Origin,
        node: WaitNode?,
        arguments: Arguments? = nil,
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let previous = unsafe onThread
        let outer = unsafe previous ?? TaskFrame.innermost
        var frame = unsafe Frame(
            entry: .passUnretained(entry),
            record: .passUnretained(record ?? entry.record),
            core: .passUnretained(core),
            origin: origin,
            node: node.map { unsafe .passUnretained($0) },
            arguments: unsafe arguments.map { unsafe .passUnretained($0) },
            within: unsafe outer
        )
        defer { withExtendedLifetime((entry, core, node, arguments)) {} }
        return try unsafe withUnsafeMutablePointer(to: &frame) { (pointer) throws(Failure) in
            unsafe setCurrent(pointer)
            defer {
                unsafe setCurrent(previous)
                unsafe pointer.pointee.end()
            }
            return try body()
        }
    }

    /// The outermost frame around a frame.
    @inline(__always)
    private static func outermost(_ frame: UnsafeMutablePointer<Frame>) -> UnsafeMutablePointer<Frame> {
        var frame = unsafe frame
        while let outer = unsafe frame.pointee.outer { unsafe frame = unsafe outer }
        return unsafe frame
    }

    /// The cache of the graph instances that the current resolve requests from a locator. Nil outside a resolve.
    ///
    /// Each locator has a cache of its own: a service of a parent must not depend on services of a child.
    static func graphCache(for core: LocatorCore) -> ScopedCache? {
        guard let current = unsafe current else { return nil }
        let frame = unsafe outermost(current)
        if unsafe !Link(frame: frame).registration.isAsynchronous { return unsafe graphCache(for: core, of: frame) }
        // Child tasks of one creation run at the same time.
        return graphCachesLock.withLock { unsafe graphCache(for: core, of: frame) }
    }

    private static let graphCachesLock = Lock()

    /// Ends the graph caches of a creation in a task that has ended.
    static func endGraphCaches(of frame: UnsafeMutablePointer<Frame>) {
        let removed = unsafe graphCachesLock.withLock {
            // Not by a mutating call, which would be an access of the whole frame.
            defer { unsafe frame.pointee.graphCaches = nil }
            return unsafe frame.pointee.graphCaches
        }
        if let removed = unsafe removed { unsafe end(removed) }
    }

    @inline(never)
    private static func end(_ graphCaches: Unmanaged<ScopedCache>) {
        unsafe graphCaches.takeRetainedValue().endResolve()
    }

    private static func graphCache(for core: LocatorCore, of frame: UnsafeMutablePointer<Frame>) -> ScopedCache {
        let first = unsafe frame.pointee.graphCaches?.takeUnretainedValue()
        if let cache = first?.inResolve(of: core) { return cache }
        let cache = ScopedCache(ofResolveIn: core, before: first)
        // The new cache retains the one before.
        unsafe frame.pointee.graphCaches?.release()
        unsafe frame.pointee.graphCaches = unsafe .passRetained(cache)
        return cache
    }

    /// The argument of the creation of a frame that replaces a service of a type.
    static func instance(for type: Any.Type, of frame: UnsafeMutablePointer<Frame>) -> Instance? {
        let link = unsafe Link(frame: frame)
        // Declared arguments are for the closure alone.
        guard let arguments = link.arguments, link.registration.declared == nil else { return nil }
        if unwrapped(type) == Locator.Resolver.self {
            return Instance.make(Locator.Resolver(core: link.creator, arguments: arguments)).cast(to: type)
        }
        return arguments.instance(for: type)
    }

    /// Ends the graph caches. The frame is on no chain any more.
    func end() {
        if let graphCaches = unsafe graphCaches { unsafe Frame.end(graphCaches) }
    }

    /// Returns a closure that calls `body` in the context of the calling code, on another thread that this one waits for:
    /// with its chain of frames and its locator, and as the code of a behavior if it is that.
    static func inThisContext(_ body: @escaping () -> Void) -> () -> Void {
        let outer = unsafe current
        let locator = CurrentLocator.override ?? .current
        let isOfBehavior = EventDispatch.isInProgress
        return {
            let own = unsafe onThread
            unsafe setCurrent(outer)
            defer { unsafe setCurrent(own) }
            CurrentLocator.bind(locator) { EventDispatch.mark(isOfBehavior, body) }
        }
    }

    private static func setCurrent(_ frame: UnsafeMutablePointer<Frame>?) {
        unsafe injectle_thread_current().pointee.frame = UnsafeMutableRawPointer(frame)
    }

    /// A frame on the way to here. Sound: its objects outlive it, and it outlives the calling code.
    @safe
    private struct Link {
        let frame: UnsafeMutablePointer<Frame>

        var entry: Entry { unsafe frame.pointee.entry.takeUnretainedValue() }
        var registration: RegistrationRecord { unsafe frame.pointee.record.takeUnretainedValue() }
        var creator: LocatorCore { unsafe frame.pointee.core.takeUnretainedValue() }
        var arguments: Arguments? { unsafe frame.pointee.arguments?.takeUnretainedValue() }
        var origin: ResolveRequest.Origin { unsafe frame.pointee.origin }
        var outer: Link? { unsafe frame.pointee.outer.map { unsafe Link(frame: $0) } }
    }

    /// The frames on the way to here, from the innermost.
    private static var chain: UnfoldSequence<Link, Link?> {
        unsafe sequence(state: current.map { unsafe Link(frame: $0) }) { next in
            defer { next = next?.outer }
            return next
        }
    }

    /// The services that are being created, from the outermost resolve to the innermost.
    static var path: [Locator.Identity] { callers() }

    /// The same, also without the innermost one.
    static func callers(withoutInnermost: Bool = false) -> [Locator.Identity] {
        var callers: [Locator.Identity] = []
        var frame = unsafe withoutInnermost ? current?.pointee.outer : current
        while let inner = unsafe frame {
            callers.append(unsafe inner.pointee.entry.withHeader { unsafe $0.pointee.identity })
            unsafe frame = inner.pointee.outer
        }
        return callers.reversed()
    }

    /// The request that began the outermost resolve.
    static var outermostOrigin: ResolveRequest.Origin? { chain.reduce(nil) { $1.origin } }

    /// The creations that the calling code is part of, from the innermost outwards. A list that is being composed is none.
    /// The choice of a scope is part of none.
    static var creationsInProgress: some Sequence<(record: RegistrationRecord, creator: LocatorCore, entry: Entry)> {
        let frames = chain.lazy.prefix { $0.registration !== RegistrationRecord.scopeDecision }
        return frames.filter { !$0.registration.isSynthetic }.map { ($0.registration, $0.creator, $0.entry) }
    }

    /// The innermost service, on the way to here, that `core` creates from its own dependencies, whichever of its children
    /// resolves it. Nil if another locator creates one before that.
    static func shared(by core: LocatorCore) -> Locator.Identity? {
        chain.prefix { $0.creator === core }.first { !$0.registration.lifetime.resolvesFromCaller }?.entry.identity
    }

    /// The innermost service, on the way to here, that `core` creates for itself alone, as each of its descendants does.
    static func own(of core: LocatorCore) -> Locator.Identity? {
        chain.prefix { $0.creator === core }.first { $0.registration.isPerLocator }?.entry.identity
    }

    /// Whether the scope of `record` is being determined on the way to here.
    static func isDeciding(_ record: RegistrationRecord) -> Bool {
        chain.contains { $0.registration === RegistrationRecord.scopeDecision && $0.entry.record === record }
    }

    /// Whether `core` is creating an instance of `record` on the way to here; if arguments distinguish its instances, with
    /// equal arguments.
    static func isCreating(_ record: RegistrationRecord, in core: LocatorCore, given arguments: Arguments? = nil)
        -> Bool
    {
        chain.contains {
            $0.registration === record && $0.creator === core
                && (!record.lifetime.distinguishesArguments || Arguments.areEqual($0.arguments, arguments))
        }
    }
}
