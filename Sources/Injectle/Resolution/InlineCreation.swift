public import CInjectle

// The creation of a volatile service on the calling thread, which does nothing but call the factory closure.
//
// It needs no cell, wait, cast, other thread or reference count. The thread holds the entry and its record, so that two
// threads that create the same service write no common word. The same holds for a closure with arguments, if it declares
// exactly the types of the request's arguments.
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
    _ isolation: (any Actor)?,
    _ fileID: StaticString,
    _ line: UInt,
    isOptional: Bool
) throws(InjectleError) -> Bool {
    // Sound: the caller's actor runs this function. A strong capture would retain it.
    let request = { [unowned(unsafe) isolation] in
        unsafe ResolveRequest(type, isolation, fileID, line, isOptional: isOptional)
    }
    if isOptional, unsafe entry == nil {
        unsafe injectle_leave(thread)
        if unsafe LocatorHeader.isMissing(type, in: origin) { return false }
        return try unsafe provideBySlowPath(request, from: origin, into: storage)
    }
    let call = ResolveRequest.Origin(requester: .resolve, location: SourceLocation(fileID, line))
    return try unsafe provideInline(entry, as: type, in: origin, on: thread, into: storage, call, request)
}

/// Initializes `storage` with the service of an entry that was found by its type and a key.
@usableFromInline
func provideInline<Key: Hashable>(
    _ entry: Unmanaged<Entry>,
    under key: Key,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    into storage: UnsafeMutableRawPointer,
    _ type: Any.Type,
    _ isolation: (any Actor)?,
    _ fileID: StaticString,
    _ line: UInt,
    isOptional: Bool
) throws(InjectleError) -> Bool {
    let request = { [unowned(unsafe) isolation] in
        unsafe ResolveRequest(type, isolation, fileID, line, isOptional: isOptional).with(AnyHashable(key), nil)
    }
    let call = ResolveRequest.Origin(requester: .resolve, location: SourceLocation(fileID, line))
    return try unsafe provideInline(entry, as: type, in: origin, on: thread, into: storage, call, request)
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
    if let entry = unsafe entry, unsafe canCreateInline(entry, in: origin, on: thread) {
        if try unsafe createInline(entry, in: origin, on: thread, at: call, given: nil, into: storage, for: request) {
            return true
        }
    } else {
        let isOwn = unsafe entry.map { unsafe EntryHeader.copyOwn(of: $0, as: type, in: origin, to: storage) } ?? false
        unsafe injectle_leave(thread)
        if isOwn { return true }
    }
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
    if let entry = unsafe LocatorHeader.findOwn(ServiceKey.tagDeclaringArguments(of: request.type), in: origin),
        unsafe entry._withUnsafeGuaranteedRef({ $0.declares(exactly: arguments, as: request.type) }),
        unsafe canCreateInline(entry, in: origin, on: thread)
    {
        let call = request.origin
        let isCreated = try unsafe createInline(
            entry,
            in: origin,
            on: thread,
            at: call,
            given: arguments,
            into: storage,
            for: { request }
        )
        if isCreated { return true }
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

@inline(__always)
private func canCreateInline(
    _ entry: Unmanaged<Entry>,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>
) -> Bool {
    unsafe entry.withHeader { unsafe $0.pointee.inline & thread.pointee.kinds != 0 } && injectle_can_hold(thread)
        && !TaskFrame.isInnermost
        && !LocatorHeader.has(LocatorHeader.observed | LocatorHeader.closing, origin)
}

/// Ends the read section and calls the factory closure on this thread. Returns false without calling it if the thread is
/// creating the same service, or its stack is short.
@inline(__always)
private func createInline(
    _ entry: Unmanaged<Entry>,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    at call: ResolveRequest.Origin,
    given arguments: Arguments?,
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
        unsafe Frame.isCreating(record, in: core, within: outer) || Frame.isDeepest(outer, on: thread)
    {
        return false
    }
    let handedOver = unsafe arguments.map { unsafe Unmanaged.passUnretained($0) }
    var frame = unsafe Frame(
        entry: entry,
        record: record,
        core: core,
        origin: call,
        arguments: handedOver,
        within: outer
    )
    do {
        try unsafe _withUnprotectedUnsafeMutablePointer(to: &frame) { frame in
            unsafe thread.pointee.frame = UnsafeMutableRawPointer(frame)
            defer {
                unsafe thread.pointee.frame = unsafe outer.map { UnsafeMutableRawPointer($0) }
                unsafe frame.pointee.end()
            }
            try unsafe record._withUnsafeGuaranteedRef {
                try unsafe $0.factory(in: core, given: arguments, into: storage)
            }
        }
    } catch {
        throw unsafe failure(entry, error, request)
    }
    return true
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
