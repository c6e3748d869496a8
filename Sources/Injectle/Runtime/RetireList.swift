internal import CInjectle

extension Runtime {
    /// Objects and blocks of memory that a change has unlinked and that readers may still use, and the effects of the
    /// change.
    ///
    /// A change fills the list under its lock and disposes of it after the lock: the effects run first, then the objects
    /// are released, as soon as no thread can use them. Both may run user code.
    struct RetireList<Effect> {
        @safe
        private enum Piece {
            case object(AnyObject)
            /// A value that no reader can reach, and that only must not be released under a lock.
            case unreachable(Any)
            /// Memory that only readers use.
            case block(UnsafeMutableRawPointer)
            case effect(Effect)
        }

        private var pieces: [Piece] = []

        init() {}

        var isEmpty: Bool { pieces.isEmpty }

        mutating func add(_ object: AnyObject?) {
            if let object { append(.object(object)) }
        }

        mutating func add(block: UnsafeMutableRawPointer?) {
            if let block = unsafe block { unsafe append(.block(block)) }
        }

        mutating func add(unreachable value: Any?) {
            if let value { append(.unreachable(value)) }
        }

        mutating func add(effect: Effect) {
            append(.effect(effect))
        }

        // Not inlined, since most changes retire nothing.
        @inline(never)
        private mutating func append(_ piece: Piece) { pieces.append(piece) }

        mutating func add(_ other: RetireList) {
            pieces += other.pieces
        }

        /// Performs the effects and releases the rest, as far as no reader delays the release.
        ///
        /// - Parameter perform: Performs all effects, which it receives in the order of their addition. Not called if
        ///   there are none.
        @inline(__always)
        consuming func dispose(performing perform: ([Effect]) -> Void) {
            if pieces.isEmpty { Reclaimer.releaseDelayed() } else { RetireList.dispose(pieces, performing: perform) }
        }

        @inline(never)
        private static func dispose(_ list: consuming [Piece], performing perform: ([Effect]) -> Void) {
            var pieces = consume list
            var effects: [Effect] = []
            var reachable = Reclaimer.Batch()
            for piece in pieces {
                switch piece {
                case .effect(let effect): effects.append(effect)
                case .object(let object): reachable.add(object)
                case .block(let block): unsafe reachable.add(block: block)
                case .unreachable: break
                }
            }
            if !effects.isEmpty { perform(effects) }
            pieces = []
            Reclaimer.release(reachable)
        }
    }
}
