public import CInjectle

/// One registration under one identity in the table of one locator.
///
/// The registration of an entry never changes: replacing a registration puts a new entry in the table and detaches the
/// old one. So a property can cache the entry that it read last, and check at a glance whether that is still valid.
///
/// Tables and properties have the address of an entry, and readers reach its header without retaining the entry. Any
/// thread may use it.
///
/// Invariant: the lock of `core` guards the words of the header that change; readers load them in a read section.
/// `service` is null, or points to a value of the identity's type in `form`; `form` is null, or retained by the entry.
/// `core` outlives every use of it: code that looks an entry up retains that core, or a child that retains it.
@usableFromInline
final class Entry: ManagedBuffer<EntryHeader, Void> {
    static func make(
        identity: Locator.Identity,
        record: RegistrationRecord,
        core: LocatorCore,
        order: Int,
        role: EntryHeader.Role = .registered
    ) -> Entry {
        let buffer = create(minimumCapacity: 0) { _ in
            unsafe EntryHeader(
                role: role,
                isCachedPerLocator: record.isCachedPerLocator,
                isPlainContribution: identity.isContribution && identity.userKey == nil && record.declared == nil,
                record: role.retainsRecord ? .passRetained(record) : .passUnretained(record),
                core: .passUnretained(core),
                identity: identity,
                order: order
            )
        }
        // `create` makes an object of the class it is called on.
        return unsafe unsafeDowncast(buffer, to: Entry.self)
    }

    /// The same for an owner that releases the entry itself.
    static func makeRetained(
        identity: Locator.Identity,
        record: RegistrationRecord,
        core: LocatorCore,
        order: Int
    ) -> Unmanaged<Entry> {
        unsafe .passRetained(make(identity: identity, record: record, core: core, order: order))
    }

    /// The entry of properties whose service was passed as an argument.
    // Sound to share: it is immutable, since it is in no table.
    nonisolated(unsafe) static let forArguments = Entry.make(
        identity: Locator.Identity(Never.self),
        record: .synthetic,
        core: Locator.default.core,
        order: 0,
        role: .temporary
    )

    deinit {
        unsafe withUnsafeMutablePointerToHeader { header in
            if unsafe header.pointee.role.retainsRecord { unsafe header.pointee.record.release() }
            if let form = unsafe header.pointee.form { unsafe Unmanaged<Instance>.fromOpaque(form).release() }
        }
    }

    /// The address by which tables and properties refer to it.
    var address: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    var identity: Locator.Identity { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.identity } }
    var record: RegistrationRecord {
        unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.record.takeUnretainedValue() }
    }
    /// Calls `body` with the identity.
    @inline(__always)
    func withIdentity<Value>(_ body: (Locator.Identity) -> Value) -> Value {
        unsafe withUnsafeMutablePointerToHeader { unsafe EntryHeader.withIdentity(of: $0, body) }
    }
    /// Calls `body` with the record, which it does not retain.
    func withRecord<Value>(_ body: (RegistrationRecord) -> Value) -> Value {
        unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.record }._withUnsafeGuaranteedRef(body)
    }
    var core: LocatorCore { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.core.takeUnretainedValue() } }
    /// The tag by which tables have it.
    var tag: UInt {
        unsafe withUnsafeMutablePointerToHeader { header in
            unsafe header.pointee.role == .perLocatorInstance
                ? EntryHeader.tagOfOwn(header.pointee.record, as: header.pointee.identity.type)
                : header.pointee.identity.tag
        }
    }
    /// The place in the order of registration.
    var order: Int { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.order } }
    var role: EntryHeader.Role { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.role } }
    var isDetached: Bool { unsafe withUnsafeMutablePointerToHeader { unsafe EntryHeader.isDetached($0) } }

    /// The instance that it was registered with, until its release.
    var given: Instance? { core.lock.withLock { record.given } }

    /// Returns whether it is an entry of `core`. The entry's own core may have been freed.
    func belongs(to core: LocatorCore) -> Bool {
        unsafe withUnsafeMutablePointerToHeader {
            unsafe $0.pointee.core.toOpaque() == Unmanaged.passUnretained(core).toOpaque()
        }
    }

    /// Returns whether it is an entry of a registration.
    func leads(to record: RegistrationRecord) -> Bool {
        unsafe withUnsafeMutablePointerToHeader {
            unsafe $0.pointee.record.toOpaque() == Unmanaged.passUnretained(record).toOpaque()
        }
    }

    /// Initializes `storage` with the published service. Returns false if there is none.
    func copyService(to storage: UnsafeMutableRawPointer) -> Bool {
        withReadSection {
            guard let service = unsafe withUnsafeMutablePointerToHeader({ unsafe EntryHeader.service(of: $0) }) else {
                return false
            }
            unsafe copyValue(from: service, to: storage, of: identity.type)
            return true
        }
    }

    /// Publishes the service to readers, unless they see one already: a service that they may be reading is never
    /// replaced. The core's lock is held.
    func publish(_ form: Instance) {
        unsafe withUnsafeMutablePointerToHeader { header in
            guard unsafe header.pointee.form == nil else { return }
            unsafe injectle_store(&header.pointee.form, Unmanaged.passRetained(form).toOpaque())
            unsafe injectle_store(&header.pointee.service, form.storage)
        }
    }

    /// Hides the service from readers, and returns the instance that must outlive the reads in progress. The core's lock
    /// is held.
    func withdraw() -> Instance? {
        unsafe withUnsafeMutablePointerToHeader { header in
            unsafe injectle_store(&header.pointee.service, nil)
            guard let form = unsafe header.pointee.form else { return nil }
            unsafe injectle_store(&header.pointee.form, nil)
            return unsafe Unmanaged<Instance>.fromOpaque(form).takeRetainedValue()
        }
    }

    /// Marks the entry as removed, and hides the service, which stays allocated. The core's lock is held.
    func hide() {
        unsafe withUnsafeMutablePointerToHeader { header in
            unsafe injectle_store_flag(&header.pointee.isDetached, true)
            unsafe injectle_store(&header.pointee.service, nil)
        }
    }

    /// Marks the entry as removed, and hides the service. The core's lock is held.
    func detach() -> Instance? {
        unsafe withUnsafeMutablePointerToHeader { unsafe injectle_store_flag(&$0.pointee.isDetached, true) }
        return withdraw()
    }
}

/// An entry that its table retains, as readers have it.
extension Unmanaged<Entry> {
    /// Calls `body` with the header. Called inside a read section, or while something retains the entry.
    @inlinable
    @inline(__always)
    func withHeader<Value>(_ body: (UnsafeMutablePointer<EntryHeader>) -> Value) -> Value {
        unsafe _withUnsafeGuaranteedRef { unsafe $0.withUnsafeMutablePointerToHeader(body) }
    }

    /// The published service. Called inside a read section.
    @inlinable
    @inline(__always)
    var service: UnsafeMutableRawPointer? { unsafe withHeader { unsafe EntryHeader.service(of: $0) } }
}

/// The words of an entry that readers see, and the rest.
@usableFromInline
@safe
struct EntryHeader {
    /// A value of the identity's type, or null while there is none to share.
    @usableFromInline var service: UnsafeMutableRawPointer?
    /// The `Instance` that `service` is a part of, or null.
    @usableFromInline var form: UnsafeMutableRawPointer?

    /// Whether the entry has left its table.
    @usableFromInline var isDetached = false

    // From here on, nothing changes. These bytes and the one before fill a word, since a program has many entries.

    let role: Role
    /// Whether each locator, or each with a name, has an instance of its own.
    let isCachedPerLocator: Bool
    /// Whether it contributes to a list without a key, and declares no arguments.
    let isPlainContribution: Bool
    /// The record of the registration. The entry retains it, unless its role says otherwise.
    let record: Unmanaged<RegistrationRecord>
    /// The core whose table has or had the entry.
    let core: Unmanaged<LocatorCore>
    let identity: Locator.Identity
    let order: Int

    /// The origin of an entry.
    enum Role {
        /// It is a registration.
        case registered
        /// A look-up by the key alone has found a registration of another type. It stays until an entry with that key
        /// changes.
        case keyAlias
        /// Like an alias, but not in the table.
        case temporary
        /// It shows this locator's own instance of a registration with a lifetime per locator.
        case perLocatorInstance

        /// Whether the entry retains its record. One that shows an instance is in the table only as long as the cell of the
        /// instance is in the cache, and its record is not used without the lock of the core.
        var retainsRecord: Bool { self != .perLocatorInstance }
    }

    /// The published service. Called inside a read section.
    @inlinable
    @inline(__always)
    static func service(of header: UnsafeMutablePointer<EntryHeader>) -> UnsafeMutableRawPointer? {
        unsafe injectle_load(&header.pointee.service)
    }

    /// Calls `body` with the identity. Most have no key, and are copied without a retain of one.
    @inline(__always)
    static func withIdentity<Value>(
        of header: UnsafeMutablePointer<EntryHeader>,
        _ body: (Locator.Identity) -> Value
    ) -> Value {
        guard unsafe header.pointee.identity.keyPart == nil else { return unsafe body(header.pointee.identity) }
        return unsafe body(Locator.Identity(type: header.pointee.identity.type, keyPart: nil))
    }

    /// The tag of the entry that shows a locator's own instance of a registration.
    static func tagOfOwn(_ record: Unmanaged<RegistrationRecord>, as type: Any.Type) -> UInt {
        unsafe EntryTable.tag(of: type, hash: Int(bitPattern: record.toOpaque()))
    }

    /// Initializes `storage` with the instance that a locator has created for itself from the registration of an entry.
    /// Returns false if there is none. Called inside a read section.
    static func copyOwn(
        of entry: Unmanaged<Entry>,
        as type: Any.Type,
        in origin: UnsafeMutablePointer<LocatorHeader>,
        to storage: UnsafeMutableRawPointer
    ) -> Bool {
        guard unsafe entry.withHeader({ unsafe $0.pointee.isCachedPerLocator }),
            unsafe LocatorHeader.isPlain(origin)
        else { return false }
        let record = unsafe entry.withHeader { unsafe $0.pointee.record }
        guard let own = unsafe LocatorHeader.findOwn(tagOfOwn(record, as: type), in: origin),
            unsafe own.withHeader({
                unsafe $0.pointee.role == .perLocatorInstance && $0.pointee.record.toOpaque() == record.toOpaque()
            }),
            let service = unsafe own.service
        else { return false }
        unsafe copyValue(from: service, to: storage, of: type)
        return true
    }

    /// Whether the entry has left its table. Called inside a read section, or while something retains the entry.
    @inlinable
    @inline(__always)
    static func isDetached(_ header: UnsafeMutablePointer<EntryHeader>) -> Bool {
        unsafe injectle_load_flag(&header.pointee.isDetached)
    }
}
