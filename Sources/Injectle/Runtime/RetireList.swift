internal import CInjectle

extension Runtime {
    /// Objects and blocks of memory that a change has unlinked and that readers may still use, and the effects of the
    /// change.
    ///
    /// A change fills the list under its lock and disposes of it after the lock: the effects run first, then, after a
    /// grace period, the objects are released. Both may run code of users. An object that a thread holds beyond its read
    /// section is released when that hold ends.
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

        mutating func add(_ object: AnyObject?) {
            if let object { pieces.append(.object(object)) }
        }

        mutating func add(block: UnsafeMutableRawPointer?) {
            if let block = unsafe block { unsafe pieces.append(.block(block)) }
        }

        mutating func add(closure: Any?) {
            if let closure { pieces.append(.unreachable(closure)) }
        }

        mutating func add(effect: Effect) {
            pieces.append(.effect(effect))
        }

        mutating func add(_ other: RetireList) {
            pieces += other.pieces
        }

        /// Performs the effects, waits for the read sections in progress, and releases the rest.
        ///
        /// - Parameter perform: Performs all effects, which it receives in the order of their addition. Not called if
        ///   there are none.
        consuming func dispose(performing perform: ([Effect]) -> Void) {
            if pieces.isEmpty { return }
            var effects: [Effect] = []
            var isReachable = false
            for piece in pieces {
                switch piece {
                case .effect(let effect): effects.append(effect)
                case .object, .block: isReachable = true
                case .unreachable: break
                }
            }
            if !effects.isEmpty { perform(effects) }
            guard isReachable else { return }
            injectle_synchronize()
            let isAnythingHeld = injectle_has_holds()
            var held: [AnyObject] = []
            for piece in pieces {
                switch piece {
                case .block(let block): unsafe block.deallocate()
                case .object(let object) where isAnythingHeld && DeferredRelease.isHeld(object): held.append(object)
                case .object, .unreachable, .effect: break
                }
            }
            DeferredRelease.add(held)
        }
    }
}
