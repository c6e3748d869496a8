public import CInjectle

// The creation of a service on the calling thread, which does nothing but call the factory closure and, for a lifetime per
// locator or graph, cache the instance.
//
// It needs no plan, wait, cast or other thread, and a volatile or graph service no cell and no reference count. The
// thread holds the entry and its record, so that two threads that create the same service write no common word. The
// same holds for a closure with arguments, if it declares exactly the types of the request's arguments.
//
// Sound: the read section protects entry and record until the thread holds them, which it does until the creation ends (see
// `CInjectle.h`). The caller retains the core.

/// Initializes `storage` with the service of an entry, inline or not. Returns false if there is none and the request is
/// optional.
///
/// Called inside the read section that found the entry, or found none, and ends it. The parts of the request are
/// parameters, since an inline creation needs no request.
@usableFromInline
func provideInline(
    _ entry: Unmanaged<Entry>?,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    into storage: UnsafeMutableRawPointer,
    _ type: Any.Type,
    _ location: SourceLocation,
    isOptional: Bool
) throws(InjectleError) -> Bool {
    let call = ResolveRequest.Origin(requester: .resolve, location: location)
    // One closure, since two would make two versions of each function that gets it.
    let request = { ResolveRequest(type: type, location: location, isOptional: isOptional) }
    // A way of its own for volatile and graph services that nothing observes, which asks for less.
    if let entry = unsafe entry, _fastPath(unsafe canCreateUnobserved(entry, in: origin, on: thread)) {
        return try unsafe create(
            entry,
            in: origin,
            on: thread,
            at: call,
            isUnobserved: true,
            into: storage,
            for: request
        )
    }
    if let entry = unsafe entry, unsafe EntryHeader.copyOwn(of: entry, as: type, in: origin, to: storage) {
        unsafe injectle_leave(thread)
        return true
    }
    return try unsafe provideOther(entry, as: type, in: origin, on: thread, into: storage, call, request)
}

/// The rest of `provideInline`: services that a locator caches, observed and weak ones, and those that cannot be created
/// inline.
@inline(never)
private func provideOther(
    _ entry: Unmanaged<Entry>?,
    as type: Any.Type,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    into storage: UnsafeMutableRawPointer,
    _ call: ResolveRequest.Origin,
    _ request: () -> ResolveRequest
) throws(InjectleError) -> Bool {
    try unsafe provideInline(entry, as: type, in: origin, on: thread, into: storage, call, request)
}

@inline(__always)
private func provideInline(
    _ entry: Unmanaged<Entry>?,
    as type: Any.Type,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    into storage: UnsafeMutableRawPointer,
    _ call: ResolveRequest.Origin,
    _ request: () -> ResolveRequest
) throws(InjectleError) -> Bool {
    if let entry = unsafe entry {
        // These hints put the usual way through this function into one row of instructions.
        if _fastPath(unsafe canCreateInline(entry, in: origin, on: thread)) {
            return try unsafe create(entry, in: origin, on: thread, at: call, into: storage, for: request)
        }
        if unsafe entry.withHeader({ unsafe $0.pointee.isWeak }), unsafe LocatorHeader.isPlain(origin) {
            // The section ends before the lock of the core is acquired.
            let (retained, record) = unsafe (entry.takeUnretainedValue(), entry.takeUnretainedValue().record)
            unsafe injectle_leave(thread)
            if let reference = retained.core.weakReference(of: record),
                unsafe reference.copyRevived(to: storage, as: type)
            {
                return true
            }
            return try unsafe provideBySlowPath(request, from: origin, into: storage)
        }
        if unsafe LocatorHeader.isOnlyObserved(origin), unsafe injectle_can_hold(thread) {
            unsafe injectle_hold(thread, entry.toOpaque())
            unsafe injectle_leave(thread)
            defer { if unsafe injectle_release_hold(thread) { Reclaimer.releaseHeld() } }
            if unsafe copyExisting(entry, in: origin, at: call, into: storage) { return true }
            return try unsafe provideBySlowPath(request, from: origin, into: storage)
        }
    }
    unsafe injectle_leave(thread)
    return try unsafe provideBySlowPath(request, from: origin, into: storage)
}

/// Creates the service inline, and by the slow path if that cannot be. Ends the read section.
@inline(__always)
private func create(
    _ entry: Unmanaged<Entry>,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    at call: ResolveRequest.Origin,
    given arguments: Arguments? = nil,
    isUnobserved: Bool = false,
    into storage: UnsafeMutableRawPointer,
    for request: () -> ResolveRequest
) throws(InjectleError) -> Bool {
    let isCreated = try unsafe createInline(
        entry,
        in: origin,
        on: thread,
        at: call,
        given: arguments,
        isUnobserved: isUnobserved,
        into: storage,
        for: request
    )
    if _fastPath(isCreated) { return true }
    return try unsafe provideBySlowPath(request, from: origin, into: storage)
}

/// Initializes `storage` with the service that a closure creates from arguments, inline or not. Returns false if there is
/// none and the request is optional.
func provideInline(
    with arguments: Arguments,
    for request: ResolveRequest,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    into storage: UnsafeMutableRawPointer
) throws(InjectleError) -> Bool {
    let thread = unsafe injectle_enter()
    // An entry that declares exactly these types is the only one, and no nearer entry hides it. The read section needs
    // nothing but what the entry owns, and compares types only.
    guard
        let entry = unsafe LocatorHeader.findOwn(Locator.Identity.tagDeclaringArguments(of: request.type), in: origin),
        unsafe entry._withUnsafeGuaranteedRef({ $0.declares(exactly: arguments, as: request.type) })
    else {
        unsafe injectle_leave(thread)
        return try unsafe provideBySlowPath({ request }, from: unsafe origin, into: unsafe storage)
    }
    if unsafe canCreateInline(entry, in: origin, on: thread) {
        let call = request.origin
        return try unsafe create(
            entry,
            in: origin,
            on: thread,
            at: call,
            given: arguments,
            into: storage,
            for: { request }
        )
    }
    if unsafe LocatorHeader.isPlain(origin) {
        // Comparing arguments is user code, which runs after the section.
        let retained = unsafe entry.takeUnretainedValue()
        unsafe injectle_leave(thread)
        if retained.record.lifetimeKind == .perArgument,
            let existing = retained.core.existingScopedCache?.instance(of: retained.record, given: arguments),
            let form = existing.cast(to: request.type)
        {
            unsafe form.copy(to: storage)
            return true
        }
    } else {
        unsafe injectle_leave(thread)
    }
    return try unsafe provideBySlowPath({ request }, from: unsafe origin, into: unsafe storage)
}

extension Entry {
    fileprivate func declares(exactly arguments: Arguments, as type: Any.Type) -> Bool {
        identity.type == type && identity.userKey == nil && role == .registered
            && record.declared.map(arguments.areExactly) ?? false
    }
}

/// Initializes `storage` with the existing instance of an entry that the thread holds, and sends the event of the read.
/// Returns false if there is none.
@inline(never)
private func copyExisting(
    _ entry: Unmanaged<Entry>,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    at call: ResolveRequest.Origin,
    into storage: UnsafeMutableRawPointer
) -> Bool {
    guard unsafe entry._withUnsafeGuaranteedRef({ unsafe $0.copyService(to: storage) }) else { return false }
    // The copy takes less time than a look at the clock.
    let now = ContinuousClock.Instant.now
    unsafe sendResolved(entry, in: origin.pointee.owner, at: call, since: now, until: now)
    return true
}

@inline(__always)
private func canCreateInline(
    _ entry: Unmanaged<Entry>,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>
) -> Bool {
    unsafe entry.withHeader { unsafe UInt32($0.pointee.inline) & thread.pointee.kinds != 0 }
        && injectle_can_hold(thread)
        && !TaskFrame.isInnermost
        && !LocatorHeader.has(LocatorHeader.closing, origin)
}

/// The same for a creation that no locator caches and no behavior observes.
@inline(__always)
private func canCreateUnobserved(
    _ entry: Unmanaged<Entry>,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>
) -> Bool {
    unsafe entry.withHeader { unsafe UInt32($0.pointee.inlineWithoutOwn) & thread.pointee.kinds != 0 }
        && injectle_can_hold(thread)
        && !TaskFrame.isInnermost
        && !LocatorHeader.has(LocatorHeader.closing | LocatorHeader.observedCreations, origin)
}

/// Ends the read section and calls the factory closure on this thread. Returns false without calling it if the thread is
/// creating the same service, or its stack is short.
///
/// - Parameter isUnobserved: Whether `canCreateUnobserved` has returned true.
@inline(__always)
private func createInline(
    _ entry: Unmanaged<Entry>,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    at call: ResolveRequest.Origin,
    given arguments: Arguments?,
    isUnobserved: Bool,
    into storage: UnsafeMutableRawPointer,
    for request: () -> ResolveRequest
) throws(InjectleError) -> Bool {
    let record = unsafe entry.withHeader { unsafe $0.pointee.record }
    let core = unsafe origin.pointee.owner
    unsafe injectle_hold(thread, entry.toOpaque())
    unsafe injectle_leave(thread)
    // At the end, since an error describes the entry.
    defer { if unsafe injectle_release_hold(thread) { Reclaimer.releaseHeld() } }
    let outer = unsafe thread.pointee.frame?.assumingMemoryBound(to: Frame.self)
    if let outer = unsafe outer,
        _slowPath(unsafe Frame.isCreating(record, in: core, within: outer) || Frame.isDeepest(outer, on: thread))
    {
        return false
    }
    if unsafe entry.withHeader({ unsafe $0.pointee.isGraphScoped || !isUnobserved && $0.pointee.isCachedPerLocator })
        || !isUnobserved && LocatorHeader.has(LocatorHeader.observedCreations, origin)
    {
        return try unsafe createWithCacheOrEvents(
            entry,
            record,
            in: core,
            on: thread,
            at: call,
            given: arguments,
            into: storage,
            for: request
        )
    }
    try unsafe runFactory(entry, record, in: core, on: thread, at: call, given: arguments, into: storage, for: request)
    return true
}

/// Sends the event of a resolve.
@inline(never)
func sendResolved(
    _ entry: Unmanaged<Entry>,
    in core: Unmanaged<LocatorCore>,
    at call: ResolveRequest.Origin,
    since start: ContinuousClock.Instant,
    until end: ContinuousClock.Instant? = nil
) {
    let header = unsafe entry.withHeader { unsafe $0 }
    let source = unsafe Locator.Event.Source(call, header.pointee.core)
    _ = unsafe core._withUnsafeGuaranteedRef { core in
        unsafe header.pointee.record._withUnsafeGuaranteedRef { record in
            unsafe EntryHeader.withIdentity(of: header) { identity in
                core.send(
                    .didResolve,
                    of: record,
                    as: identity,
                    since: start,
                    until: end,
                    isAsynchronous: false,
                    source: source
                )
            }
        }
    }
}

/// Calls the factory closure, as the innermost creation on this thread. Returns the end of an observed creation.
@inline(__always)
@discardableResult
func runFactory(
    _ entry: Unmanaged<Entry>,
    _ record: Unmanaged<RegistrationRecord>,
    in core: Unmanaged<LocatorCore>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    at call: ResolveRequest.Origin,
    since start: ContinuousClock.Instant? = nil,
    as node: WaitNode? = nil,
    given arguments: Arguments? = nil,
    mayBeObserved: Bool = false,
    into storage: UnsafeMutableRawPointer,
    for request: () -> ResolveRequest
) throws(InjectleError) -> ContinuousClock.Instant? {
    let outer = unsafe thread.pointee.frame
    var frame = unsafe Frame(
        entry: entry,
        record: record,
        core: core,
        origin: call,
        node: node.map { unsafe .passUnretained($0) },
        arguments: arguments.map { unsafe .passUnretained($0) },
        within: outer?.assumingMemoryBound(to: Frame.self)
    )
    defer { withExtendedLifetime((node, arguments)) {} }
    do {
        return try unsafe _withUnprotectedUnsafeMutablePointer(to: &frame) { frame in
            unsafe thread.pointee.frame = UnsafeMutableRawPointer(frame)
            defer {
                unsafe thread.pointee.frame = unsafe outer
                if unsafe outer == nil { unsafe frame.pointee.end() }
            }
            if mayBeObserved, unsafe core._withUnsafeGuaranteedRef({ $0.observes(.creation) }) {
                return try unsafe core._withUnsafeGuaranteedRef { creator in
                    try unsafe entry._withUnsafeGuaranteedRef { entry in
                        try creator.withEvents(of: entry, at: start) {
                            let error = unsafe record._withUnsafeGuaranteedRef {
                                unsafe $0.factory(core, arguments, storage)
                            }
                            if let error { throw error }
                        }
                    }
                }
            }
            let error = unsafe record._withUnsafeGuaranteedRef { unsafe $0.factory(core, arguments, storage) }
            if _slowPath(error != nil), let error { throw error }
            return nil
        }
    } catch {
        throw unsafe failure(entry, error, request)
    }
}

// Not inlined, since they are rarely called.

@inline(never)
private func provideBySlowPath(
    _ request: () -> ResolveRequest,
    from origin: UnsafeMutablePointer<LocatorHeader>,
    into storage: UnsafeMutableRawPointer
) throws(InjectleError) -> Bool {
    try unsafe Resolution.provide(request(), in: origin.pointee.owner.takeUnretainedValue(), into: storage)
}

@inline(never)
private func failure(_ entry: Unmanaged<Entry>, _ error: any Error, _ request: () -> ResolveRequest)
    -> InjectleError
{
    unsafe .creation(entry.takeUnretainedValue(), threw: error, requestedBy: request())
}
