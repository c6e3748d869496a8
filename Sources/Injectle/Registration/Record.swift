/// Initializes memory for a value of a registration's service, for a core that the caller keeps, with the arguments of
/// the call that it is made for.
@usableFromInline
typealias Make = (Unmanaged<Core>, Arguments?, UnsafeMutableRawPointer) throws -> Void

/// Stands where a closure has to stand.
func neverCalled(_: Unmanaged<Core>, _: Arguments?, _: UnsafeMutableRawPointer) throws {
    preconditionFailure("What is given, and what is kept, is not made here.")
}

/// Makes a value of a registration's service in a task, like `Make`.
typealias MakeInTask = @concurrent (Core, Arguments?) async throws -> Instance

/// Initializes memory for a value of a registration's service from another such value, like `Make`.
typealias Copy = (Unmanaged<Core>, Arguments?, UnsafeRawPointer, UnsafeMutableRawPointer) throws -> Void

/// A registration as a locator keeps it: without the service's type in its own, so that all share one class.
///
/// Invariant: it belongs to one `Registration` value until that is registered, and to one locator from then on. Once it
/// is in a table it is immutable, but for what that table's core guards by its lock: `slots`, which counts the slots
/// that lead here, and `makeOnce`, `makeInTask` and `given`, which are let go of when the one instance has been made
/// and when the last slot goes, or once modules that had a part in that have succeeded; and for the stores of `Extra`,
/// which have a lock of their own.
@usableFromInline
final class Record: @unchecked Sendable {
    // Sound to share: see the invariant. It also excludes what a check of exclusive access would look for. The closures
    // are called where `place` says; what they capture is their author's to protect.

    let serviceType: Any.Type
    let site: Site
    let place: Place
    let kind: Locator.Lifetime.Kind
    let isSendable: Bool
    @exclusivity(unchecked) var isFinal = false
    /// Whether `identity` was listed.
    @exclusivity(unchecked) private var isListed = false
    @exclusivity(unchecked) var slots: Int32 = 0
    /// The closure of a registration that makes more than once, and for others one that is never called. Since it never
    /// changes, it is called without being retained; not an `Optional`, which would wrap it into another closure.
    private let makeAnew: Make
    /// The closure of a registration that makes what is kept.
    @exclusivity(unchecked) private(set) var makeOnce: Make?
    /// What it is known as first: what was listed first, or else its own type.
    @exclusivity(unchecked) private var identity: ServiceKey
    @exclusivity(unchecked) private var extra: Extra?
    /// The place in its locator's order of registration.
    @exclusivity(unchecked) var serial: Int32 = 0
    /// Whether the closure stays, so that the instance can be dropped and made again.
    @exclusivity(unchecked) var isResettable = false
    /// Whether behaviors are told that its last slot has gone.
    @exclusivity(unchecked) var isToldGone = false

    init(
        of serviceType: Any.Type,
        _ lifetime: Locator.Lifetime,
        at place: Place,
        isSendable: Bool,
        _ site: Site,
        _ extra: Extra? = nil,
        make: @escaping Make = neverCalled
    ) {
        self.serviceType = serviceType
        self.site = site
        self.place = place
        kind = lifetime.kind
        self.isSendable = isSendable
        let type = unwrapped(serviceType)
        identity = ServiceKey(type: type, qualifier: nil)
        if kind.isKept {
            makeAnew = neverCalled
            if extra?.given == nil { makeOnce = make }
        } else {
            makeAnew = make
        }
        // Most have nothing of this.
        guard extra != nil || kind.isKeptByStores else { return }
        let extra = extra ?? Extra()
        extra.details = lifetime.details
        self.extra = extra
        if let declared = extra.declared {
            identity = ServiceKey(type: type, qualifier: .declaring(declared, label: nil))
        }
    }

    /// A registration of a closure that was written in some isolation.
    @usableFromInline
    convenience init(
        of serviceType: Any.Type,
        _ lifetime: Locator.Lifetime,
        on isolation: (any Actor)?,
        isSendable: Bool,
        _ fileID: StaticString,
        _ line: UInt,
        declaring declared: [Any.Type]? = nil,
        _ make: @escaping Make
    ) {
        self.init(
            of: serviceType,
            lifetime,
            at: Place(isolation),
            isSendable: isSendable,
            Site(fileID, line),
            declared.map { Extra(declared: $0) },
            make: make
        )
    }

    /// A registration of an asynchronous closure that was written in some isolation.
    convenience init(
        of serviceType: Any.Type,
        _ lifetime: Locator.Lifetime,
        on isolation: (any Actor)?,
        isSendable: Bool,
        _ site: Site,
        declaring declared: [Any.Type]?,
        inTask make: @escaping MakeInTask
    ) {
        self.init(
            of: serviceType,
            lifetime,
            at: Place(isolation),
            isSendable: isSendable,
            site,
            Extra(declared: declared, makeInTask: make)
        )
    }

    /// What stands where a registration has to stand, for a list that is put together of several.
    static let ofParts = Record(of: [Any].self, .volatile, at: .anywhere, isSendable: false, Site(#fileID, #line))

    /// The same for one that is put together in a task.
    static let ofPartsInTask = Record(
        of: [Any].self,
        .volatile,
        on: nil,
        isSendable: false,
        Site(#fileID, #line),
        declaring: nil
    ) { _, _ in
        preconditionFailure("A list is put together where it is asked for.")
    }

    /// What stands there while a custom lifetime decides who keeps an instance.
    static let ofDecisions = Record(of: Never.self, .volatile, at: .anywhere, isSendable: false, Site(#fileID, #line))

    /// Whether it stands for what is done where it is asked for.
    var isOfParts: Bool {
        self === Record.ofParts || self === Record.ofPartsInTask || self === Record.ofDecisions
    }

    /// Makes sure that nobody else has a record, by a copy if need be, and makes it known as `identity`, too.
    static func claim(_ record: inout Record, as identity: ServiceKey? = nil) {
        if !isKnownUniquelyReferenced(&record) { record = record.copied() }
        if let identity { record.list(identity) }
    }

    /// The same registration, for another value or another locator.
    func copied() -> Record {
        copied(extra?.copied(given: given, copy: copy, inTask: makeInTask), make: make)
    }

    /// The same registration, made in another way. What it is given is not, but made then.
    func copied(copy: Copy? = nil, inTask: MakeInTask? = nil, make: @escaping Make = neverCalled) -> Record {
        copied(extra?.copied(copy: copy, inTask: inTask), make: make)
    }

    private func copied(_ extra: Extra?, make: @escaping Make) -> Record {
        let record = Record(
            of: serviceType,
            lifetime,
            at: place,
            isSendable: isSendable,
            site,
            extra,
            make: make
        )
        if isListed {
            record.identity = identity
            record.isListed = true
            if let more = self.extra?.identities, !more.isEmpty { record.withExtra { $0.identities = more } }
        }
        record.isFinal = isFinal
        record.isResettable = isResettable
        return record
    }

    /// What makes one, or hands out what is given.
    var make: Make {
        if !kind.isKept { return makeAnew }
        if let makeOnce { return makeOnce }
        guard let given else { return neverCalled }
        return { _, _, storage in given.copy(to: storage) }
    }

    /// What most registrations do not have.
    final class Extra {
        /// The instance of an eager registration.
        @exclusivity(unchecked) fileprivate(set) var given: Instance?
        /// What makes a copy of the prototype.
        let copy: Copy?
        /// The types of the arguments that the closure declares.
        let declared: [Any.Type]?
        /// What makes one in a task, if that is how it is made.
        @exclusivity(unchecked) fileprivate(set) var makeInTask: MakeInTask?
        /// Whether it is made in a task. So it stays when the closure is let go of.
        let isAsynchronous: Bool
        /// Whether it is made when its locator starts.
        @exclusivity(unchecked) fileprivate var isAtStart = false
        /// What ends an instance.
        @exclusivity(unchecked) fileprivate var disposers: [Disposer] = []
        /// What it is known as besides.
        @exclusivity(unchecked) fileprivate var identities: [ServiceKey] = []
        /// What there is to be said of its lifetime.
        @exclusivity(unchecked) fileprivate var details: Locator.Lifetime.Details?
        /// The stores that have made something of it, and whether that is still to be kept.
        @exclusivity(unchecked) private var stores: [ObjectIdentifier: Store] = [:]
        @exclusivity(unchecked) private var hasGone = false
        private let lock = Lock()

        init(
            given: Instance? = nil,
            copy: Copy? = nil,
            declared: [Any.Type]? = nil,
            makeInTask: MakeInTask? = nil
        ) {
            self.given = given
            self.copy = copy
            self.declared = declared
            self.makeInTask = makeInTask
            isAsynchronous = makeInTask != nil
        }

        /// The same for another registration, but for what that is known as, and what stores have of it.
        func copied(given: Instance? = nil, copy: Copy?, inTask: MakeInTask?) -> Extra {
            let extra = Extra(given: given, copy: copy, declared: declared, makeInTask: inTask)
            extra.isAtStart = isAtStart
            extra.disposers = disposers
            return extra
        }

        fileprivate func join(_ store: Store) -> Bool {
            lock.withLock {
                if !hasGone { stores[ObjectIdentifier(store)] = store }
                return !hasGone
            }
        }

        fileprivate func leave(_ store: Store) {
            lock.withLock { _ = stores.removeValue(forKey: ObjectIdentifier(store)) }
        }

        fileprivate var present: [Store] { lock.withLock { Array(stores.values) } }

        fileprivate func go() -> [Store] {
            lock.withLock {
                hasGone = true
                defer { stores = [:] }
                return Array(stores.values)
            }
        }
    }

    /// Changes what most do not have. Only before it is registered, but for what is guarded.
    private func withExtra(_ change: (Extra) -> Void) {
        let extra = extra ?? Extra()
        change(extra)
        self.extra = extra
    }

    var lifetime: Locator.Lifetime { Locator.Lifetime(kind, extra?.details) }
    var given: Instance? { extra?.given }
    var copy: Copy? { extra?.copy }
    /// The types of the arguments that the closure declares, or nil if it declares none.
    var declared: [Any.Type]? { extra?.declared }
    /// What makes one in a task, until that is let go of.
    var makeInTask: MakeInTask? { extra?.makeInTask }
    /// Whether it is made in a task.
    var isAsynchronous: Bool { extra?.isAsynchronous ?? false }
    /// What ends an instance. Changed before it is registered only.
    var disposers: [Disposer] {
        get { extra?.disposers ?? [] }
        set { withExtra { $0.disposers = newValue } }
    }
    /// Whether anything does.
    var isDisposed: Bool { extra?.disposers.isEmpty == false }
    /// Whether it is made when its locator starts. Changed before it is registered only.
    var isAtStart: Bool {
        get { extra?.isAtStart ?? false }
        set { withExtra { $0.isAtStart = newValue } }
    }

    /// What it is known as, if that is one thing only.
    var soleIdentity: ServiceKey? {
        guard let extra, !extra.identities.isEmpty else { return identity }
        return nil
    }

    /// What it is known as.
    var identities: [ServiceKey] { [identity] + (extra?.identities ?? []) }

    /// Makes it known as something else, too; once something is listed, not by its own type any more.
    func list(_ identity: ServiceKey) {
        var identity = identity
        if let declared, identity.qualifier?.role == nil {
            identity = ServiceKey(type: identity.type, qualifier: .declaring(declared, label: identity.label))
        }
        if isListed {
            withExtra { $0.identities.append(identity) }
        } else {
            self.identity = identity
            isListed = true
        }
    }

    /// Calls the closure of a registration that makes more than once, for a core that the caller keeps.
    @inline(__always)
    func makeAnew(
        in core: Unmanaged<Core>,
        given arguments: Arguments?,
        into storage: UnsafeMutableRawPointer
    ) throws {
        try makeAnew(core, arguments, storage)
    }

    /// Takes away what makes the one instance, with all that it captures. The core's lock is held.
    func release(_ garbage: inout Garbage) {
        garbage.add(closure: makeOnce)
        garbage.add(extra?.given)
        makeOnce = nil
        extra?.given = nil
        guard isAsynchronous, kind.isKept else { return }
        garbage.add(closure: makeInTask)
        extra?.makeInTask = nil
    }

    // MARK: What stores keep of it

    /// Notes that a store keeps what it makes of this. False if the last registration has gone, and there is nothing to
    /// be kept any more.
    func join(_ store: Store) -> Bool {
        extra?.join(store) ?? false
    }

    /// Notes that a store keeps nothing more of this.
    func leave(_ store: Store) {
        extra?.leave(store)
    }

    /// Lets stores forget what they keep of this, since the last registration has gone.
    func forgetKept() {
        for store in extra?.go() ?? [] { store.drop(self, given: nil) }
    }

    /// The stores that have made something of this.
    var stores: [Store] { extra?.present ?? [] }

    /// Whether stores may keep anything of this.
    var mayBeKept: Bool { kind.isKeptByStores }

    /// Whether to make it for nobody but who asks is to call its closure, and where that is done.
    var straight: SlotHead.Straight {
        guard kind == .volatile, !isAsynchronous else { return .nowhere }
        return switch place {
        case .anywhere: .anywhere
        case .mainActor: .onMainThread
        case .actor: .nowhere
        }
    }
}

/// A place in the source, as errors name it.
struct Site: Sendable, CustomStringConvertible {
    // Two words instead of the four of a `StaticString` and a line. What the compiler fills in for `#fileID` is text in
    // the program, at an address that stays.
    nonisolated(unsafe) private let start: UnsafePointer<UInt8>?
    private let count: UInt32
    private let line: UInt32

    init(_ file: StaticString, _ line: UInt) {
        start = file.hasPointerRepresentation ? file.utf8Start : nil
        count = UInt32(truncatingIfNeeded: file.hasPointerRepresentation ? file.utf8CodeUnitCount : 0)
        self.line = UInt32(truncatingIfNeeded: line)
    }

    var description: String {
        let file = String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
        return "\(file):\(line)"
    }
}

/// What the closure of a given object throws if there is none to be given.
enum NotMade: Error {
    case notAnObject, released
    /// What an actor was to do cannot be done any more.
    case actorHasGone
}
