internal import CInjectle

// Inline creations of services per locator and per graph, and those that behaviors observe.
//
// Sound for the reasons in InlineCreation.swift: the thread holds the entry and its record until the creation ends, and the
// caller retains the core.

/// The rest of an inline creation that is cached or observed. Returns false without a creation if another one is in progress,
/// or nothing may be cached.
@inline(never)
func createWithCacheOrEvents(
    _ entry: Unmanaged<Entry>,
    _ record: Unmanaged<RegistrationRecord>,
    in core: Unmanaged<LocatorCore>,
    on thread: UnsafeMutablePointer<injectle_thread>,
    at call: ResolveRequest.Origin,
    given arguments: Arguments?,
    into storage: UnsafeMutableRawPointer,
    for request: () -> ResolveRequest
) throws(InjectleError) -> Bool {
    // Inlined twice, so that a creation without observers does nothing for events.
    @inline(__always)
    func create(since start: ContinuousClock.Instant?, until end: inout ContinuousClock.Instant?, isObserved: Bool)
        throws(InjectleError) -> Bool
    {
        // Another locator can cache the instance.
        if unsafe entry.withHeader({ unsafe $0.pointee.isCachedPerLocator }),
            unsafe !record._withUnsafeGuaranteedRef({ record in
                unsafe core._withUnsafeGuaranteedRef { record.isCached(in: $0) }
            })
        {
            return false
        }
        let (cache, block) = unsafe EntryHeader.inlineCache(of: entry, for: core, on: thread)
        if let cache = consume cache {
            return try unsafe createOnce(
                entry,
                record,
                in: core,
                cache,
                on: thread,
                at: call,
                since: start,
                until: &end,
                into: storage,
                for: request
            )
        }
        if let block, let value = unsafe entry.withHeader({ unsafe block.value(of: $0) }) {
            unsafe copyValue(from: value, to: storage, of: entry.withHeader { unsafe $0.pointee.identity.type })
            return true
        }
        end = try unsafe runFactory(
            entry,
            record,
            in: core,
            on: thread,
            at: call,
            since: start,
            given: arguments,
            mayBeObserved: isObserved,
            into: storage,
            for: request
        )
        if let block, unsafe !entry.withHeader({ unsafe block.add(storage, of: $0) }) {
            unsafe keep(entry, record, in: core, storage)
        }
        return true
    }

    guard unsafe core._withUnsafeGuaranteedRef({ $0.observes([.creation, .didResolve]) }) else {
        var end: ContinuousClock.Instant?
        return try create(since: nil, until: &end, isObserved: false)
    }
    let start = unsafe core._withUnsafeGuaranteedRef { $0.begin(.didResolve) }
    // A copy of an existing instance takes less time than another look at the clock.
    var end = start
    guard try create(since: start, until: &end, isObserved: true) else { return false }
    if let start { unsafe sendResolved(entry, in: core, at: call, since: start, until: end) }
    return true
}

/// Keeps a graph instance that has no place in the block in the cache of the resolve.
@inline(never)
private func keep(
    _ entry: Unmanaged<Entry>,
    _ record: Unmanaged<RegistrationRecord>,
    in core: Unmanaged<LocatorCore>,
    _ storage: UnsafeMutableRawPointer
) {
    let (core, entry, record) = unsafe (
        core.takeUnretainedValue(), entry.takeUnretainedValue(), record.takeUnretainedValue()
    )
    let instance = unsafe Instance.make(copying: storage, of: record.serviceType)
    Frame.graphCache(for: core, of: entry)?.add(instance, of: record)
}

/// Initializes `storage` with the instance in a cache, and creates it if there is none. Returns false if another creation of
/// it is in progress, or nothing may be cached.
@inline(never)
private func createOnce(
    _ entry: Unmanaged<Entry>,
    _ record: Unmanaged<RegistrationRecord>,
    in core: Unmanaged<LocatorCore>,
    _ cache: ScopedCache,
    on thread: UnsafeMutablePointer<injectle_thread>,
    at call: ResolveRequest.Origin,
    since start: ContinuousClock.Instant?,
    until end: inout ContinuousClock.Instant?,
    into storage: UnsafeMutableRawPointer,
    for request: () -> ResolveRequest
) throws(InjectleError) -> Bool {
    let claim = unsafe record._withUnsafeGuaranteedRef { record in
        unsafe core._withUnsafeGuaranteedRef { cache.claim(record, in: $0, as: Frame.currentNode ?? WaitNode()) }
    }
    switch consume claim {
    case .cached(let instance, let wasRead)?:
        unsafe record._withUnsafeGuaranteedRef { record in
            if wasRead, record.isCachedPerLocator { cache.publish(instance, as: instance, of: record) }
        }
        unsafe instance.copy(to: storage)
    case .claimed(let cell, let node)?:
        do throws(InjectleError) {
            let type = unsafe record._withUnsafeGuaranteedRef { $0.serviceType }
            let created = try unsafe Instance.make(of: type) { memory throws(InjectleError) in
                end = try unsafe runFactory(
                    entry,
                    record,
                    in: core,
                    on: thread,
                    at: call,
                    since: start,
                    as: node,
                    mayBeObserved: true,
                    into: memory,
                    for: request
                )
                return true
            }
            let instance = required(created)
            unsafe instance.copy(to: storage)
            cache.succeed(cell, with: instance).wake(with: .success(instance))
        } catch {
            cache.fail(cell).wake(with: .failure(error))
            throw error
        }
    case nil:
        return false
    }
    return true
}
