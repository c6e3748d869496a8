internal import CInjectle

/// The object behind a wrapper: the locator, the last entry it found, and the instance that was created for it alone.
///
/// One object for each property. Its header has what a read needs, so that a repeated read follows one pointer, takes
/// no lock and retains only the service.
///
/// Invariant: the words of the header that change are written under this property's stripe lock; any thread loads them.
/// `entry` is null or the address of `seen`; `own` is null or the storage of the product of `cell`, or of `settled`.
/// Inside a read section their objects stay allocated: a change that removes one disposes of it by a `RetireList`.
/// `memory` and its properties are accessed only under the stripe lock.
@usableFromInline
final class InjectionPoint: ManagedBuffer<InjectionHeader, Void> {

    /// Creates the injection point of a property.
    ///
    /// - Parameters:
    ///   - type: The type of the service.
    ///   - optional: The type of the property, if that is an `Optional`.
    ///   - userKey: The key, retained for the property, or nil.
    ///   - keepsFirst: Whether the property keeps the instance that it resolved first.
    static func make(
        _ type: Any.Type,
        optional: Any.Type? = nil,
        _ userKey: Unmanaged<Locator.Identity.KeyPart>?,
        requester: ResolveRequest.Requester,
        keepsFirst: Bool = false,
        _ fileID: StaticString,
        _ line: UInt
    ) -> InjectionReference {
        let frame = unsafe Frame.current
        let creator = unsafe frame?.pointee.core
        var boundHeader: UnsafeMutablePointer<LocatorHeader>?
        var boundLocator: Unmanaged<AnyObject>?
        var isOverride = false
        if let creator = unsafe creator {
            unsafe creator._withUnsafeGuaranteedRef { core in
                unsafe boundHeader = core.header
                unsafe boundLocator = .passRetained(core)
            }
        } else if let override = CurrentLocator.override {
            unsafe boundHeader = override.header
            unsafe boundLocator = .passRetained(override)
            isOverride = true
        }
        let property = unsafe make(
            InjectionHeader(
                boundHeader: boundHeader,
                boundLocator: boundLocator,
                userKey: userKey,
                location: SourceLocation(fileID, line),
                requester: requester,
                isOverride: isOverride,
                keepsFirst: keepsFirst
            )
        )
        if let frame = unsafe frame { unsafe property.join(frame, as: type, optional: optional) }
        return InjectionReference(property)
    }

    /// Notifies observers of the property of a service that is being created, and sets it to an argument of its type, if
    /// there is one.
    @inline(never)
    private func join(_ frame: UnsafeMutablePointer<Frame>, as type: Any.Type, optional: Any.Type?) {
        let core = unsafe frame.pointee.core.takeUnretainedValue()
        let keyPart = unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.userKey?.takeUnretainedValue() }
        if core.observes(.didResolve) { InjectionPoint.record(optional ?? type, keyPart, in: core) }
        guard keyPart == nil, let given = unsafe Frame.instance(for: optional ?? type, of: frame) else { return }
        if let form = given.isNil ? nil : given.cast(to: type) {
            settle(with: form)
        } else {
            clear()
        }
    }

    /// The injection point of a ``Locator/Lazy``.
    static func make(asLazy request: ResolveRequest, in core: LocatorCore) -> InjectionReference {
        let property = unsafe make(
            InjectionHeader(
                boundHeader: core.header,
                boundLocator: .passRetained(core),
                userKey: request.identity.userKey.map { unsafe .passRetained($0) },
                location: request.location,
                requester: .lazy,
                isOverride: request.isOverride ?? false,
                keepsFirst: true
            )
        )
        if let arguments = request.arguments { property.change { memory, _ in memory.arguments = arguments } }
        return InjectionReference(property)
    }

    /// Inlined, so that the words are written where they stay.
    @inline(__always)
    private static func make(_ header: @autoclosure () -> InjectionHeader) -> InjectionPoint {
        // `create` makes an object of the class it is called on.
        unsafe unsafeDowncast(create(minimumCapacity: 0) { _ in header() }, to: InjectionPoint.self)
    }

    /// Sets the instance that it always returns. Called before other threads can use it.
    private func settle(with given: Instance) {
        memory.settled = given
        memory.seen = unsafe .forArguments
        header.keepsFirst = true
        unsafe header.entry = unsafe Entry.forArguments.address
        unsafe header.own = unsafe given.storage
        header.stamp = InjectionHeader.alwaysValid
    }

    deinit {
        // `header` would check for exclusive access, of an object that nobody else has.
        unsafe withUnsafeMutablePointerToHeader { header in
            unsafe header.pointee.boundLocator?.release()
            unsafe header.pointee.userKey?.release()
            unsafe header.pointee.memory?.release()
        }
    }

    /// Whether it keeps the instance that it resolved first.
    var keepsFirst: Bool { header.keepsFirst }

    /// Whether it was set to nil.
    var isCleared: Bool {
        unsafe withUnsafeMutablePointerToHeader { unsafe injectle_load_number(&$0.pointee.isCleared) } != 0
    }

    /// Whether readers see an instance of its own.
    var hasOwn: Bool { unsafe withUnsafeMutablePointerToHeader { unsafe injectle_load(&$0.pointee.own) } != nil }

    /// The core of the locator to look in.
    var core: LocatorCore { unsafe header.place.locator.pointee.owner.takeUnretainedValue() }

    /// Publishes the storage of its own instance to readers, or none. The stripe lock is held.
    func publish(own storage: UnsafeMutableRawPointer?) {
        unsafe withUnsafeMutablePointerToHeader { unsafe injectle_store(&$0.pointee.own, storage) }
    }

    /// A few locks for many properties. Each is held for some instructions, and only when a property's memory changes.
    private nonisolated(unsafe) static let stripes = {
        let stripes = UnsafeMutablePointer<Lock>.allocate(capacity: 64)
        for index in 0..<64 { unsafe (stripes + index).initialize(to: Lock()) }
        return unsafe stripes
    }()

    /// Changes the guarded state, and afterwards releases the objects that the change removed.
    func change<Value>(_ body: (InjectionCache, inout RetireList) -> Value) -> Value {
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        var retired = RetireList()
        let value = unsafe InjectionPoint.stripes[Int(address >> 5 & 63)].withLock { body(memory, &retired) }
        retired.dispose()
        return value
    }

    /// The guarded part, created on first use. The stripe lock is held.
    private var memory: InjectionCache {
        if let memory = unsafe header.memory { return unsafe memory.takeUnretainedValue() }
        let memory = InjectionCache()
        unsafe header.memory = unsafe .passRetained(memory)
        return memory
    }

    // MARK: Reading

    /// The instance that the property keeps, which the first call resolves. Nil if none is registered and `isOptional`.
    func provideFirst(_ type: Any.Type, isOptional: Bool) throws(InjectleError) -> Instance? {
        let (settled, arguments) = beginFirstRead()
        if let settled { return settled }
        defer { endFirstRead() }
        let core = core
        let request = request(type, arguments, isOptional: isOptional)
        let instance = try unsafe Instance.make(of: type) { storage throws(InjectleError) in
            try unsafe Resolution.provide(request, in: core, for: self, into: storage)
        }
        return instance.map { settleFirst(with: $0) }
    }

    /// Returns the instance that the property keeps, which the first call resolves asynchronously.
    func provideFirst(_ type: Any.Type, _ isolation: isolated (any Actor)?) async throws(InjectleError) -> Instance {
        let (settled, arguments) = beginFirstRead()
        if let settled { return settled }
        defer { endFirstRead() }
        let core = core
        let request = request(type, arguments)
        let instance = required(try await Resolution.provideInTask(request, in: core, isolation: isolation))
        return settleFirst(with: instance)
    }

    /// Keeps the instance that was resolved first, unless it is nil. Returns the kept one: another caller may be first.
    private func settleFirst(with instance: Instance) -> Instance {
        if instance.isNil { return instance }
        return change { memory, retired in
            if let settled = memory.settled { return settled }
            memory.settled = instance
            retired.add(unreachable: memory.arguments.take())
            unsafe publish(own: instance.storage)
            return instance
        }
    }

    /// Returns the instance that was resolved first, or nil and the arguments to resolve it with; then the caller ends
    /// the read.
    private func beginFirstRead() -> (Instance?, Arguments?) {
        change { memory, _ in
            if memory.settled == nil { memory.firstReaders += 1 }
            return (memory.settled, memory.arguments)
        }
    }

    private func endFirstRead() {
        change { memory, retired in
            memory.firstReaders -= 1
            // Until then, the other first readers need the cell.
            if memory.firstReaders == 0, memory.settled != nil { forgetCell(memory, &retired) }
        }
    }

    func request(
        _ type: Any.Type,
        _ arguments: Arguments? = nil,
        isOptional: Bool = false
    ) -> ResolveRequest {
        unsafe withUnsafeMutablePointerToHeader { header in
            unsafe ResolveRequest(
                type: type,
                keyPart: header.pointee.userKey?.takeUnretainedValue(),
                arguments: arguments,
                location: header.pointee.location,
                requester: header.pointee.requester,
                isOptional: isOptional,
                isOverride: header.pointee.place.isOverride
            )
        }
    }

    /// Caches the entry for the next read.
    ///
    /// - Parameter isPart: Whether the entry is one element of the requested value.
    func remember(_ entry: Entry, foundIn core: LocatorCore, isPart: Bool) {
        if keepsFirst { return }
        if entry.record.isShared { forgetOwn() }
        // What a parent has may be hidden by a child at any time, and an override may be gone at the next read.
        guard !isPart, entry.belongs(to: core), entry.role != .temporary,
            case (let locator, let stamp?, _) = unsafe header.place, unsafe locator == core.header
        else {
            if entry.record.isShared { forgetOwn() }
            return
        }
        change { memory, retired in
            // Another locator may have become the shared one since, and somebody else have noted what that has.
            guard stamp == InjectionHeader.alwaysValid || stamp == injectle_lookup_stamp() & ~1 else { return }
            guard !isCleared else { return }
            if !entry.record.isShared {
                guard memory.cell?.record === entry.record, memory.requestedIn === core else { return }
                // The next request can have another scope.
                if entry.record.isDynamicScope { return }
            }
            retired.add(memory.seen)
            // Where each read is looked at, none is remembered.
            let noted = core.observes(.didResolve) ? nil : entry
            memory.seen = noted
            unsafe withUnsafeMutablePointerToHeader { unsafe injectle_store(&$0.pointee.entry, noted?.address) }
            unsafe withUnsafeMutablePointerToHeader { unsafe injectle_store_number(&$0.pointee.stamp, stamp) }
        }
    }

    /// Makes the property nil permanently.
    func clear() {
        change { memory, retired in
            unsafe withUnsafeMutablePointerToHeader { unsafe injectle_store_number(&$0.pointee.isCleared, 1) }
            retired.add(memory.settled.take())
            forget(memory, &retired)
        }
    }

    func forget(_ memory: InjectionCache, _ retired: inout RetireList) {
        unsafe withUnsafeMutablePointerToHeader { unsafe injectle_store(&$0.pointee.entry, nil) }
        // A settled instance stays.
        if memory.settled == nil { unsafe publish(own: nil) }
        retired.add(memory.seen.take())
        forgetCell(memory, &retired)
    }

    func forgetCell(_ memory: InjectionCache, _ retired: inout RetireList) {
        retired.add(memory.cell.take())
        retired.add(memory.requestedIn.take())
    }
}

/// The state of a property that its stripe lock guards.
final class InjectionCache {
    /// The entry that it read last.
    var seen: Entry?
    /// The cell of an instance that the property alone caches, and the locator of the request for it.
    var cell: OnceCell?
    var requestedIn: LocatorCore?
    /// The arguments of a `Lazy`, until it is resolved.
    var arguments: Arguments?
    /// The instance that was resolved first, for a property that keeps it.
    var settled: Instance?
    /// The number of first reads in progress.
    var firstReaders = 0
}
