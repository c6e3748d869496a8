/// Initializes memory for a value of a registration's service, for a core that the caller keeps, with the arguments of
/// the call that it is made for.
@usableFromInline
typealias Factory = (Unmanaged<LocatorCore>, Arguments?, UnsafeMutableRawPointer) throws -> Void

/// Stands where a closure has to stand.
func neverCalled(_: Unmanaged<LocatorCore>, _: Arguments?, _: UnsafeMutableRawPointer) throws {
    preconditionFailure("What is given, and what is kept, is not made here.")
}

/// Makes a value of a registration's service in a task, like `Factory`.
typealias AsyncFactory = @concurrent (LocatorCore, Arguments?) async throws -> Instance

/// Initializes memory for a value of a registration's service from another such value, like `Factory`.
typealias Copy = (Unmanaged<LocatorCore>, Arguments?, UnsafeRawPointer, UnsafeMutableRawPointer) throws -> Void

/// A registration as a locator keeps it: without the service's type in its own, so that all share one class.
///
/// Invariant: it belongs to one `Registration` value until that is registered, and to one locator from then on. Once it
/// is in a table it is immutable, but for what that table's core guards by its lock: `entries`, which counts the entries
/// that lead here, and `makeOnce`, `makeInTask` and `given`, which are let go of when the one instance has been made
/// and when the last entry goes, or once modules that had a part in that have succeeded; and for the stores of `RareFields`,
/// which have a lock of their own.
@usableFromInline
@safe
final class RegistrationRecord: @unchecked Sendable {
    // Sound to share: see the invariant. It also excludes what a check of exclusive access would look for. The closures
    // are called where `isolation` says; what they capture is their author's to protect.

    let serviceType: Any.Type
    let location: SourceLocation
    let isolation: ClosureIsolation
    /// Tested in `LifetimePlan.swift` alone.
    let lifetimeKind: Locator.Lifetime.Kind
    @safe @exclusivity(unchecked) var isSendable = false
    @safe @exclusivity(unchecked) var isFinal = false
    /// Whether `identity` was listed.
    @safe @exclusivity(unchecked) private var isListed = false
    @safe @exclusivity(unchecked) var entries: Int32 = 0
    /// The closure of a registration that makes more than once, and for others one that is never called. Since it never
    /// changes, it is called without being retained; not an `Optional`, which would wrap it into another closure.
    private let factory: Factory
    /// The closure of a registration that makes what is kept.
    @safe @exclusivity(unchecked) private(set) var singletonFactory: Factory?
    /// What it is known as first: what was listed first, or else its own type.
    @safe @exclusivity(unchecked) private var identity: ServiceKey
    @safe @exclusivity(unchecked) private var rareFields: RareFields?
    /// The isolation in its locator's order of registration.
    @safe @exclusivity(unchecked) var serial: Int32 = 0
    /// Whether the closure stays, so that the instance can be dropped and made again.
    @safe @exclusivity(unchecked) var isResettable = false
    /// Whether behaviors are told that its last entry has gone.
    @safe @exclusivity(unchecked) var isUnregistrationReported = false

    init(
        of serviceType: Any.Type,
        _ lifetime: Locator.Lifetime,
        at isolation: ClosureIsolation,
        _ location: SourceLocation,
        _ rareFields: RareFields? = nil,
        make: @escaping Factory = unsafe neverCalled
    ) {
        self.serviceType = serviceType
        self.location = location
        self.isolation = isolation
        lifetimeKind = lifetime.kind
        let type = unwrapped(serviceType)
        identity = ServiceKey(type: type, keyPart: nil)
        if lifetime.isSingleton {
            unsafe factory = unsafe neverCalled
            if rareFields?.given == nil { singletonFactory = unsafe make }
        } else {
            unsafe factory = unsafe make
        }
        // Most have nothing of this.
        guard rareFields != nil || usesScopedCaches else { return }
        let rareFields = unsafe rareFields ?? RareFields()
        rareFields.details = lifetime.details
        self.rareFields = rareFields
        if let declared = rareFields.declared {
            identity = ServiceKey(type: type, keyPart: ServiceKey.KeyPart(.declaring(declared)))
        }
    }

    /// A registration of a closure that was written in some isolation.
    @usableFromInline
    convenience init(
        of serviceType: Any.Type,
        _ lifetime: Locator.Lifetime,
        on isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        declaring declared: [Any.Type]? = nil,
        _ make: @escaping Factory
    ) {
        unsafe self.init(
            of: serviceType,
            lifetime,
            at: ClosureIsolation(isolation),
            SourceLocation(fileID, line),
            declared.map { unsafe RareFields(declared: $0) },
            make: unsafe make
        )
    }

    /// A placeholder for the list of a `resolveAll`, which no registration creates.
    static let synthetic = placeholder(for: [Any].self)

    /// A placeholder for the list of a `resolveAllAsync`.
    static let syntheticInTask = unsafe placeholder(
        for: [Any].self,
        RareFields(inTask: { _, _ in preconditionFailure("A placeholder creates nothing.") })
    )

    /// A placeholder for the time in which a custom lifetime chooses a scope.
    static let scopeDecision = placeholder(for: Never.self)

    private static func placeholder(for type: Any.Type, _ rareFields: RareFields? = nil) -> RegistrationRecord {
        unsafe RegistrationRecord(of: type, .volatile, at: .anywhere, SourceLocation(#fileID, #line), rareFields)
    }

    /// Whether this is one of the placeholders.
    var isSynthetic: Bool {
        self === RegistrationRecord.synthetic || self === RegistrationRecord.syntheticInTask
            || self === RegistrationRecord.scopeDecision
    }

    /// Makes a record unique, by a copy if another value refers to it, and adds what `register` knows of it.
    static func claim(_ record: inout RegistrationRecord, as identity: ServiceKey? = nil, isSendable: Bool) {
        if !isKnownUniquelyReferenced(&record) { record = record.copied() }
        record.isSendable = isSendable
        if let identity { record.list(identity) }
    }

    /// The same registration, for another value or another locator.
    func copied(lifetime: Locator.Lifetime? = nil) -> Self {
        unsafe copied(rareFields?.copied(given: given, copy: copy, inTask: asyncFactory), lifetime, make: make)
    }

    /// The same registration, made in another way. What it is given is not, but made then.
    func copied(copy: Copy? = nil, inTask: AsyncFactory? = nil, make: @escaping Factory = unsafe neverCalled) -> Self {
        unsafe copied(rareFields?.copied(copy: copy, inTask: inTask), make: make)
    }

    private func copied(_ fields: RareFields?, _ other: Locator.Lifetime? = nil, make: @escaping Factory) -> Self {
        let record = unsafe Self(of: serviceType, other ?? lifetime, at: isolation, location, fields, make: make)
        if isListed { record.identity = identity }
        record.isListed = isListed
        record.isFinal = isFinal
        record.isResettable = isResettable
        return record
    }

    /// What makes one, or hands out what is given.
    var make: Factory {
        if !isSingleton { return unsafe factory }
        if let singletonFactory { return unsafe singletonFactory }
        guard let given else { return unsafe neverCalled }
        return { _, _, storage in unsafe given.copy(to: storage) }
    }

    /// What most registrations do not have.
    @safe
    final class RareFields {
        /// The instance of an eager registration.
        @safe @exclusivity(unchecked) fileprivate(set) var given: Instance?
        /// What makes a copy of the prototype.
        let copy: Copy?
        /// The types of the arguments that the closure declares.
        let declared: [Any.Type]?
        /// What makes one in a task, if that is how it is made.
        @safe @exclusivity(unchecked) fileprivate(set) var asyncFactory: AsyncFactory?
        /// Whether it is made in a task. So it stays when the closure is let go of.
        let isAsynchronous: Bool
        /// Whether it is made when its locator starts.
        @safe @exclusivity(unchecked) var isAtStart = false
        /// What ends an instance.
        @safe @exclusivity(unchecked) var disposers: [Disposer] = []
        /// What it is known as besides.
        @safe @exclusivity(unchecked) fileprivate var identities: [ServiceKey] = []
        /// What there is to be said of its lifetime.
        @safe @exclusivity(unchecked) fileprivate var details: Locator.Lifetime.Details?
        /// The scoped caches that have cells of it. Nil once it is unregistered, and no cache may create another one.
        @safe @exclusivity(unchecked) private var caches: [ObjectIdentifier: ScopedCache]? = [:]
        private let lock = Lock()

        init(given: Instance? = nil, copy: Copy? = nil, declared: [Any.Type]? = nil, inTask: AsyncFactory? = nil) {
            self.given = given
            unsafe self.copy = unsafe copy
            self.declared = declared
            asyncFactory = inTask
            isAsynchronous = inTask != nil
        }

        /// A copy for another registration, which no cache has joined.
        func copied(given: Instance? = nil, copy: Copy?, inTask: AsyncFactory?) -> RareFields {
            let rareFields = unsafe RareFields(given: given, copy: copy, declared: declared, inTask: inTask)
            rareFields.isAtStart = isAtStart
            rareFields.disposers = disposers
            rareFields.identities = identities
            return rareFields
        }

        fileprivate func withCaches<Value>(_ body: (inout [ObjectIdentifier: ScopedCache]?) -> Value) -> Value {
            lock.withLock { body(&caches) }
        }
    }

    /// The rare fields, for changes before the registration.
    var ownRareFields: RareFields {
        if let rareFields { return rareFields }
        let created = unsafe RareFields()
        rareFields = created
        return created
    }

    var lifetime: Locator.Lifetime { Locator.Lifetime(lifetimeKind, rareFields?.details) }
    var given: Instance? { rareFields?.given }
    var copy: Copy? { unsafe rareFields?.copy }
    /// The types of the arguments that the closure declares, or nil if it declares none.
    var declared: [Any.Type]? { rareFields?.declared }
    /// What makes one in a task, until that is let go of.
    var asyncFactory: AsyncFactory? { rareFields?.asyncFactory }
    /// Whether it is made in a task.
    var isAsynchronous: Bool { rareFields?.isAsynchronous ?? false }
    /// The closures that dispose of an instance.
    var disposers: [Disposer] { rareFields?.disposers ?? [] }
    /// Whether anything does.
    var hasDisposers: Bool { rareFields?.disposers.isEmpty == false }
    /// Whether a start of its locator creates the instance.
    var isAtStart: Bool { rareFields?.isAtStart ?? false }

    /// What it is known as, if that is one thing only.
    var soleIdentity: ServiceKey? {
        guard let rareFields, !rareFields.identities.isEmpty else { return identity }
        return nil
    }

    /// What it is known as.
    var identities: [ServiceKey] { [identity] + (rareFields?.identities ?? []) }

    /// Makes it known as something else, too; once something is listed, not by its own type any more.
    func list(_ identity: ServiceKey) {
        var identity = identity
        if let declared, !identity.isContribution {
            identity = ServiceKey(
                type: identity.type,
                keyPart: ServiceKey.KeyPart(.declaring(declared), userKey: identity.userKey)
            )
        }
        if isListed {
            ownRareFields.identities.append(identity)
        } else {
            self.identity = identity
            isListed = true
        }
    }

    /// Calls the closure of a registration that makes more than once, for a core that the caller keeps.
    @inline(__always)
    func factory(in core: Unmanaged<LocatorCore>, given: Arguments?, into storage: UnsafeMutableRawPointer) throws {
        try unsafe factory(core, given, storage)
    }

    /// Takes away what makes the one instance, with all that it captures. The core's lock is held.
    func release(_ retired: inout RetireList) {
        retired.add(closure: singletonFactory)
        retired.add(rareFields?.given)
        singletonFactory = nil
        rareFields?.given = nil
        guard isAsynchronous, isSingleton else { return }
        retired.add(closure: asyncFactory)
        rareFields?.asyncFactory = nil
    }

    // MARK: What stores keep of it

    /// Notes that a store keeps what it makes of this. False if the last registration has gone, and there is nothing to
    /// be kept any more.
    func join(_ cache: ScopedCache) -> Bool {
        let isJoined = rareFields?.withCaches { caches in
            caches?[ObjectIdentifier(cache)] = cache
            return caches != nil
        }
        return isJoined ?? false
    }

    /// Notes that a store keeps nothing more of this.
    func leave(_ cache: ScopedCache) {
        rareFields?.withCaches { _ = $0?.removeValue(forKey: ObjectIdentifier(cache)) }
    }

    /// Lets stores forget what they keep of this, since the last registration has gone.
    func dropCachedInstances() {
        let dropped = rareFields?.withCaches { caches in
            defer { caches = nil }
            return caches ?? [:]
        }
        for cache in (dropped ?? [:]).values { cache.drop(self, given: nil) }
    }

    /// The stores that have made something of this.
    var caches: [ScopedCache] { (rareFields?.withCaches { $0 } ?? [:]).map(\.value) }
}

/// A place in the source, as errors name it.
@safe
struct SourceLocation: Sendable, CustomStringConvertible {
    // Two words instead of the four of a `StaticString` and a line. What the compiler fills in for `#fileID` is text in
    // the program, at an address that stays.
    nonisolated(unsafe) private let start: UnsafePointer<UInt8>?
    private let count: UInt32
    private let line: UInt32

    init(_ file: StaticString, _ line: UInt) {
        unsafe start = unsafe file.hasPointerRepresentation ? file.utf8Start : nil
        count = UInt32(truncatingIfNeeded: file.hasPointerRepresentation ? file.utf8CodeUnitCount : 0)
        self.line = UInt32(truncatingIfNeeded: line)
    }

    var description: String {
        let file = unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
        return "\(file):\(line)"
    }
}

/// The errors of the library's own closures. `InjectleError.creation` replaces those that have codes of their own.
enum CreationFailure: Error, CustomStringConvertible {
    case notAnObject, released, actorHasGone
    /// The `copy(with:)` of a type returned a value of another type.
    case notACopy(of: Any.Type)

    var description: String {
        guard case .notACopy(let type) = self else { return "" }
        return "`copy(with:)` of \(spelled(type)) returned something that is no \(spelled(type))"
    }
}
