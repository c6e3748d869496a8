/// A request for a service: what to resolve, and the call that requests it.
@usableFromInline
struct ResolveRequest {
    /// The function or property that requests the service, as errors name it.
    enum Requester: String {
        case resolve, resolveAsync, resolveAll, resolveAllAsync, resetInstance, start
        case inject = "@Inject"
        case optject = "@Optject"
        case injected = "@Injected"
        case lazy = "Lazy"
    }

    /// The requesting function or property and its source line, as errors print them.
    struct Origin: CustomStringConvertible {
        let requester: Requester
        let location: SourceLocation

        var description: String { "\(requester.rawValue) in \(location)" }
    }

    private(set) var type: Any.Type
    var keyPart: Locator.Identity.KeyPart?
    var arguments: Arguments?
    let location: SourceLocation
    var requester = Requester.resolve
    /// Whether to return nil, and not to throw, if nothing is registered.
    private(set) var isOptional: Bool
    /// Whether the locator is an override, if the task does not tell.
    var isOverride: Bool?
    /// Whether the service becomes a part of another value: of an `Optional`, or of a list.
    private(set) var isPart = false
    /// Whether the service only has to exist: no code gets it, and so it leaves no actor.
    private(set) var onlyCreates = false

    var identity: Locator.Identity { Locator.Identity(type: type, keyPart: keyPart) }
    var origin: Origin { Origin(requester: requester, location: location) }

    /// The same request with a key and arguments.
    func with(_ keyPart: Locator.Identity.KeyPart?, _ arguments: Arguments?, requester: Requester = .resolve)
        -> ResolveRequest
    {
        var request = self
        request.keyPart = keyPart
        request.arguments = arguments
        request.requester = requester
        return request
    }

    /// The request for a part of the requested value.
    func part(_ type: Any.Type, isOptional: Bool = false) -> ResolveRequest {
        var request = self
        request.type = type
        request.isOptional = isOptional
        request.isPart = true
        return request
    }

    /// The same request, for a service that only has to exist.
    var creatingOnly: ResolveRequest {
        var request = self
        request.onlyCreates = true
        return request
    }
}

extension ResolveRequest {
    @usableFromInline
    init(_ type: Any.Type, _ fileID: StaticString, _ line: UInt, isOptional: Bool) {
        self.init(type: type, location: SourceLocation(fileID, line), isOptional: isOptional)
    }
}

// The ways to resolve that a locator and a resolver share.
//
// Sound: the caller retains the core, and so its header. The address of a service is used only in the read section that found
// it, in which no writer frees it. An entry is found by its type, so the memory at that address has a value of it.

extension LocatorHeader {
    /// The service without a key.
    @inlinable
    @inline(__always)
    static func resolve<Service>(
        _ type: Service.Type,
        _ fileID: StaticString,
        _ line: UInt,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) throws(InjectleError) -> Service {
        if let service = unsafe load(type, header) { return service }
        let call = ResolveRequest(type, fileID, line, isOptional: false)
        return try unsafe required(resolve(type, nil, nil, call, header))
    }

    /// The service without a key, or nil.
    @inlinable
    @inline(__always)
    static func resolveOptional<Service>(
        _ type: Service.Type,
        _ fileID: StaticString,
        _ line: UInt,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) throws(InjectleError) -> Service? {
        if let service = unsafe load(type, header) { return service }
        return try unsafe resolve(type, nil, nil, ResolveRequest(type, fileID, line, isOptional: true), header)
    }

    /// The service with a key or without one, and with arguments or without. Nil only if the request is optional.
    @inlinable
    @inline(never)
    static func resolve<Service>(
        _ type: Service.Type,
        _ keyPart: Locator.Identity.KeyPart?,
        _ arguments: Arguments?,
        _ call: ResolveRequest,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) throws(InjectleError) -> Service? {
        try unsafe received(type) { storage throws(InjectleError) in
            try unsafe provide(call, keyPart, arguments, from: header, into: storage)
        }
    }

    @usableFromInline
    static func provide(
        _ call: ResolveRequest,
        _ keyPart: Locator.Identity.KeyPart?,
        _ arguments: Arguments?,
        from header: UnsafeMutablePointer<LocatorHeader>,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        let core = unsafe header.pointee.owner.takeUnretainedValue()
        return try unsafe Resolution.provide(call.with(keyPart, arguments), in: core, into: storage)
    }

    /// The services that contribute to a list, if each exists and any caller may have it.
    @inlinable
    @inline(__always)
    static func loadAll<Service>(_ type: Service.Type, _ header: UnsafeMutablePointer<LocatorHeader>) -> [Service]? {
        unsafe withUnsafeTemporaryAllocation(of: Contribution.self, capacity: Contribution.limit) { all in
            withReadSection {
                func service(_ position: Int) -> Service {
                    unsafe all[position].service.assumingMemoryBound(to: Service.self).pointee
                }
                // A literal takes half the time, since an array with a capacity asks the allocator for the size it got.
                return switch unsafe Contribution.findAll(of: type, from: header, storingIn: all) {
                case 0: nil
                case 1: [service(0)]
                case 2: [service(0), service(1)]
                case 3: [service(0), service(1), service(2)]
                case let count: (0..<count).map(service)
                }
            }
        }
    }
}

/// The value that `provide` initializes memory with, or nil if it returns false.
@inlinable
@inline(__always)
func received<Service>(
    _ type: Service.Type,
    by provide: (UnsafeMutableRawPointer) throws(InjectleError) -> Bool
) throws(InjectleError) -> Service? {
    try unsafe withMemory(for: type) { storage throws(InjectleError) in
        try unsafe provide(storage) ? storage.assumingMemoryBound(to: Service.self).move() : nil
    }
}

/// Calls `body` with uninitialized memory for a value of a type.
@inlinable
@inline(__always)
func withMemory<Service, Value>(
    for type: Service.Type,
    _ body: (UnsafeMutableRawPointer) throws(InjectleError) -> Value
) throws(InjectleError) -> Value {
    // On the stack, if the value is as small as most: an object, or a value of a protocol. The functions of the standard
    // library for memory of other sizes rethrow any error, and so cannot throw this one.
    if MemoryLayout<Service>.size <= MemoryLayout<UInt>.size,
        MemoryLayout<Service>.alignment <= MemoryLayout<UInt>.alignment
    {
        var word: UInt = 0
        return try unsafe _withUnprotectedUnsafeMutablePointer(to: &word) { (word) throws(InjectleError) in
            try unsafe body(UnsafeMutableRawPointer(word))
        }
    }
    var words: (UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt) = (0, 0, 0, 0, 0, 0, 0, 0)
    if MemoryLayout<Service>.size <= MemoryLayout.size(ofValue: words),
        MemoryLayout<Service>.alignment <= MemoryLayout<UInt>.alignment
    {
        return try unsafe _withUnprotectedUnsafeMutablePointer(to: &words) { (words) throws(InjectleError) in
            try unsafe body(UnsafeMutableRawPointer(words))
        }
    }
    let memory = UnsafeMutablePointer<Service>.allocate(capacity: 1)
    defer { unsafe memory.deallocate() }
    return try unsafe body(UnsafeMutableRawPointer(memory))
}

/// The service of a request that is not optional.
@inlinable
@inline(__always)
func required<Service>(_ service: Service?) -> Service {
    guard let service else { preconditionFailure("A required service is provided, or an error thrown.") }
    return service
}
