// The state that each read of a locator checks, in one word.
//
// | | closeHasBegun | keepsNothingNew | hasEnded | hasReleasedAll |
// | --- | --- | --- | --- | --- |
// | open | | | | |
// | a close in progress | x | x | | |
// | the last handle was released, and registrations end | | x | | |
// | its registrations have ended, a disposer still runs in a task | (x) | x | x | |
// | nothing is left | (x) | x | x | x |

extension LocatorCore {
    /// Behaviors of the locator or of an ancestor observe `didResolve`: each read is an event.
    private static var observedReads: UInt { 1 }
    /// The locator is closed or being closed: reads look whether it still is open.
    private static var closing: UInt { 2 }
    /// The locator has ended and ignores registrations.
    private static var ended: UInt { 4 }
    /// The locator ends: its last handle was released, or its close has come to its registrations.
    private static var releasing: UInt { 8 }
    /// Reads that find one of these flags take the slow path.
    private static var slowReads: UInt { 15 }
    private static var ofState: UInt { closing | ended | releasing }

    /// Whether a read may return an existing instance at once.
    @inline(__always)
    var allowsFastReads: Bool { state.flags & LocatorCore.slowReads == 0 }

    /// A closure of `child` or `withChild` registers its services.
    private static var building: UInt { 16 }

    /// Whether a closure of `child` or `withChild` registers the services of this locator. It has no other user yet.
    @usableFromInline var isBeingBuilt: Bool {
        get { state.flags & LocatorCore.building != 0 }
        set {
            let flag = newValue ? LocatorCore.building : 0
            state.withLock { _ in state.flags = state.flags & ~LocatorCore.building | flag }
        }
    }

    /// The locator has overridable registrations.
    private static var overridable: UInt { 32 }

    /// Whether it has registrations that later ones override: of a copied locator, or that tests share.
    var hasOverridable: Bool { state.flags & LocatorCore.overridable != 0 }

    /// The lock is held.
    func setHasOverridable() { state.flags |= LocatorCore.overridable }

    /// Whether the close has begun.
    var closeHasBegun: Bool { state.flags & LocatorCore.closing != 0 }

    /// Whether its registrations have ended, since the last handle was released or the locator was closed.
    var hasEnded: Bool { state.flags & LocatorCore.ended != 0 }

    /// The nearest locator, from this one up to its root, that has ended. A child of a resolver can outlive its parent.
    var nearestEnded: LocatorCore? { chain.first(where: \.hasEnded) }

    /// The kinds of events that behaviors of the locator or of an ancestor observe.
    var observedKinds: UInt8 { UInt8(truncatingIfNeeded: state.flags >> 8) }

    /// The kinds of a child's events that behaviors of the locator or of an ancestor observe.
    var kindsObservedBelow: UInt8 { UInt8(truncatingIfNeeded: state.flags >> 16) }

    /// The flags of a new child. The lock is held.
    var inheritedFlags: UInt {
        let kinds = kindsObservedBelow
        return (closeHasBegun ? state.flags & LocatorCore.ofState : 0) | LocatorCore.flags(kinds, below: kinds)
    }

    private static func flags(_ kinds: UInt8, below: UInt8) -> UInt {
        UInt(kinds) << 8 | UInt(below) << 16 | (kinds & Locator.Event.Kind.didResolve.bit != 0 ? observedReads : 0)
    }

    /// Sets the kinds of events that behaviors observe, in the locator and below it. The lock is held.
    func observe(_ kinds: UInt8, below: UInt8) {
        let kept = state.flags & (LocatorCore.ofState | LocatorCore.building | LocatorCore.overridable)
        state.flags = kept | LocatorCore.flags(kinds, below: below)
    }

    /// Whether it keeps no new instances.
    var keepsNothingNew: Bool { state.flags & LocatorCore.ofState != 0 }

    /// The lock is held.
    func setReleasing() { state.flags |= LocatorCore.releasing }

    /// The lock is held.
    func setClosing() { state.flags |= LocatorCore.closing }

    /// The lock is held.
    func setEnded() { state.flags |= LocatorCore.ended }
}
