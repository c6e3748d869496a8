public import CInjectle

/// One registration under one identity in one locator's table.
///
/// What it stands for never changes: replacing a registration puts a new slot in the table and detaches the old one.
/// That is what lets a property remember where it read last, and see at a glance whether that still counts.
///
/// One object: in front lies what readers see, which they reach by its address and without retaining the slot; behind
/// it the rest. It can be used from any thread.
///
/// Invariant: the words of `head` that change are written under the lock of `core`, and read by anyone inside
/// `reading`. `service` is null, or points to a value of the identity's type that `form` keeps alive; `image` is null,
/// or retained by the slot. `form` is touched under the core's lock. `core` outlives every use of it: whoever looks a
/// slot up has that core, or a child that keeps it.
@usableFromInline
final class Slot: ManagedBuffer<SlotHead, SlotState> {
    static func make(
        identity: ServiceKey,
        record: Record,
        core: Core,
        order: Int,
        standing: SlotHead.Standing = .registered
    ) -> Slot {
        let buffer = create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements {
                $0.initialize(to: SlotState(identity: identity, order: order))
            }
            return SlotHead(
                // `create` makes an object of the class it is called on.
                owner: .passUnretained(unsafeDowncast(buffer, to: Slot.self)),
                record: .passRetained(record),
                core: .passUnretained(core),
                straight: identity.type == record.serviceType ? record.straight : .nowhere,
                standing: standing,
                isPerLocator: record.kind == .perLocator
            )
        }
        return unsafeDowncast(buffer, to: Slot.self)
    }

    /// Stands for what a property was given as an argument, where no slot does.
    // Sound to share: it never changes, since it is in no table.
    nonisolated(unsafe) static let ofArguments = Slot.make(
        identity: ServiceKey(Never.self),
        record: .ofParts,
        core: Locator.default.core,
        order: 0,
        standing: .transient
    )

    deinit {
        _ = withUnsafeMutablePointerToElements { $0.deinitialize(count: 1) }
        head.pointee.record.release()
        if let image = head.pointee.image { Unmanaged<KeyImage>.fromOpaque(image).release() }
    }

    /// What readers see, which lives as long as this object.
    var head: UnsafeMutablePointer<SlotHead> { withUnsafeMutablePointerToHeader { $0 } }

    private var state: UnsafeMutablePointer<SlotState> { withUnsafeMutablePointerToElements { $0 } }

    var identity: ServiceKey { state.pointee.identity }
    var record: Record { head.pointee.record.takeUnretainedValue() }
    var core: Core { head.pointee.core.takeUnretainedValue() }
    /// The place in the order of registration.
    var order: Int { state.pointee.order }
    var standing: SlotHead.Standing { head.pointee.standing }

    /// The object that there is a note of, if that is all that is kept, and somebody holds it. For this no plan is
    /// needed.
    var heldByOthers: Instance? {
        record.kind == .weak || record.kind == .unowned ? core.instance(of: record) : nil
    }

    /// Whether it is one of that core. Does not need the core to be there.
    func belongs(to core: Core) -> Bool {
        head.pointee.core.toOpaque() == Unmanaged.passUnretained(core).toOpaque()
    }

    /// Initializes `storage` by the published service. False if there is none.
    func copyService(to storage: UnsafeMutableRawPointer) -> Bool {
        reading {
            guard let service = SlotHead.service(of: head) else { return false }
            copyValue(from: service, to: storage, of: identity.type)
            return true
        }
    }

    /// Lets readers see the service, unless they see it already: what they may be reading is never replaced. The core's
    /// lock is held.
    func publish(_ form: Instance) {
        guard state.pointee.form == nil else { return }
        state.pointee.form = form
        injectle_store(&head.pointee.service, form.storage)
    }

    /// Hides the service from readers, and returns what must outlive those who read it now. The core's lock is held.
    func withdraw() -> Instance? {
        injectle_store(&head.pointee.service, nil)
        defer { state.pointee.form = nil }
        return state.pointee.form
    }

    /// Withdraws the service for good. The core's lock is held.
    func detach() -> Instance? {
        injectle_store_number(&head.pointee.isDetached, 1)
        return withdraw()
    }

    /// Lets readers find it by a key that looks like this one. The core's lock is held.
    func learn(_ image: KeyImage) {
        guard injectle_load(&head.pointee.image) == nil else { return }
        injectle_store(&head.pointee.image, Unmanaged.passRetained(image).toOpaque())
    }

    var isDetached: Bool { SlotHead.isDetached(head) }
}

/// What a slot has that its readers do not look at.
@usableFromInline
struct SlotState {
    let identity: ServiceKey
    let order: Int
    /// The service as a value of the identity's type.
    var form: Instance?
}

/// What readers see of a slot.
@usableFromInline
struct SlotHead {
    /// A value of the identity's type, or null while there is none to be shared.
    @usableFromInline var service: UnsafeMutableRawPointer?
    /// 1 once the slot has left its table.
    @usableFromInline var isDetached: UInt = 0
    /// The `KeyImage` that a key is compared with, or null before one was asked for.
    var image: UnsafeMutableRawPointer?

    // What follows never changes.

    /// The slot itself.
    let owner: Unmanaged<Slot>
    /// What it stands for, which the slot retains.
    let record: Unmanaged<Record>
    /// The core that it is or was in a table of.
    let core: Unmanaged<Core>
    /// Where it is made for nobody but who asks, by no more than calling its closure.
    let straight: Straight
    let standing: Standing
    /// Whether each locator that is asked has an instance of its own.
    let isPerLocator: Bool

    /// How a slot came to be.
    enum Standing {
        /// Stands for a registration.
        case registered
        /// Was found by its key alone, for a type it was not registered as, and is in the table until that key changes.
        case derived
        /// Was found like a derived one, for this once.
        case transient
        /// Has what this locator made for itself, of a registration that each makes its own of.
        case own
    }

    /// On which threads something is done.
    struct Straight {
        private let threads: UInt32

        static var nowhere: Straight { Straight(threads: 0) }
        static var anywhere: Straight { Straight(threads: UInt32(INJECTLE_ANY_THREAD)) }
        static var onMainThread: Straight { Straight(threads: UInt32(INJECTLE_MAIN_THREAD)) }

        /// Whether the calling thread, whose record is given, is one of them.
        @inline(__always)
        func isHere(_ thread: UnsafeMutablePointer<injectle_thread>) -> Bool {
            threads & thread.pointee.kinds != 0
        }
    }

    /// The published service. Only inside `reading`.
    @inlinable
    @inline(__always)
    static func service(of head: UnsafeMutablePointer<SlotHead>) -> UnsafeMutableRawPointer? {
        injectle_load(&head.pointee.service)
    }

    /// Initializes `storage` by what a locator has made for itself of the registration that a slot stands for. False if
    /// there is none. Only inside `reading`.
    static func copyOwn(
        of head: UnsafeMutablePointer<SlotHead>,
        as type: Any.Type,
        in asked: UnsafeMutablePointer<CoreHead>,
        to storage: UnsafeMutableRawPointer
    ) -> Bool {
        guard head.pointee.isPerLocator, CoreHead.isPlain(asked) else { return false }
        let record = head.pointee.record
        let tag = ServiceKey.tag(of: type, hash: ServiceKey.Own.hash(of: record))
        guard let own = CoreHead.findOwn(tag, in: asked), own.pointee.standing == .own,
            own.pointee.record.toOpaque() == record.toOpaque(), let service = service(of: own)
        else { return false }
        copyValue(from: service, to: storage, of: type)
        return true
    }

    /// Whether the slot has left its table. Only inside `reading`.
    @inlinable
    @inline(__always)
    static func isDetached(_ head: UnsafeMutablePointer<SlotHead>) -> Bool {
        injectle_load_number(&head.pointee.isDetached) != 0
    }
}
