internal import CInjectle

/// One making in progress: what is made, in which locator, and for whom.
///
/// Frames live on the stack of the thread that makes and are linked to the making that asked, perhaps on another
/// thread, which is then blocked until this one has ended. So a chain of frames never outlives what it is made of, and
/// building it allocates nothing. The innermost is known to its thread by a thread-local.
///
/// Invariant: a frame is on its thread's chain exactly while its factory runs; only that thread changes the chain. What
/// the unretained references point to outlives the frame: `Frame.run` is passed it retained, and a straight making is
/// held by its thread and runs in a core that its caller keeps.
struct Frame {
    let slot: Unmanaged<Slot>
    let record: Unmanaged<Record>
    let core: Unmanaged<Core>
    let strand: Unmanaged<Strand>?
    let outer: UnsafeMutablePointer<Frame>?
    let depth: Int
    /// A bit for each record that is being made on the way to here, this one included. Records may share a bit.
    private let makings: UInt

    init(
        slot: Unmanaged<Slot>,
        record: Unmanaged<Record>,
        core: Unmanaged<Core>,
        strand: Unmanaged<Strand>? = nil,
        within outer: UnsafeMutablePointer<Frame>?
    ) {
        self.slot = slot
        self.record = record
        self.core = core
        self.strand = strand ?? outer?.pointee.strand
        self.outer = outer
        depth = (outer?.pointee.depth ?? 0) &+ 1
        makings = (outer?.pointee.makings ?? 0) | Frame.bit(of: record)
    }

    private static func bit(of record: Unmanaged<Record>) -> UInt {
        1 &<< ((UInt(bitPattern: record.toOpaque()) &* 0x9E37_79B9_7F4A_7C15) &>> 58)
    }

    /// The innermost making on this thread.
    static var current: UnsafeMutablePointer<Frame>? {
        injectle_thread_current().pointee.frame?.assumingMemoryBound(to: Frame.self)
    }

    /// Who is making on this thread, if it is anyone who can be waited for.
    static var currentStrand: Strand? { current?.pointee.strand?.takeUnretainedValue() }

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
    static func run<Failure: Error>(
        slot: Slot,
        core: Core,
        strand: Strand?,
        _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        let outer = current
        var frame = Frame(
            slot: .passUnretained(slot),
            record: .passUnretained(slot.record),
            core: .passUnretained(core),
            strand: strand.map { .passUnretained($0) },
            within: outer
        )
        try withExtendedLifetime((slot, core, strand)) { () throws(Failure) in
            try withUnsafeMutablePointer(to: &frame) { (pointer) throws(Failure) in
                Frame.setCurrent(pointer)
                defer { Frame.setCurrent(outer) }
                try body()
            }
        }
    }

    /// Continues, on this thread, the chain of another thread that waits for `body`.
    static func resume(_ chain: UnsafeMutablePointer<Frame>?, _ body: () -> Void) {
        let own = current
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

    /// Whether the innermost making on this thread runs at a place that is an actor.
    static func isRunning(at place: Place) -> Bool {
        guard place.isActor, let current else { return false }
        return current.pointee.slot.takeUnretainedValue().record.place.isSameActor(as: place)
    }

    /// Whether `record` is already being made in `core` on the way to here.
    static func isMaking(_ record: Record, in core: Core) -> Bool {
        current.map { isMaking(.passUnretained(record), in: .passUnretained(core), within: $0) } ?? false
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
