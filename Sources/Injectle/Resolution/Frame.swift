internal import CInjectle

/// One making in progress: what is made, in which locator, and for whom.
///
/// Frames live on the stack of the thread that makes and are linked to the making that asked, perhaps on another
/// thread, which is then blocked until this one has ended. So a chain of frames never outlives what it is made of, and
/// building it allocates nothing. The innermost is known to its thread by a thread-local. Those of makings in tasks are
/// kept by a `TaskFrame`, and have only others of these around them.
///
/// Invariant: a frame is on its thread's chain exactly while its factory runs; only that thread changes the chain. What
/// the unretained references point to outlives the frame: `Frame.run` is passed it retained, and a straight making is
/// held by its thread and runs in a core that its caller keeps.
struct Frame {
    let slot: Unmanaged<Slot>
    let record: Unmanaged<Record>
    let core: Unmanaged<Core>
    let strand: Unmanaged<Strand>?
    let arguments: Unmanaged<Arguments>?
    let outer: UnsafeMutablePointer<Frame>?
    let depth: Int
    /// In the outermost frame: what keeps the services of the resolve that it began, once there are any. Retained,
    /// until the frame ends; only the thread that runs the chain touches it.
    private var ofResolve: Unmanaged<Store>?
    /// A bit for each record that is being made on the way to here, this one included. Records may share a bit.
    private let makings: UInt

    init(
        slot: Unmanaged<Slot>,
        record: Unmanaged<Record>,
        core: Unmanaged<Core>,
        strand: Unmanaged<Strand>? = nil,
        arguments: Unmanaged<Arguments>? = nil,
        within outer: UnsafeMutablePointer<Frame>?
    ) {
        self.slot = slot
        self.record = record
        self.core = core
        self.strand = strand ?? outer?.pointee.strand
        self.arguments = arguments
        self.outer = outer
        depth = (outer?.pointee.depth ?? 0) &+ 1
        makings = (outer?.pointee.makings ?? 0) | Frame.bit(of: record)
    }

    private static func bit(of record: Unmanaged<Record>) -> UInt {
        1 &<< ((UInt(bitPattern: record.toOpaque()) &* 0x9E37_79B9_7F4A_7C15) &>> 58)
    }

    /// The innermost making on this thread.
    static var current: UnsafeMutablePointer<Frame>? {
        onThread ?? TaskFrame.innermost
    }

    /// The innermost that began on this thread.
    private static var onThread: UnsafeMutablePointer<Frame>? {
        injectle_thread_current().pointee.frame?.assumingMemoryBound(to: Frame.self)
    }

    /// Who is making on this thread, if it is anyone who can be waited for.
    static var currentStrand: Strand? { current?.pointee.strand?.takeUnretainedValue() ?? Journal.strandHere }

    /// Whether so many makings are in progress, one for the sake of the other, that there is no room for another.
    static var isTooDeep: Bool {
        current.map { isDeepest($0, on: injectle_thread_current()) } ?? false
    }

    /// Whether there is no room for another making inside of one.
    @inline(__always)
    static func isDeepest(
        _ frame: UnsafeMutablePointer<Frame>,
        on thread: UnsafeMutablePointer<injectle_thread>
    ) -> Bool {
        frame.pointee.depth >= Resolution.depthLimit || injectle_stack_is_short(thread)
    }

    /// Runs `body` as the making of `slot` in `core`, within the making that is in progress on this thread.
    ///
    /// - Parameter record: What it makes, if that is not what `slot` stands for.
    static func run<Failure: Error>(
        slot: Slot,
        as record: Record? = nil,
        core: Core,
        strand: Strand?,
        arguments: Arguments? = nil,
        _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        let previous = onThread
        let outer = previous ?? TaskFrame.innermost
        var frame = Frame(
            slot: .passUnretained(slot),
            record: .passUnretained(record ?? slot.record),
            core: .passUnretained(core),
            strand: strand.map { .passUnretained($0) },
            arguments: arguments.map { .passUnretained($0) },
            within: outer
        )
        try withExtendedLifetime((slot, core, strand, arguments)) { () throws(Failure) in
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
        in core: Core,
        _ body: () throws(InjectleError) -> Value
    ) throws(InjectleError) -> Value {
        let slot = Slot.make(identity: list, record: .ofParts, core: core, order: 0, standing: .transient)
        var value: Value?
        try run(slot: slot, core: core, strand: nil) { () throws(InjectleError) in value = try body() }
        return required(value)
    }

    /// What keeps the services that a locator is asked for in the resolve that is in progress on this thread. Nil if
    /// none is.
    ///
    /// What a parent makes for good asks the parent, and is not to be made of what a child has.
    static func storeOfResolve(for core: Core) -> Store? {
        guard var frame = current else { return nil }
        while let outer = frame.pointee.outer { frame = outer }
        if !frame.pointee.isOfTask { return frame.pointee.storeOfResolve(for: core) }
        // What is begun side by side in one task may ask at the same time.
        return storesOfTasks.withLock { frame.pointee.storeOfResolve(for: core) }
    }

    private static let storesOfTasks = Lock()

    /// Takes what keeps the services of the resolve that a making in a task began, if it did, since it has ended.
    static func takeStoreOfTask(_ frame: UnsafeMutablePointer<Frame>) -> Store? {
        storesOfTasks.withLock {
            defer { frame.pointee.ofResolve = nil }
            return frame.pointee.ofResolve?.takeRetainedValue()
        }
    }

    private var isOfTask: Bool { record.takeUnretainedValue().isAsynchronous }

    private mutating func storeOfResolve(for core: Core) -> Store {
        let first = ofResolve?.takeUnretainedValue()
        if let store = first?.inResolve(of: core) { return store }
        let store = Store(ofResolveIn: core, before: first)
        // The new one keeps the one before.
        ofResolve?.release()
        ofResolve = .passRetained(store)
        return store
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

    /// Continues, on this thread, the chain of another thread that waits for `body`.
    static func resume(_ chain: UnsafeMutablePointer<Frame>?, _ body: () -> Void) {
        let own = onThread
        setCurrent(chain)
        defer { setCurrent(own) }
        body()
    }

    private static func setCurrent(_ frame: UnsafeMutablePointer<Frame>?) {
        injectle_thread_current().pointee.frame = UnsafeMutableRawPointer(frame)
    }

    /// What is being made, from the outermost resolve to the innermost.
    static var path: [ServiceKey] {
        var steps: [ServiceKey] = []
        var frame = current
        while let pointer = frame {
            steps.append(pointer.pointee.slot.takeUnretainedValue().identity)
            frame = pointer.pointee.outer
        }
        return steps.reversed()
    }

    /// The innermost service, on the way to here, that a locator makes of what it has itself, whichever of its children
    /// asks. Nil if it is another locator that makes there.
    static func shared(by core: Core) -> ServiceKey? {
        var next = current
        while let frame = next?.pointee, frame.core.toOpaque() == Unmanaged.passUnretained(core).toOpaque() {
            let lifetime = frame.record.takeUnretainedValue().lifetime
            if !lifetime.isMadeWhereAsked { return frame.slot.takeUnretainedValue().identity }
            next = frame.outer
        }
        return nil
    }

    /// Whether it is being decided, on the way to here, who keeps what a record makes.
    static func isDeciding(_ record: Record) -> Bool {
        var next = current
        while let frame = next {
            if frame.pointee.record.takeUnretainedValue() === Record.ofDecisions,
                frame.pointee.slot.takeUnretainedValue().record === record
            {
                return true
            }
            next = frame.pointee.outer
        }
        return false
    }

    /// Whether the innermost making on this thread runs at a place that is an actor.
    static func isRunning(at place: Place) -> Bool {
        guard place.isActor else { return false }
        var frame = current
        // A list is put together where it is asked for.
        while let list = frame, list.pointee.record.takeUnretainedValue().isOfParts {
            frame = list.pointee.outer
        }
        guard let record = frame?.pointee.record.takeUnretainedValue() else { return false }
        // What an asynchronous closure calls may run elsewhere than that itself.
        return !record.isAsynchronous && record.place.isSameActor(as: place)
    }

    /// Whether `record` is already being made in `core` on the way to here; where arguments tell its instances apart,
    /// with such arguments.
    static func isMaking(_ record: Record, in core: Core, given arguments: Arguments? = nil) -> Bool {
        guard let current, isMaking(.passUnretained(record), in: .passUnretained(core), within: current) else {
            return false
        }
        guard record.lifetime.tellsArgumentsApart else { return true }
        return sequence(first: current, next: \.pointee.outer).contains { frame in
            frame.pointee.record.toOpaque() == Unmanaged.passUnretained(record).toOpaque()
                && frame.pointee.core.toOpaque() == Unmanaged.passUnretained(core).toOpaque()
                && Arguments.areEqual(frame.pointee.arguments?.takeUnretainedValue(), arguments)
        }
    }

    /// Whether `record` is being made in `core` by a making or one of those around it.
    @inline(__always)
    static func isMaking(
        _ record: Unmanaged<Record>,
        in core: Unmanaged<Core>,
        within frame: UnsafeMutablePointer<Frame>
    ) -> Bool {
        frame.pointee.makings & bit(of: record) != 0 && isOnPath(record, in: core, from: frame)
    }

    @inline(never)
    private static func isOnPath(
        _ record: Unmanaged<Record>,
        in core: Unmanaged<Core>,
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
