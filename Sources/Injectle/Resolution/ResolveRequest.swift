public import CInjectle

/// A call of `resolve`: what is needed of it once there is no instance to hand out at once.
///
/// It stays on the stack of who calls and is passed on by its address, so that a read that needs none of it moves none.
@usableFromInline
struct Call {
    @usableFromInline let type: Any.Type
    // Sound: the actor runs the code that calls, and so is there until it returns.
    @usableFromInline unowned(unsafe) let isolation: (any Actor)?
    @usableFromInline let fileID: StaticString
    @usableFromInline let line: UInt
    /// Whether nil is an answer.
    @usableFromInline let isOptional: Bool

    @inlinable
    @inline(__always)
    init(_ type: Any.Type, _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt, isOptional: Bool) {
        self.type = type
        self.isolation = isolation
        self.fileID = fileID
        self.line = line
        self.isOptional = isOptional
    }

    func request(
        _ key: AnyHashable?,
        _ arguments: Arguments? = nil,
        requester: StaticString = "resolve"
    ) -> Request {
        Request(
            identity: ServiceKey(type: type, keyPart: key.map(ServiceKey.KeyPart.init)),
            requester: requester,
            location: SourceLocation(fileID, line),
            isolation: isolation,
            arguments: arguments
        )
    }

    /// Initializes `storage` by the service with a key or without one. False if there is none, and nil is an answer.
    @usableFromInline
    func provide(
        _ key: AnyHashable?,
        given arguments: Arguments? = nil,
        from header: UnsafeMutablePointer<LocatorHeader>,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        try Resolution.provide(
            request(key, arguments),
            in: header.pointee.owner.takeUnretainedValue(),
            isOptional: isOptional,
            into: storage
        )
    }

    /// Initializes `storage` by the services that contribute to a list.
    @usableFromInline
    func provideList<Service>(
        _ list: [Service].Type,
        _ key: AnyHashable?,
        given arguments: Arguments?,
        from header: UnsafeMutablePointer<LocatorHeader>,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) {
        let core = header.pointee.owner.takeUnretainedValue()
        if core.isTerminated { throw .ended(request(key), core) }
        try list.provide(request(key, arguments), in: core, for: nil, into: storage)
    }
}

// What a locator and a resolver have in common. Each takes the header of a core that its caller keeps.

extension LocatorHeader {
    /// The service without a key. Nil only where that is an answer.
    @inlinable
    @inline(__always)
    static func resolve<Service>(
        _ type: Service.Type,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        isOptional: Bool,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) throws(InjectleError) -> Service? {
        let thread = injectle_enter()
        let entry = find(UInt(bitPattern: ObjectIdentifier(type)), from: header)
        if let service = load(type, entry, header) {
            injectle_leave(thread)
            return service
        }
        // Unprotected, like the memory for the service: only we write there, and a canary would slow the read above.
        var call = Call(type, isolation, fileID, line, isOptional: isOptional)
        return try _withUnprotectedUnsafePointer(to: &call) { (call) throws(InjectleError) in
            try received(type) { storage throws(InjectleError) in
                try provideInline(entry, for: call, in: header, on: thread, into: storage)
            }
        }
    }

    /// The service with a key or without one, and with arguments or without. Nil only where that is an answer.
    @inlinable
    @inline(never)
    static func resolve<Service>(
        _ type: Service.Type,
        _ key: AnyHashable?,
        _ arguments: Arguments?,
        _ call: Call,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) throws(InjectleError) -> Service? {
        guard key == nil, let arguments else {
            return try received(type) { storage throws(InjectleError) in
                try call.provide(key, given: arguments, from: header, into: storage)
            }
        }
        var call = call
        return try _withUnprotectedUnsafePointer(to: &call) { (call) throws(InjectleError) in
            try received(type) { storage throws(InjectleError) in
                try provideInline(of: arguments, for: call, in: header, into: storage)
            }
        }
    }

    /// The services that contribute to a list.
    @inlinable
    @inline(never)
    static func resolveAll<Service>(
        _ type: Service.Type,
        _ key: AnyHashable?,
        _ arguments: Arguments?,
        _ call: Call,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) throws(InjectleError) -> [Service] {
        try required(
            received([Service].self) { storage throws(InjectleError) in
                try call.provideList([Service].self, key, given: arguments, from: header, into: storage)
                return true
            }
        )
    }

    /// The service with a key whose type is known. Nil only where that is an answer.
    @inlinable
    @inline(__always)
    static func resolve<Service, Key: Hashable>(
        _ type: Service.Type,
        _ key: Key?,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        isOptional: Bool,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) throws(InjectleError) -> Service? {
        guard let key else { return try resolve(type, isolation, fileID, line, isOptional: isOptional, header) }
        let look = KeyBits(type, key)
        var isUncached = false
        if let look, let service = load(type, look, of: key, header, isUncached: &isUncached) { return service }
        let call = Call(type, isolation, fileID, line, isOptional: isOptional)
        let service = try resolve(type, AnyHashable(key), nil, call, header)
        if isUncached { cacheBits(key, as: type, header) }
        return service
    }
}

/// The value that `provide` has initialized memory with, or nil if it returns false.
@inlinable
@inline(__always)
func received<Service>(
    _ type: Service.Type,
    by provide: (UnsafeMutableRawPointer) throws(InjectleError) -> Bool
) throws(InjectleError) -> Service? {
    // The function of the standard library rethrows any error, and so cannot throw this one.
    var failure: InjectleError?
    let service: Service? = _withUnprotectedUnsafeTemporaryAllocation(of: Service.self, capacity: 1) { memory in
        guard let storage = memory.baseAddress else { return nil }
        do throws(InjectleError) {
            return try provide(storage) ? storage.move() : nil
        } catch {
            failure = error
            return nil
        }
    }
    if let failure { throw failure }
    return service
}

/// What was asked for by a call to which nil is no answer.
@inlinable
@inline(__always)
func required<Service>(_ service: Service?) -> Service {
    guard let service else { preconditionFailure("What is required is provided or thrown for.") }
    return service
}
