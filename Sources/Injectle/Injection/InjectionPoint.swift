internal import CInjectle

/// The object behind a wrapper: where it looks, what it found last, and the instance that was created for it alone.
///
/// One object for each property. Its header has what a read needs, so that a repeated read follows one pointer, takes no
/// lock and retains only the service.
///
/// Invariant: the words of the header that change are written under this property's stripe lock; any thread loads them.
/// `entry` is null or the address of `seen`; `own` is null or the storage of the product of `cell`, or of `settled`.
/// Inside a read section their objects stay allocated: a change that removes one disposes of it by a `RetireList`.
/// `memory` and its properties are accessed only under the stripe lock.
@usableFromInline
final class InjectionPoint: ManagedBuffer<InjectionHeader, Void> {

    /// - Parameters:
    ///   - type: The type of what it reads.
    ///   - optional: The type that nil is of, if nil is an answer.
    ///   - keepsFirst: Whether it stays with what it resolved first.
    static func make(
        _ type: Any.Type,
        optional: Any.Type? = nil,
        key: AnyHashable?,
        requester: ResolveRequest.Requester,
        keepsFirst: Bool = false,
        _ fileID: StaticString,
        _ line: UInt
    ) -> InjectionReference {
        let frame = Frame.current
        let creator = frame?.pointee.core
        let override = creator == nil ? CurrentLocator.override : nil
        let boundLocator =
            creator?._withUnsafeGuaranteedRef { Unmanaged<AnyObject>.passRetained($0) }
            ?? override.map { .passRetained($0) }
        let boundHeader = creator?._withUnsafeGuaranteedRef { $0.header } ?? override?.header
        let property = make(
            at: boundHeader,
            boundLocator,
            userKey: key.map { .passRetained(ServiceKey.KeyPart($0)) },
            SourceLocation(fileID, line),
            requester,
            isOverride: override != nil,
            keepsFirst: keepsFirst
        )
        if let frame, key == nil, let given = frame.pointee.instance(for: optional ?? type) {
            if let form = given.isNil ? nil : given.cast(to: type) {
                property.settle(with: form)
            } else {
                property.clear()
            }
        }
        return InjectionReference(property)
    }

    /// What stands behind a ``Locator/Lazy`` that was asked for.
    static func make(asLazy request: ResolveRequest, in core: LocatorCore) -> InjectionReference {
        let property = make(
            at: core.header,
            .passRetained(core),
            userKey: request.identity.userKey.map { .passRetained($0) },
            request.location,
            .lazy,
            isOverride: request.isOverride ?? false,
            keepsFirst: true
        )
        if let arguments = request.arguments { property.change { memory, _ in memory.arguments = arguments } }
        return InjectionReference(property)
    }

    /// Inlined, so that the words are written where they stay.
    @inline(__always)
    private static func make(
        at boundHeader: UnsafeMutablePointer<LocatorHeader>?,
        _ boundLocator: Unmanaged<AnyObject>?,
        userKey: Unmanaged<ServiceKey.KeyPart>?,
        _ location: SourceLocation,
        _ requester: ResolveRequest.Requester,
        isOverride: Bool,
        keepsFirst: Bool
    ) -> InjectionPoint {
        let buffer = create(minimumCapacity: 0) { _ in
            InjectionHeader(
                boundHeader: boundHeader,
                boundLocator: boundLocator,
                userKey: userKey,
                location: location,
                requester: requester,
                isOverride: isOverride,
                keepsFirst: keepsFirst
            )
        }
        // `create` makes an object of the class it is called on.
        return unsafeDowncast(buffer, to: InjectionPoint.self)
    }

    /// Sets the instance that it returns from now on, whatever is registered. Called before other threads have it.
    private func settle(with given: Instance) {
        let memory = InjectionCache()
        memory.settled = given
        memory.seen = .forArguments
        withUnsafeMutablePointerToHeader { header in
            header.pointee.memory = .passRetained(memory)
            header.pointee.keepsFirst = true
            header.pointee.entry = Entry.forArguments.address
            header.pointee.own = given.storage
            header.pointee.stamp = InjectionHeader.alwaysValid
        }
    }

    deinit {
        withUnsafeMutablePointerToHeader { header in
            header.pointee.boundLocator?.release()
            header.pointee.userKey?.release()
            header.pointee.memory?.release()
        }
    }

    /// Whether it keeps the instance that it resolved first.
    var keepsFirst: Bool { withUnsafeMutablePointerToHeader { $0.pointee.keepsFirst } }

    /// Whether it was set to nil.
    var isCleared: Bool { withUnsafeMutablePointerToHeader { injectle_load_number(&$0.pointee.isCleared) != 0 } }

    /// Whether readers see an instance of its own.
    var hasOwn: Bool { withUnsafeMutablePointerToHeader { injectle_load(&$0.pointee.own) != nil } }

    private var place: InjectionHeader.Target { withUnsafeMutablePointerToHeader { $0.pointee.place } }

    /// Publishes the storage of its own instance to readers, or none. The stripe lock is held.
    func publish(own storage: UnsafeMutableRawPointer?) {
        withUnsafeMutablePointerToHeader { injectle_store(&$0.pointee.own, storage) }
    }

    private static let stripes = (0..<64).map { _ in Stripe() }

    /// One of few locks for many properties. It is held for some instructions, and only when what is remembered
    /// changes.
    private final class Stripe: Sendable {
        let lock = Lock()
    }

    /// Changes what is guarded, and releases afterwards what the change took out.
    func change<Value>(_ body: (InjectionCache, inout RetireList) -> Value) -> Value {
        let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        let (value, retired) = InjectionPoint.stripes[Int(address >> 5 & 63)].lock.withLock {
            var retired = RetireList()
            let value = body(memory, &retired)
            return (value, retired)
        }
        retired.dispose()
        return value
    }

    /// The guarded part, created on first use. The stripe lock is held.
    private var memory: InjectionCache {
        withUnsafeMutablePointerToHeader { header in
            if let memory = header.pointee.memory { return memory.takeUnretainedValue() }
            let memory = InjectionCache()
            header.pointee.memory = .passRetained(memory)
            return memory
        }
    }

    // MARK: Reading

    /// Initializes `storage`, memory for a value of `type`, by the service. False if none is registered and
    /// `isOptional`.
    ///
    /// - Parameter isolation: The actor that asks, if that is known.
    func provide(
        _ type: Any.Type,
        isOptional: Bool,
        isolation: (any Actor)? = nil,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        if keepsFirst {
            return try provideFirst(type, isOptional: isOptional, isolation: isolation, into: storage)
        }
        let core = place.core
        let isProvided = try Resolution.provide(
            request(type, isolation, isOptional: isOptional),
            in: core,
            for: self,
            into: storage
        )
        // What was made for it by a registration that is gone goes with it.
        let isNone = !isProvided || asOptional(type)?.isNil(at: storage) == true
        if isNone, hasOwn {
            change { memory, retired in forget(memory, &retired) }
        }
        return isProvided
    }

    private func provideFirst(
        _ type: Any.Type,
        isOptional: Bool,
        isolation: (any Actor)?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        let (present, arguments) = change { memory, _ in
            if memory.settled == nil { memory.firstReaders += 1 }
            return (memory.settled, memory.arguments)
        }
        if let present {
            try allowHandingOut(to: isolation)
            present.copy(to: storage)
            return true
        }
        defer {
            change { memory, retired in
                memory.firstReaders -= 1
                // What it was made by is not asked again, once those who asked at the same time have it, too.
                if memory.firstReaders == 0, memory.settled != nil { forgetCell(memory, &retired) }
            }
        }
        let core = place.core
        let instance = try Instance(of: type) { storage throws(InjectleError) in
            try Resolution.provide(
                request(type, isolation, arguments, isOptional: isOptional),
                in: core,
                for: self,
                into: storage
            )
        }
        guard let instance else { return false }
        if instance.isNil {
            // That there is none is not kept.
            instance.copy(to: storage)
            return true
        }
        settle(with: instance, resolvedIn: core).copy(to: storage)
        return true
    }

    /// What is kept from the first time on, awaited.
    func provideFirst(
        _ type: Any.Type,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance {
        let (present, arguments) = change { memory, _ in (memory.settled, memory.arguments) }
        if let present {
            try allowHandingOut(to: isolation)
            return present
        }
        let core = place.core
        let instance = try await Resolution.provideInTask(
            request(type, isolation, arguments),
            in: core,
            isolation: isolation
        )
        let found = required(instance)
        if core.isStrict, let entry = core.find(request(type, isolation).identity, given: arguments) {
            remember(entry, foundIn: core, isPart: false)
        }
        // That there is none is not kept.
        return found.isNil ? found : settle(with: found, resolvedIn: core)
    }

    /// Keeps what was resolved first. Returns what is kept, which another may have resolved before.
    private func settle(with instance: Instance, resolvedIn core: LocatorCore) -> Instance {
        let isStrict = core.isStrict
        return change { memory, retired in
            // Of two who read first at once, one settles it for both.
            if let settled = memory.settled { return settled }
            memory.settled = instance
            retired.add(closure: memory.arguments)
            memory.arguments = nil
            // In a strict locator, each read is looked at.
            if !isStrict { publish(own: instance.storage) }
            return instance
        }
    }

    /// Throws where a strict locator would not let what was settled leave the actor it was made on.
    private func allowHandingOut(to isolation: (any Actor)?) throws(InjectleError) {
        guard place.core.isStrict, let entry = change({ memory, _ in memory.seen }) else { return }
        guard entry.record.isSendable || entry.record.isolation.isHere(isolation) else {
            throw .isolation(request(entry.identity.type, isolation), entry, waited: nil)
        }
    }

    private func request(
        _ type: Any.Type,
        _ isolation: (any Actor)?,
        _ arguments: Arguments? = nil,
        isOptional: Bool = false
    ) -> ResolveRequest {
        withUnsafeMutablePointerToHeader { header in
            let (location, requester) = (header.pointee.location, header.pointee.requester)
            var request = ResolveRequest(type, isolation, location, requester, isOptional: isOptional)
            request.keyPart = header.pointee.userKey?.takeUnretainedValue()
            request.arguments = arguments
            request.isOverride = header.pointee.place.isOverride
            return request
        }
    }

    /// Notes what was found, for the next read.
    ///
    /// - Parameter isPart: Whether it is handed on as part of something else.
    func remember(_ entry: Entry, foundIn core: LocatorCore, isPart: Bool) {
        let isShared = entry.record.isShared
        // What a parent has may be hidden by a child at any time, and an override may be gone at the next read.
        if keepsFirst {
            // Of several parts, one that may not cross actors counts.
            if core.isStrict {
                change { memory, retired in
                    guard memory.seen == nil || !entry.record.isSendable else { return }
                    retired.add(memory.seen)
                    memory.seen = entry
                }
            }
            return
        }
        guard !isPart, entry.belongs(to: core), entry.role != .temporary, entry.record.isSendable || !core.isStrict
        else {
            return
        }
        let place = place
        guard place.header == core.header, let stamp = place.stamp else { return }
        change { memory, retired in
            // Another locator may have become the shared one since, and somebody else have noted what that has.
            guard stamp == InjectionHeader.alwaysValid || stamp == injectle_ambient() & ~1 else { return }
            guard !isCleared else { return }
            if isShared {
                publish(own: nil)
                forgetCell(memory, &retired)
            } else {
                guard memory.cell?.record === entry.record, memory.requestedIn === core else { return }
                // Who keeps it may be another the next time.
                if entry.record.isDynamicScope { return }
            }
            retired.add(memory.seen)
            // Where each read is looked at, none is remembered.
            let noted = core.isObserved ? nil : entry
            memory.seen = noted
            withUnsafeMutablePointerToHeader { header in
                injectle_store(&header.pointee.entry, noted?.address)
                injectle_store_number(&header.pointee.stamp, stamp)
            }
        }
    }

    /// Removes, for good, what the property has and will have.
    func clear() {
        change { memory, retired in
            withUnsafeMutablePointerToHeader { injectle_store_number(&$0.pointee.isCleared, 1) }
            retired.add(memory.settled)
            memory.settled = nil
            forget(memory, &retired)
        }
    }

    func forget(_ memory: InjectionCache, _ retired: inout RetireList) {
        withUnsafeMutablePointerToHeader { injectle_store(&$0.pointee.entry, nil) }
        // What was settled stays.
        if memory.settled == nil { publish(own: nil) }
        retired.add(memory.seen)
        memory.seen = nil
        forgetCell(memory, &retired)
    }

    func forgetCell(_ memory: InjectionCache, _ retired: inout RetireList) {
        retired.add(memory.cell)
        retired.add(memory.requestedIn)
        memory.cell = nil
        memory.requestedIn = nil
    }
}

/// What a property remembers.
final class InjectionCache {
    /// Where the service was found last.
    var seen: Entry?
    /// Where one is made that is nobody else's, and the locator that was asked for it.
    var cell: OnceCell?
    var requestedIn: LocatorCore?
    /// What it is resolved with, until it is, for a `Lazy`.
    var arguments: Arguments?
    /// What was resolved first, for a property that keeps it.
    var settled: Instance?
    /// How many are resolving it, while there is none.
    var firstReaders = 0
}
