public import CInjectle

// The making of a service for nobody but who asks, where no more is to be done than to call its closure.
//
// This is what `Making` comes to for a volatile service that is asked for as itself, where it is made: without a cell,
// a wait, a cast or another thread, and without a count to raise. What is used of the registration is held by this
// thread, so that two threads which make the same service share no word that is written. The same goes for one that is
// made of arguments, if its closure declares just those.
//
// Sound: slot and record are reached inside the read, and held by the thread from there until the making has ended, as
// `CInjectle.h` says; core and call are kept by who calls.

/// Initializes `storage` by the service of a slot, straight or not. False if there is none, and nil is an answer.
///
/// Called inside the read that found the slot, or found none, and ends it. `asked` is kept by the caller.
@usableFromInline
func provideStraight(
    _ head: UnsafeMutablePointer<SlotHead>?,
    for call: UnsafePointer<Call>,
    in asked: UnsafeMutablePointer<CoreHead>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    given arguments: Arguments? = nil,
    into storage: UnsafeMutableRawPointer
) throws(InjectleError) -> Bool {
    guard let head, head.pointee.straight.isHere(thread), injectle_can_hold(thread), !TaskFrame.isInnermost,
        !CoreHead.has(CoreHead.watched | CoreHead.closing, asked)
    else {
        let isOwn = head.map { SlotHead.copyOwn(of: $0, as: call.pointee.type, in: asked, to: storage) } ?? false
        injectle_leave(thread)
        return isOwn ? true : try provideOtherwise(call, from: asked, given: arguments, into: storage)
    }
    let slot = head.pointee.owner
    let record = head.pointee.record
    injectle_hold(thread, slot.toOpaque())
    injectle_leave(thread)
    let isMade: Bool
    do {
        isMade = try makeStraight(slot, record, in: asked.pointee.owner, on: thread, given: arguments, into: storage)
    } catch {
        // Before it lets go, since the error tells of the slot.
        let error = failure(slot, error, call)
        if injectle_let_go(thread) { Leftover.release() }
        throw error
    }
    if injectle_let_go(thread) { Leftover.release() }
    return isMade ? true : try provideOtherwise(call, from: asked, given: arguments, into: storage)
}

/// Initializes `storage` by the service that is made of arguments, straight or not. False if there is none, and nil is
/// an answer.
@usableFromInline
func provideStraight(
    of arguments: Arguments,
    for call: UnsafePointer<Call>,
    in asked: UnsafeMutablePointer<CoreHead>,
    into storage: UnsafeMutableRawPointer
) throws(InjectleError) -> Bool {
    let type = call.pointee.type
    let thread = injectle_enter()
    let slot = CoreHead.findOwn(ServiceKey.tagDeclaringArguments(of: type), in: asked)
    // One of just these types is the only one, and nothing nearer hides it. What is looked at is the slot's own, so
    // nothing is freed in the midst of the read, and only types are compared.
    let isMeant = slot?.pointee.owner._withUnsafeGuaranteedRef { slot in
        slot.identity.type == type && slot.identity.label == nil && slot.standing == .registered
            && slot.record.declared.map(arguments.areExactly) ?? false
    }
    return try provideStraight(
        isMeant == true ? slot : nil,
        for: call,
        in: asked,
        on: thread,
        given: arguments,
        into: storage
    )
}

/// Calls the closure as a making on this thread. False, and nothing was done, if there is more to it.
@inline(__always)
private func makeStraight(
    _ slot: Unmanaged<Slot>,
    _ record: Unmanaged<Record>,
    in core: Unmanaged<Core>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    given arguments: Arguments?,
    into storage: UnsafeMutableRawPointer
) throws -> Bool {
    let outer = thread.pointee.frame?.assumingMemoryBound(to: Frame.self)
    if let outer, Frame.isMaking(record, in: core, within: outer) || Frame.isDeepest(outer, on: thread) { return false }
    let handedOver = arguments.map { Unmanaged.passUnretained($0) }
    var frame = Frame(slot: slot, record: record, core: core, arguments: handedOver, within: outer)
    try _withUnprotectedUnsafeMutablePointer(to: &frame) { frame in
        thread.pointee.frame = UnsafeMutableRawPointer(frame)
        defer {
            thread.pointee.frame = outer.map { UnsafeMutableRawPointer($0) }
            frame.pointee.end()
        }
        try record._withUnsafeGuaranteedRef { try $0.makeAnew(in: core, given: arguments, into: storage) }
    }
    return true
}

// Not inlined, since they are rarely called.

@inline(never)
private func provideOtherwise(
    _ call: UnsafePointer<Call>,
    from asked: UnsafeMutablePointer<CoreHead>,
    given arguments: Arguments?,
    into storage: UnsafeMutableRawPointer
) throws(InjectleError) -> Bool {
    try call.pointee.provide(nil, given: arguments, from: asked, into: storage)
}

@inline(never)
private func failure(_ slot: Unmanaged<Slot>, _ error: any Error, _ call: UnsafePointer<Call>) -> InjectleError {
    .making(slot.takeUnretainedValue(), threw: error, askedBy: call.pointee.request(nil))
}
