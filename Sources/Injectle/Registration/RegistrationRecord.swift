internal import CInjectle

/// Creates a service asynchronously.
typealias AsyncFactory = @concurrent (LocatorCore, Arguments?) async throws -> Instance

/// Copies a prototype into uninitialized memory. Returns an error as a factory does.
typealias Copy = (Unmanaged<LocatorCore>, Arguments?, UnsafeRawPointer, UnsafeMutableRawPointer) -> (any Error)?

/// A registration without its generic type, so that all registrations share one class.
///
/// Invariant: one `Registration` value has the record until it is registered, then one locator. From then on it is
/// immutable, except for fields that the lock of the locator's core guards: `entries`, the number of entries with this
/// record, `isReplaced`, and the factory closures and the given instance, which are released once the instance of a
/// singleton exists, or with the last entry. The caches of
/// `RareFields` have a lock of their own, and `isWithdrawn` is an atomic word. `given` is written only if the
/// record `isGiven`, so code that has another record can read it without the lock.
@usableFromInline
@safe
final class RegistrationRecord: @unchecked Sendable {
    // Sound to share: see the invariant, which also excludes overlapping accesses. The closures run on the actor of
    // `isolation`; their authors protect the captured state.

    // In an order without gaps: a program has many records.

    let serviceType: Any.Type
    let location: SourceLocation
    @safe @exclusivity(unchecked) var entries: Int32 = 0
    let isolation: ClosureIsolation
    /// Tested in `LifetimePlan.swift` alone.
    let lifetimeKind: Locator.Lifetime.Kind
    /// What modifiers and `register` have chosen.
    @safe @exclusivity(unchecked) var choices: Choices = []
    /// Whether its last entry was replaced and not removed.
    @safe @exclusivity(unchecked) var isReplaced = false
    /// Whether an event of its removal has been sent.
    @safe @exclusivity(unchecked) var isUnregistrationReported = false
    /// The position in the locator's order of registration.
    @safe @exclusivity(unchecked) var serial: Int32 = 0
    /// The factory of a registration that creates several instances, otherwise a placeholder. It never changes, so a call
    /// does not retain it. An `Optional` would wrap it into another closure.
    let factory: Factory
    /// The factory of a singleton, until its instance exists.
    @safe @exclusivity(unchecked) private(set) var singletonFactory: Factory?
    /// The instance of an eager registration.
    @safe @exclusivity(unchecked) private(set) var given: Instance?
    /// The first identity: the first one that was listed, or the type of the service.
    @safe @exclusivity(unchecked) private(set) var identity: Locator.Identity
    @safe @exclusivity(unchecked) private(set) var rareFields: RareFields?

    init(
        of serviceType: Any.Type,
        _ lifetime: Locator.Lifetime,
        at isolation: ClosureIsolation,
        _ location: SourceLocation,
        given: Instance? = nil,
        _ rareFields: RareFields? = nil,
        make: consuming @escaping Factory = unsafe neverCalled
    ) {
        self.serviceType = serviceType
        self.given = given
        if given != nil { choices.insert(.given) }
        self.location = location
        self.isolation = isolation
        lifetimeKind = lifetime.kind
        let type = unwrapped(serviceType)
        identity = Locator.Identity(type: type, keyPart: nil)
        if lifetime.isSingleton {
            unsafe factory = unsafe neverCalled
            if given == nil { singletonFactory = unsafe consume make }
        } else {
            unsafe factory = unsafe consume make
        }
        // Most registrations have no rare fields.
        let isCounted = isolation.isMainActor && !isSingleton
        guard rareFields != nil || usesScopedCaches || isCounted else { return }
        let rareFields = unsafe rareFields ?? RareFields()
        rareFields.details = lifetime.ownDetails
        if usesScopedCaches { rareFields.caches = CacheList() }
        if isCounted { rareFields.mainActorCallers = MainActorCallers() }
        self.rareFields = rareFields
        if let declared = rareFields.declared {
            identity = Locator.Identity(type: type, keyPart: Locator.Identity.KeyPart(.declaring(declared)))
        }
    }

    /// Creates the record of a factory closure.
    @usableFromInline
    convenience init(
        of serviceType: Any.Type,
        _ lifetime: Locator.Lifetime,
        on isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        declaring declared: [Any.Type]? = nil,
        receivesResolver: Bool = true,
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
        self.receivesResolver = receivesResolver
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
    static func claim(_ record: inout RegistrationRecord, as identity: Locator.Identity? = nil) {
        if !isKnownUniquelyReferenced(&record) { record = record.copied() }
        if let identity { record.list(identity) }
    }

    /// Returns a copy for another value or locator.
    func copied(lifetime: Locator.Lifetime? = nil) -> Self {
        unsafe copied(rareFields?.copied(copy: copy, inTask: asyncFactory), lifetime, given: given, make: make)
    }

    /// Returns a copy with other closures. A given instance becomes the result of the factory.
    func copied(copy: Copy? = nil, inTask: AsyncFactory? = nil, make: @escaping Factory = unsafe neverCalled) -> Self {
        unsafe copied(rareFields?.copied(copy: copy, inTask: inTask), make: make)
    }

    private func copied(
        _ fields: RareFields?,
        _ other: Locator.Lifetime? = nil,
        given: Instance? = nil,
        make: @escaping Factory
    ) -> Self {
        let kind = other ?? lifetime
        let record = unsafe Self(of: serviceType, kind, at: isolation, location, given: given, fields, make: make)
        if choices.contains(.identity) { record.identity = identity }
        record.choices.formUnion(choices.subtracting(.given))
        return record
    }

    /// The factory, also of a given instance.
    var make: Factory {
        if !isSingleton { return unsafe factory }
        if let singletonFactory { return unsafe singletonFactory }
        guard let given else { return unsafe neverCalled }
        return { _, _, storage in
            unsafe given.copy(to: storage)
            return nil
        }
    }

    /// Fields that most registrations do not have.
    @safe
    final class RareFields {
        /// Copies the prototype.
        let copy: Copy?
        /// The types of the arguments that the closure declares.
        let declared: [Any.Type]?
        /// The async factory.
        @safe @exclusivity(unchecked) fileprivate(set) var asyncFactory: AsyncFactory?
        /// Whether the factory is async, also after its release.
        let isAsynchronous: Bool
        /// Whether the start of its locator creates the instance.
        @safe @exclusivity(unchecked) var isAtStart = false
        /// The disposers of an instance.
        @safe @exclusivity(unchecked) var disposers: [Disposer] = []
        /// The identities after the first.
        @safe @exclusivity(unchecked) fileprivate var identities: [Locator.Identity] = []
        /// The dependencies that are known without creating the service.
        @safe @exclusivity(unchecked) var dependencies: [Dependency] = []
        /// Whether these are all.
        @safe @exclusivity(unchecked) var declaresDependencies = false
        /// The details of its lifetime.
        @safe @exclusivity(unchecked) fileprivate var details: Locator.Lifetime.Details?
        /// The scoped caches that have cells of it, if the lifetime uses such caches.
        @safe @exclusivity(unchecked) var caches: CacheList?
        /// 1 once the caches are withdrawn.
        @safe @exclusivity(unchecked) private var isEnded: UInt = 0

        /// Whether the registration is withdrawn.
        var isWithdrawn: Bool {
            get { unsafe injectle_load_number(&isEnded) != 0 }
            set { unsafe injectle_store_number(&isEnded, newValue ? 1 : 0) }
        }
        /// The callers elsewhere of a closure of the main actor that creates several instances.
        @safe @exclusivity(unchecked) fileprivate var mainActorCallers: MainActorCallers?

        init(copy: Copy? = nil, declared: [Any.Type]? = nil, inTask: AsyncFactory? = nil) {
            unsafe self.copy = unsafe copy
            self.declared = declared
            asyncFactory = inTask
            isAsynchronous = inTask != nil
        }

        /// A copy for another registration, which no cache has joined.
        func copied(copy: Copy?, inTask: AsyncFactory?) -> RareFields {
            let rareFields = unsafe RareFields(copy: copy, declared: declared, inTask: inTask)
            rareFields.isAtStart = isAtStart
            rareFields.disposers = disposers
            rareFields.identities = identities
            rareFields.dependencies = dependencies
            rareFields.declaresDependencies = declaresDependencies
            return rareFields
        }
    }

    /// The scoped caches that have cells of a registration.
    ///
    /// For a lifetime per locator, only the caches of ancestors are listed: each request has a cache, and would write to a
    /// list that all requests share. The others are found as the caches of the locator and of its descendants.
    ///
    /// Invariant: `caches` is accessed under `lock`. It is nil once the registration is withdrawn, and no cache may create
    /// another cell.
    final class CacheList {
        private let lock = Lock()
        @safe @exclusivity(unchecked) private var caches: [ObjectIdentifier: ScopedCache]? = [:]

        func withCaches<Value>(_ body: (inout [ObjectIdentifier: ScopedCache]?) -> Value) -> Value {
            lock.withLock { body(&caches) }
        }

        /// Ends the list. Returns its last elements.
        func withdraw() -> [ScopedCache] {
            let last = withCaches { caches in
                defer { caches = nil }
                return caches
            }
            return (last ?? [:]).map(\.value)
        }
    }

    /// The rare fields, for changes before the registration.
    var ownRareFields: RareFields {
        if let rareFields { return rareFields }
        let created = unsafe RareFields()
        rareFields = created
        return created
    }

    var lifetime: Locator.Lifetime { Locator.Lifetime(lifetimeKind, lifetimeDetails) }
    var lifetimeDetails: Locator.Lifetime.Details? { rareFields?.details }
    var copy: Copy? { unsafe rareFields?.copy }
    /// The types of the arguments that the closure declares, or nil if it declares none.
    var declared: [Any.Type]? { rareFields?.declared }
    /// The async factory, until its release.
    var asyncFactory: AsyncFactory? { rareFields?.asyncFactory }
    /// Whether the factory is async.
    var isAsynchronous: Bool { rareFields?.isAsynchronous ?? false }
    /// The closures that dispose of an instance.
    var disposers: [Disposer] { rareFields?.disposers ?? [] }
    /// Whether there are disposers.
    var hasDisposers: Bool { rareFields?.disposers.isEmpty == false }
    /// Whether a start of its locator creates the instance.
    var isAtStart: Bool { rareFields?.isAtStart ?? false }

    /// The dependencies that are known without creating the service.
    var dependencies: [Dependency] { rareFields?.dependencies ?? [] }
    /// Whether these are all, as the registration declares.
    var declaresDependencies: Bool { rareFields?.declaresDependencies ?? false }

    /// The callers elsewhere of a closure of the main actor that creates several instances.
    var mainActorCallers: MainActorCallers? { rareFields?.mainActorCallers }

    /// Whether there is only one identity.
    var hasOneIdentity: Bool { rareFields?.identities.isEmpty != false }

    /// Whether the first identity has a key, or the role of a contribution or of declared arguments.
    var hasKey: Bool { identity.keyPart != nil }

    /// The tag of the first identity.
    var tag: UInt { hasKey ? identity.tag : UInt(bitPattern: ObjectIdentifier(identity.type)) }

    /// All identities.
    var identities: [Locator.Identity] { [identity] + otherIdentities }

    /// The identities after the first.
    var otherIdentities: [Locator.Identity] { rareFields?.identities ?? [] }

    /// Adds an identity. The first one replaces the type of the service.
    func list(_ identity: Locator.Identity) {
        var identity = identity
        if let declared, !identity.isContribution {
            identity = Locator.Identity(
                type: identity.type,
                keyPart: Locator.Identity.KeyPart(.declaring(declared), userKey: identity.userKey)
            )
        }
        if choices.contains(.identity) {
            ownRareFields.identities.append(identity)
        } else {
            self.identity = identity
            choices.insert(.identity)
        }
    }

    /// Releases the factory of a singleton with its captures, and a given instance. The core's lock is held.
    func release(_ retired: inout RetireList) {
        releaseFactories(&retired)
        if let given {
            retired.add(given)
            self.given = nil
        }
    }

    /// Releases the factory of a singleton with its captures. The core's lock is held.
    @inline(__always)
    func releaseFactories(_ retired: inout RetireList) {
        if unsafe singletonFactory != nil || isAsynchronous { releaseExistingFactories(&retired) }
    }

    private func releaseExistingFactories(_ retired: inout RetireList) {
        if unsafe singletonFactory != nil {
            retired.add(unreachable: singletonFactory)
            singletonFactory = nil
        }
        guard isAsynchronous, isSingleton else { return }
        retired.add(unreachable: asyncFactory)
        rareFields?.asyncFactory = nil
    }
}
