internal import CInjectle

/// One creation in progress: what is made, in which locator, and for whom.
///
/// Frames live on the stack of the thread that makes and are linked to the creation that asked, perhaps on another
/// thread, which is then blocked until this one has ended. So a chain of frames never outlives what it is made of, and
/// building it allocates nothing. The innermost is known to its thread by a thread-local. Those of creations in tasks are
/// kept by a `TaskFrame`, and have only others of these around them.
///
/// Invariant: a frame is on its thread's chain exactly while its factory runs; only that thread changes the chain. What
/// the unretained references point to outlives the frame: `Frame.run` is passed it retained, and a straight creation is
/// held by its thread and runs in a core that its caller keeps.
struct Frame {
    let entry: Unmanaged<Entry>
    let record: Unmanaged<RegistrationRecord>
    let core: Unmanaged<LocatorCore>
    let node: Unmanaged<WaitNode>?
    let arguments: Unmanaged<Arguments>?
    let outer: UnsafeMutablePointer<Frame>?
    let depth: Int
    /// In the outermost frame: what keeps the services of the resolve that it began, once there are any. Retained,
    /// until the frame ends; only the thread that runs the chain touches it.
    private var ofResolve: Unmanaged<ScopedCache>?
    /// A bit for each record that is being made on the way to here, this one included. Records may share a bit.
    private let creations: UInt

    init(
        entry: Unmanaged<Entry>,
        record: Unmanaged<RegistrationRecord>,
        core: Unmanaged<LocatorCore>,
        node: Unmanaged<WaitNode>? = nil,
        arguments: Unmanaged<Arguments>? = nil,
        within outer: UnsafeMutablePointer<Frame>?
    ) {
        self.entry = entry
        self.record = record
        self.core = core
        self.node = node ?? outer?.pointee.node
        self.arguments = arguments
        self.outer = outer
        depth = (outer?.pointee.depth ?? 0) &+ 1
        creations = (outer?.pointee.creations ?? 0) | Frame.bit(of: record)
    }

    private static func bit(of record: Unmanaged<RegistrationRecord>) -> UInt {
        1 &<< ((UInt(bitPattern: record.toOpaque()) &* 0x9E37_79B9_7F4A_7C15) &>> 58)
    }

    /// The innermost creation on this thread.
    static var current: UnsafeMutablePointer<Frame>? {
        onThread ?? TaskFrame.innermost
    }

    /// The innermost that began on this thread.
    private static var onThread: UnsafeMutablePointer<Frame>? {
        injectle_thread_current().pointee.frame?.assumingMemoryBound(to: Frame.self)
    }

    /// Who is creation on this thread, if it is anyone who can be waited for.
    static var currentNode: WaitNode? { current?.pointee.node?.takeUnretainedValue() ?? Transaction.nodeHere }

    /// Whether so many creations are in progress, one for the sake of the other, that there is no room for another.
    static var isTooDeep: Bool {
        current.map { isDeepest($0, on: injectle_thread_current()) } ?? false
    }

    /// Whether there is no room for another creation inside of one.
    @inline(__always)
    static func isDeepest(
        _ frame: UnsafeMutablePointer<Frame>,
        on thread: UnsafeMutablePointer<injectle_thread>
    ) -> Bool {
        frame.pointee.depth >= Resolution.depthLimit || injectle_stack_is_short(thread)
    }

    /// Runs `body` as the creation of `entry` in `core`, within the creation that is in progress on this thread.
    ///
    /// - Parameter record: What it makes, if that is not what `entry` stands for.
    static func run<Failure: Error>(
        entry: Entry,
        as record: RegistrationRecord? = nil,
        core: LocatorCore,
        node: WaitNode?,
        arguments: Arguments? = nil,
        _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        let previous = onThread
        let outer = previous ?? TaskFrame.innermost
        var frame = Frame(
            entry: .passUnretained(entry),
            record: .passUnretained(record ?? entry.record),
            core: .passUnretained(core),
            node: node.map { .passUnretained($0) },
            arguments: arguments.map { .passUnretained($0) },
            within: outer
        )
        try withExtendedLifetime((entry, core, node, arguments)) { () throws(Failure) in
            try withUnsafeMutablePointer(to: &frame) { (pointer) throws(Failure) in
                Frame.setCurrent(pointer)
                defer {
                    Frame.setCurrent(previous)
                    pointer.pointee.end()
                }
                try body()
            }
        }
    }

    /// Runs `body` as part of one resolve that makes several services, for a list of which nothing is registered
    /// itself.
    static func grouping<Value>(
        as list: ServiceKey,
        in core: LocatorCore,
        _ body: () throws(InjectleError) -> Value
    ) throws(InjectleError) -> Value {
        let entry = Entry.make(identity: list, record: .synthetic, core: core, order: 0, role: .temporary)
        var value: Value?
        try run(entry: entry, core: core, node: nil) { () throws(InjectleError) in value = try body() }
        return required(value)
    }

    /// What keeps the services that a locator is asked for in the resolve that is in progress on this thread. Nil if
    /// none is.
    ///
    /// What a parent makes for good asks the parent, and is not to be made of what a child has.
    static func graphCache(for core: LocatorCore) -> ScopedCache? {
        guard var frame = current else { return nil }
        while let outer = frame.pointee.outer { frame = outer }
        if !frame.pointee.isOfTask { return frame.pointee.graphCache(for: core) }
        // What is begun side by side in one task may ask at the same time.
        return graphCaches.withLock { frame.pointee.graphCache(for: core) }
    }

    private static let graphCaches = Lock()

    /// Takes what keeps the services of the resolve that a creation in a task began, if it did, since it has ended.
    static func takeGraphCache(_ frame: UnsafeMutablePointer<Frame>) -> ScopedCache? {
        graphCaches.withLock {
            defer { frame.pointee.ofResolve = nil }
            return frame.pointee.ofResolve?.takeRetainedValue()
        }
    }

    private var isOfTask: Bool { record.takeUnretainedValue().isAsynchronous }

    private mutating func graphCache(for core: LocatorCore) -> ScopedCache {
        let first = ofResolve?.takeUnretainedValue()
        if let cache = first?.inResolve(of: core) { return cache }
        let cache = ScopedCache(ofResolveIn: core, before: first)
        // The new one keeps the one before.
        ofResolve?.release()
        ofResolve = .passRetained(cache)
        return cache
    }

    /// The argument that stands in for a service in what is made here.
    func instance(for type: Any.Type) -> Instance? {
        guard let arguments = arguments?.takeUnretainedValue() else { return nil }
        let record = record.takeUnretainedValue()
        // Those that the closure declares are its own.
        guard record.declared == nil else { return nil }
        if unwrapped(type) == Locator.Resolver.self {
            return Instance(Locator.Resolver(core: core.takeUnretainedValue(), arguments: arguments)).cast(to: type)
        }
        return arguments.instance(for: type)
    }

    /// Lets go of the services of the resolve, if this was its outermost frame. It is on no chain any more.
    @inline(__always)
    func end() {
        if let ofResolve { ofResolve.release() }
    }

    /// Returns a closure that calls `body` in the context of the calling code, on another thread that this one waits for:
    /// with its chain of frames, its locator and its transaction, and as the code of a behavior if it is that.
    static func inThisContext(_ body: @escaping () -> Void) -> () -> Void {
        let chain = current
        let locator = CurrentLocator.override ?? .current
        let transaction = Transaction.current
        let isOfBehavior = EventDispatch.isInProgress
        return {
            let own = onThread
            setCurrent(chain)
            defer { setCurrent(own) }
            Locator.$shared.withValue(locator) {
                Transaction.$current.withValue(transaction) { EventDispatch.mark(isOfBehavior, body) }
            }
        }
    }

    private static func setCurrent(_ frame: UnsafeMutablePointer<Frame>?) {
        injectle_thread_current().pointee.frame = UnsafeMutableRawPointer(frame)
    }

    /// What is being made, from the outermost resolve to the innermost.
    static var path: [ServiceKey] {
        var steps: [ServiceKey] = []
        var frame = current
        while let pointer = frame {
            steps.append(pointer.pointee.entry.takeUnretainedValue().identity)
            frame = pointer.pointee.outer
        }
        return steps.reversed()
    }

    /// The innermost service, on the way to here, that a locator makes of what it has itself, whichever of its children
    /// asks. Nil if it is another locator that makes there.
    static func shared(by core: LocatorCore) -> ServiceKey? {
        var next = current
        while let frame = next?.pointee, frame.core.toOpaque() == Unmanaged.passUnretained(core).toOpaque() {
            if !frame.record.takeUnretainedValue().lifetime.resolvesFromCaller {
                return frame.entry.takeUnretainedValue().identity
            }
            next = frame.outer
        }
        return nil
    }

    /// Whether it is being decided, on the way to here, who keeps what a record makes.
    static func isDeciding(_ record: RegistrationRecord) -> Bool {
        var next = current
        while let frame = next {
            if frame.pointee.record.takeUnretainedValue() === RegistrationRecord.scopeDecision,
                frame.pointee.entry.takeUnretainedValue().record === record
            {
                return true
            }
            next = frame.pointee.outer
        }
        return false
    }

    /// Whether the innermost creation on this thread runs at a place that is an actor.
    static func isRunning(at place: ClosureIsolation) -> Bool {
        guard place.isActor else { return false }
        var frame = current
        // A list is put together where it is asked for.
        while let list = frame, list.pointee.record.takeUnretainedValue().isSynthetic {
            frame = list.pointee.outer
        }
        guard let record = frame?.pointee.record.takeUnretainedValue() else { return false }
        // What an asynchronous closure calls may run elsewhere than that itself.
        return !record.isAsynchronous && record.isolation.isSameActor(as: place)
    }

    /// Whether `record` is already being made in `core` on the way to here; where arguments tell its instances apart,
    /// with such arguments.
    static func isMaking(_ record: RegistrationRecord, in core: LocatorCore, given arguments: Arguments? = nil) -> Bool
    {
        guard let current, isMaking(.passUnretained(record), in: .passUnretained(core), within: current) else {
            return false
        }
        guard record.lifetime.distinguishesArguments else { return true }
        return sequence(first: current, next: \.pointee.outer).contains { frame in
            frame.pointee.record.toOpaque() == Unmanaged.passUnretained(record).toOpaque()
                && frame.pointee.core.toOpaque() == Unmanaged.passUnretained(core).toOpaque()
                && Arguments.areEqual(frame.pointee.arguments?.takeUnretainedValue(), arguments)
        }
    }

    /// Whether `record` is being made in `core` by a creation or one of those around it.
    @inline(__always)
    static func isMaking(
        _ record: Unmanaged<RegistrationRecord>,
        in core: Unmanaged<LocatorCore>,
        within frame: UnsafeMutablePointer<Frame>
    ) -> Bool {
        frame.pointee.creations & bit(of: record) != 0 && isOnPath(record, in: core, from: frame)
    }

    @inline(never)
    private static func isOnPath(
        _ record: Unmanaged<RegistrationRecord>,
        in core: Unmanaged<LocatorCore>,
        from frame: UnsafeMutablePointer<Frame>
    ) -> Bool {
        var next: UnsafeMutablePointer<Frame>? = frame
        while let frame = next {
            if frame.pointee.record.toOpaque() == record.toOpaque(), frame.pointee.core.toOpaque() == core.toOpaque() {
                return true
            }
            next = frame.pointee.outer
        }
        return false
    }
}
