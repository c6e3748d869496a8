public import CInjectle

/// Runs `body` as a read: what it can reach through published pointers stays allocated until it returns.
///
/// `body` must be a few instructions long, run no code of a user, release nothing and begin no other read. What it
/// wants to keep it retains. The invariant and its source stand in `CInjectle.h`.
@inlinable
@inline(__always)
func withReadSection<Value>(_ body: () -> Value) -> Value {
    let thread = injectle_enter()
    let value = body()
    injectle_leave(thread)
    return value
}

/// What was made unreachable and may still be in the hands of a reader.
///
/// Filled under a lock, and disposed of after it: then, once every read has ended, it is released, which may run code
/// of users (`deinit`), with no lock held. What a thread holds beyond its read is released when that lets go of it.
struct RetireList {
    private enum Piece {
        case object(AnyObject)
        /// What no reader can have reached, and what must only not be released under a lock.
        case closure(Any)
        /// A registration that has gone, of which others may keep something.
        case gone(RegistrationRecord)
        /// An instance that is to be disposed of.
        case due(Instance)
        /// Memory that nothing but a read looks at.
        case block(UnsafeMutableRawPointer)
        /// What behaviors are to be told of the change.
        case news(PendingEvent)
    }

    private var pieces: [Piece] = []

    /// Adds a registration that has gone, of which others may keep something.
    mutating func add(gone record: RegistrationRecord) {
        if record.usesScopedCaches { pieces.append(.gone(record)) }
    }

    /// Adds an instance that somebody kept, and does not any more.
    mutating func add(cached instance: Instance?) {
        guard let instance else { return }
        pieces.append(.object(instance))
        if let disposal = instance.disposal, disposal.release() { pieces.append(.due(instance)) }
    }

    mutating func add(_ other: RetireList) {
        pieces += other.pieces
    }

    mutating func add(_ object: AnyObject?) {
        if let object { pieces.append(.object(object)) }
    }

    mutating func add(block: UnsafeMutableRawPointer?) {
        if let block { pieces.append(.block(block)) }
    }

    mutating func add(_ news: PendingEvent) {
        pieces.append(.news(news))
    }

    mutating func add(closure: Any?) {
        if let closure { pieces.append(.closure(closure)) }
    }

    consuming func dispose() {
        if !pieces.isEmpty { waitAndRelease() }
    }

    private func waitAndRelease() {
        // Before what follows from the change: code of users may run where something is let go of.
        for case .news(let news) in pieces { news.send() }
        var isReachable = false
        var due: [Instance] = []
        for piece in pieces {
            switch piece {
            case .gone(let record): due += Disposal.collecting { record.dropCachedInstances() }
            case .due(let instance): due.append(instance)
            case .closure, .news: break
            case .object, .block: isReachable = true
            }
        }
        // Before what it is made of is released.
        Disposal.run(due)
        guard isReachable else { return }
        injectle_synchronize()
        let isAnythingHeld = injectle_is_anything_held()
        var held: [AnyObject] = []
        for piece in pieces {
            switch piece {
            case .block(let block): block.deallocate()
            case .object(let object) where isAnythingHeld && DeferredRelease.isHeld(object): held.append(object)
            case .object, .closure, .gone, .due, .news: break
            }
        }
        DeferredRelease.add(held)
    }
}

/// What was thrown away while a thread held it, until that lets go.
///
/// Invariant: each thread that holds something here has a note of it in its record, but for the moment between letting
/// go and calling `release`. Both change under the lock.
enum DeferredRelease {
    private static let lock = Lock()
    // Sound to share: touched only under `lock`.
    nonisolated(unsafe) private static var objects: [AnyObject] = []

    static func isHeld(_ object: AnyObject, noting: Bool = false) -> Bool {
        injectle_is_held(Unmanaged.passUnretained(object).toOpaque(), noting)
    }

    static func add(_ held: [AnyObject]) {
        if !held.isEmpty { release(adding: held) }
    }

    /// Releases what nobody holds any more. Called by a thread that let go of something here.
    @inline(never)
    static func release(adding held: [AnyObject] = []) {
        let free = lock.withLock {
            objects += held
            injectle_forget_left_over()
            for object in objects { _ = isHeld(object, noting: true) }
            // Whoever lets go from here on sees the note, or is seen below to have let go.
            injectle_process_barrier()
            let free = objects.filter { !isHeld($0) }
            objects.removeAll { object in free.contains { $0 === object } }
            return free
        }
        withExtendedLifetime(free) {}
    }
}
