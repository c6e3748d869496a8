public import CInjectle

/// One registration under one identity in one locator's table.
///
/// What it stands for never changes: replacing a registration puts a new entry in the table and detaches the old one.
/// That is what lets a property remember where it read last, and see at a glance whether that still counts.
///
/// One object: in front lies what readers see, which they reach by its address and without retaining the entry; behind
/// it the rest. It can be used from any thread.
///
/// Invariant: the words of `header` that change are written under the lock of `core`, and read by anyone inside
/// `reading`. `service` is null, or points to a value of the identity's type that `form` keeps alive; `image` is null,
/// or retained by the entry. `form` is touched under the core's lock. `core` outlives every use of it: whoever looks a
/// entry up has that core, or a child that keeps it.
@usableFromInline
final class Entry: ManagedBuffer<EntryHeader, EntryContents> {
    static func make(
        identity: ServiceKey,
        record: RegistrationRecord,
        core: LocatorCore,
        order: Int,
        role: EntryHeader.Role = .registered
    ) -> Entry {
        let buffer = create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements {
                $0.initialize(to: EntryContents(identity: identity, order: order))
            }
            return EntryHeader(
                // `create` makes an object of the class it is called on.
                owner: .passUnretained(unsafeDowncast(buffer, to: Entry.self)),
                record: .passRetained(record),
                core: .passUnretained(core),
                inline: identity.type == record.serviceType ? record.inline : .nowhere,
                role: role,
                isPerLocator: record.kind == .perLocator
            )
        }
        return unsafeDowncast(buffer, to: Entry.self)
    }

    /// Stands for what a property was given as an argument, where no entry does.
    // Sound to share: it never changes, since it is in no table.
    nonisolated(unsafe) static let forArguments = Entry.make(
        identity: ServiceKey(Never.self),
        record: .synthetic,
        core: Locator.default.core,
        order: 0,
        role: .temporary
    )

    deinit {
        _ = withUnsafeMutablePointerToElements { $0.deinitialize(count: 1) }
        pointer.pointee.record.release()
        if let cachedBits = pointer.pointee.cachedBits { Unmanaged<CachedKeyBits>.fromOpaque(cachedBits).release() }
    }

    /// What readers see, which lives as long as this object.
    var pointer: UnsafeMutablePointer<EntryHeader> { withUnsafeMutablePointerToHeader { $0 } }

    private var state: UnsafeMutablePointer<EntryContents> { withUnsafeMutablePointerToElements { $0 } }

    var identity: ServiceKey { state.pointee.identity }
    var record: RegistrationRecord { pointer.pointee.record.takeUnretainedValue() }
    var core: LocatorCore { pointer.pointee.core.takeUnretainedValue() }
    /// The place in the order of registration.
    var order: Int { state.pointee.order }
    var role: EntryHeader.Role { pointer.pointee.role }

    /// The object that there is a note of, if that is all that is kept, and somebody holds it. For this no plan is
    /// needed.
    var referencedInstance: Instance? {
        record.kind == .weak || record.kind == .unowned ? core.instance(of: record) : nil
    }

    /// Whether it is one of that core. Does not need the core to be there.
    func belongs(to core: LocatorCore) -> Bool {
        pointer.pointee.core.toOpaque() == Unmanaged.passUnretained(core).toOpaque()
    }

    /// Initializes `storage` by the published service. False if there is none.
    func copyService(to storage: UnsafeMutableRawPointer) -> Bool {
        withReadSection {
            guard let service = EntryHeader.service(of: pointer) else { return false }
            copyValue(from: service, to: storage, of: identity.type)
            return true
        }
    }

    /// Lets readers see the service, unless they see it already: what they may be reading is never replaced. The core's
    /// lock is held.
    func publish(_ form: Instance) {
        guard state.pointee.form == nil else { return }
        state.pointee.form = form
        injectle_store(&pointer.pointee.service, form.storage)
    }

    /// Hides the service from readers, and returns what must outlive those who read it now. The core's lock is held.
    func withdraw() -> Instance? {
        injectle_store(&pointer.pointee.service, nil)
        defer { state.pointee.form = nil }
        return state.pointee.form
    }

    /// Withdraws the service for good. The core's lock is held.
    func detach() -> Instance? {
        injectle_store_number(&pointer.pointee.isDetached, 1)
        return withdraw()
    }

    /// Lets readers find it by a key that looks like this one. The core's lock is held.
    func cacheBits(_ cachedBits: CachedKeyBits) {
        guard injectle_load(&pointer.pointee.cachedBits) == nil else { return }
        injectle_store(&pointer.pointee.cachedBits, Unmanaged.passRetained(cachedBits).toOpaque())
    }

    var isDetached: Bool { EntryHeader.isDetached(pointer) }
}

/// What a entry has that its readers do not look at.
@usableFromInline
struct EntryContents {
    let identity: ServiceKey
    let order: Int
    /// The service as a value of the identity's type.
    var form: Instance?
}

/// What readers see of a entry.
@usableFromInline
struct EntryHeader {
    /// A value of the identity's type, or null while there is none to be shared.
    @usableFromInline var service: UnsafeMutableRawPointer?
    /// 1 once the entry has left its table.
    @usableFromInline var isDetached: UInt = 0
    /// The `CachedKeyBits` that a key is compared with, or null before one was asked for.
    var cachedBits: UnsafeMutableRawPointer?

    // What follows never changes.

    /// The entry itself.
    let owner: Unmanaged<Entry>
    /// What it stands for, which the entry retains.
    let record: Unmanaged<RegistrationRecord>
    /// The core that it is or was in a table of.
    let core: Unmanaged<LocatorCore>
    /// Where it is made for nobody but who asks, by no more than calling its closure.
    let inline: InlineThreads
    let role: Role
    /// Whether each locator that is asked has an instance of its own.
    let isPerLocator: Bool

    /// How a entry came to be.
    enum Role {
        /// Stands for a registration.
        case registered
        /// Was found by its key alone, for a type it was not registered as, and is in the table until that key changes.
        case keyAlias
        /// Was found like a derived one, for this once.
        case temporary
        /// Has what this locator made for itself, of a registration that each makes its own of.
        case own
    }

    /// On which threads something is done.
    struct InlineThreads {
        private let threads: UInt32

        static var nowhere: InlineThreads { InlineThreads(threads: 0) }
        static var anywhere: InlineThreads { InlineThreads(threads: UInt32(INJECTLE_ANY_THREAD)) }
        static var onMainThread: InlineThreads { InlineThreads(threads: UInt32(INJECTLE_MAIN_THREAD)) }

        /// Whether the calling thread, whose record is given, is one of them.
        @inline(__always)
        func isHere(_ thread: UnsafeMutablePointer<injectle_thread>) -> Bool {
            threads & thread.pointee.kinds != 0
        }
    }

    /// The published service. Only inside `reading`.
    @inlinable
    @inline(__always)
    static func service(of header: UnsafeMutablePointer<EntryHeader>) -> UnsafeMutableRawPointer? {
        injectle_load(&header.pointee.service)
    }

    /// Initializes `storage` by what a locator has made for itself of the registration that a entry stands for. False if
    /// there is none. Only inside `reading`.
    static func copyOwn(
        of header: UnsafeMutablePointer<EntryHeader>,
        as type: Any.Type,
        in origin: UnsafeMutablePointer<LocatorHeader>,
        to storage: UnsafeMutableRawPointer
    ) -> Bool {
        guard header.pointee.isPerLocator, LocatorHeader.isPlain(origin) else { return false }
        let record = header.pointee.record
        let tag = ServiceKey.tag(of: type, hash: ServiceKey.PerLocatorKey.hash(of: record))
        guard let own = LocatorHeader.findOwn(tag, in: origin), own.pointee.role == .own,
            own.pointee.record.toOpaque() == record.toOpaque(), let service = service(of: own)
        else { return false }
        copyValue(from: service, to: storage, of: type)
        return true
    }

    /// Whether the entry has left its table. Only inside `reading`.
    @inlinable
    @inline(__always)
    static func isDetached(_ header: UnsafeMutablePointer<EntryHeader>) -> Bool {
        injectle_load_number(&header.pointee.isDetached) != 0
    }
}
