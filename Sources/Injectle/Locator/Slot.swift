public import CInjectle

/// One registration under one identity in one locator's table.
///
/// What it stands for never changes: replacing a registration puts a new slot in the table and detaches the old one.
/// That is what lets a property remember where it read last, and see at a glance whether that still counts.
///
/// Invariant: `head` is written under the lock of `core`, and read by anyone inside `reading`. Its `service` is null, or
/// points to a value of the identity's type that `form` keeps alive.
@usableFromInline
final class Slot: @unchecked Sendable {
    // Sound to share: all but the head, `form` and `isDetached` is immutable, the head is atomic words, and the other two
    // are touched under the core's lock.

    let head: UnsafeMutablePointer<SlotHead>
    let identity: ServiceKey
    let record: Record
    let core: Core
    /// The place in the order of registration.
    let order: Int
    let standing: Standing

    enum Standing {
        /// Stands for a registration.
        case registered
        /// Was found by its key alone, for a type it was not registered as, and is in the table until that key changes.
        case derived
        /// Was found like a derived one, for this once.
        case transient
    }

    /// The service as a value of the identity's type; guarded by the core's lock.
    private var form: Instance?

    init(identity: ServiceKey, record: Record, core: Core, order: Int, standing: Standing = .registered) {
        self.identity = identity
        self.record = record
        self.core = core
        self.order = order
        self.standing = standing
        head = .allocate(capacity: 1)
        head.initialize(to: SlotHead())
        head.pointee.owner = .passUnretained(self)
    }

    deinit {
        head.deallocate()
    }

    /// Initializes `storage` by the published service. False if there is none.
    func copyService(to storage: UnsafeMutableRawPointer) -> Bool {
        reading {
            guard let service = SlotHead.service(of: head) else { return false }
            copyValue(from: service, to: storage, of: identity.type)
            return true
        }
    }

    /// Lets readers see the service. The core's lock is held.
    func publish(_ form: Instance) {
        self.form = form
        injectle_store(&head.pointee.service, form.storage)
    }

    /// Hides the service from readers, and returns what must outlive those who read it now. The core's lock is held.
    func withdraw() -> Instance? {
        injectle_store(&head.pointee.service, nil)
        defer { form = nil }
        return form
    }

    /// Withdraws the service for good. The core's lock is held.
    func detach() -> Instance? {
        injectle_store_number(&head.pointee.isDetached, 1)
        return withdraw()
    }

    var isDetached: Bool { SlotHead.isDetached(head) }
}

/// What readers see of a slot.
@usableFromInline
struct SlotHead {
    /// A value of the identity's type, or null while there is none to be shared.
    @usableFromInline var service: UnsafeMutableRawPointer?
    /// 1 once the slot has left its table.
    @usableFromInline var isDetached: UInt = 0
    var owner: Unmanaged<Slot>?

    /// The published service. Only inside `reading`.
    @inlinable
    @inline(__always)
    static func service(of head: UnsafeMutablePointer<SlotHead>) -> UnsafeMutableRawPointer? {
        injectle_load(&head.pointee.service)
    }

    /// Whether the slot has left its table. Only inside `reading`.
    @inlinable
    @inline(__always)
    static func isDetached(_ head: UnsafeMutablePointer<SlotHead>) -> Bool {
        injectle_load_number(&head.pointee.isDetached) != 0
    }
}
