public import CInjectle

// The creation of a service for nobody but who asks, where no more is to be done than to call its closure.
//
// This is what `Creation` comes to for a volatile service that is asked for as itself, where it is made: without a cell,
// a wait, a cast or another thread, and without a count to raise. What is used of the registration is held by this
// thread, so that two threads which make the same service share no word that is written. The same goes for one that is
// made of arguments, if its closure declares just those.
//
// Sound: entry and record are reached inside the read, and held by the thread from there until the creation has ended, as
// `CInjectle.h` says; core and call are kept by who calls.

/// Initializes `storage` by the service of a entry, straight or not. False if there is none, and nil is an answer.
///
/// Called inside the read that found the entry, or found none, and ends it. `asked` is kept by the caller.
@usableFromInline
func provideInline(
    _ entry: Unmanaged<Entry>?,
    for call: UnsafePointer<Call>,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    given arguments: Arguments? = nil,
    into storage: UnsafeMutableRawPointer
) throws(InjectleError) -> Bool {
    guard let entry, entry.withHeader({ $0.pointee.inline.isHere(thread) }), injectle_can_hold(thread),
        !TaskFrame.isInnermost,
        !LocatorHeader.has(LocatorHeader.observed | LocatorHeader.closing, origin)
    else {
        let isOwn = entry.map { EntryHeader.copyOwn(of: $0, as: call.pointee.type, in: origin, to: storage) } ?? false
        injectle_leave(thread)
        return isOwn ? true : try provideBySlowPath(call, from: origin, given: arguments, into: storage)
    }
    let record = entry.withHeader { $0.pointee.record }
    injectle_hold(thread, entry.toOpaque())
    injectle_leave(thread)
    let isMade: Bool
    do {
        isMade = try createInline(entry, record, in: origin.pointee.owner, on: thread, given: arguments, into: storage)
    } catch {
        // Before it lets go, since the error tells of the entry.
        let error = failure(entry, error, call)
        if injectle_let_go(thread) { DeferredRelease.release() }
        throw error
    }
    if injectle_let_go(thread) { DeferredRelease.release() }
    return isMade ? true : try provideBySlowPath(call, from: origin, given: arguments, into: storage)
}

/// Initializes `storage` by the service that is made of arguments, straight or not. False if there is none, and nil is
/// an answer.
@usableFromInline
func provideInline(
    of arguments: Arguments,
    for call: UnsafePointer<Call>,
    in origin: UnsafeMutablePointer<LocatorHeader>,
    into storage: UnsafeMutableRawPointer
) throws(InjectleError) -> Bool {
    let type = call.pointee.type
    let thread = injectle_enter()
    let entry = LocatorHeader.findOwn(ServiceKey.tagDeclaringArguments(of: type), in: origin)
    // One of just these types is the only one, and nothing nearer hides it. What is looked at is the entry's own, so
    // nothing is freed in the midst of the read, and only types are compared.
    let isMeant = entry?._withUnsafeGuaranteedRef { entry in
        entry.identity.type == type && entry.identity.userKey == nil && entry.role == .registered
            && entry.record.declared.map(arguments.areExactly) ?? false
    }
    return try provideInline(
        isMeant == true ? entry : nil,
        for: call,
        in: origin,
        on: thread,
        given: arguments,
        into: storage
    )
}

/// Calls the closure as a creation on this thread. False, and nothing was done, if there is more to it.
@inline(__always)
private func createInline(
    _ entry: Unmanaged<Entry>,
    _ record: Unmanaged<RegistrationRecord>,
    in core: Unmanaged<LocatorCore>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    given arguments: Arguments?,
    into storage: UnsafeMutableRawPointer
) throws -> Bool {
    let outer = thread.pointee.frame?.assumingMemoryBound(to: Frame.self)
    if let outer, Frame.isMaking(record, in: core, within: outer) || Frame.isDeepest(outer, on: thread) { return false }
    let handedOver = arguments.map { Unmanaged.passUnretained($0) }
    var frame = Frame(entry: entry, record: record, core: core, arguments: handedOver, within: outer)
    try _withUnprotectedUnsafeMutablePointer(to: &frame) { frame in
        thread.pointee.frame = UnsafeMutableRawPointer(frame)
        defer {
            thread.pointee.frame = outer.map { UnsafeMutableRawPointer($0) }
            frame.pointee.end()
        }
        try record._withUnsafeGuaranteedRef { try $0.factory(in: core, given: arguments, into: storage) }
    }
    return true
}

// Not inlined, since they are rarely called.

@inline(never)
private func provideBySlowPath(
    _ call: UnsafePointer<Call>,
    from origin: UnsafeMutablePointer<LocatorHeader>,
    given arguments: Arguments?,
    into storage: UnsafeMutableRawPointer
) throws(InjectleError) -> Bool {
    try call.pointee.provide(nil, given: arguments, from: origin, into: storage)
}

@inline(never)
private func failure(_ entry: Unmanaged<Entry>, _ error: any Error, _ call: UnsafePointer<Call>) -> InjectleError {
    .creation(entry.takeUnretainedValue(), threw: error, requestedBy: call.pointee.request(nil))
}
