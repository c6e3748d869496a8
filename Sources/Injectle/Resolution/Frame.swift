internal import CInjectle

/// One making in progress: what is made, in which locator, and for whom.
///
/// Frames live on the stack of the thread that makes and are linked to the making that asked, perhaps on another thread,
/// which is then blocked until this one has ended. So a chain of frames never outlives what it is made of, and building
/// it allocates nothing. The innermost is known to its thread by a thread-local.
///
/// Invariant: a frame is on its thread's chain exactly while its factory runs; only that thread changes the chain, and
/// what the references point to is kept alive by the caller of `Frame.run`.
struct Frame {
    let slot: Unmanaged<Slot>
    let core: Unmanaged<Core>
    let strand: Unmanaged<Strand>?
    let outer: UnsafeMutablePointer<Frame>?
    let depth: Int

    /// The innermost making on this thread.
    static var current: UnsafeMutablePointer<Frame>? {
        injectle_thread_current().pointee.frame?.assumingMemoryBound(to: Frame.self)
    }

    /// Who is making on this thread, if it is anyone who can be waited for.
    static var currentStrand: Strand? { current?.pointee.strand?.takeUnretainedValue() }

    /// Whether so many makings are in progress, one for the sake of the other, that there is no room for another.
    static var isTooDeep: Bool {
        guard let depth = current?.pointee.depth else { return false }
        return depth >= Resolution.depthLimit || injectle_stack_is_short()
    }

    /// The locator that is making something on this thread, in which what it creates looks for its services.
    static var makingCore: Core? { current?.pointee.core.takeUnretainedValue() }

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
            core: .passUnretained(core),
            strand: strand.map { .passUnretained($0) } ?? outer?.pointee.strand,
            outer: outer,
            depth: (outer?.pointee.depth ?? 0) + 1
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
        guard
            case .on(let home) = place,
            case .on(let current)? = current?.pointee.slot.takeUnretainedValue().record.place
        else { return false }
        return home.actor == current.actor
    }

    /// Whether `record` is already being made in `core` on the way to here.
    static func isMaking(_ record: Record, in core: Core) -> Bool {
        var frame = current
        while let pointer = frame {
            if pointer.pointee.core.toOpaque() == Unmanaged.passUnretained(core).toOpaque(),
                pointer.pointee.slot.takeUnretainedValue().record === record
            {
                return true
            }
            frame = pointer.pointee.outer
        }
        return false
    }
}
