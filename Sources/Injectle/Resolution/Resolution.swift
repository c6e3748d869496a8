/// What was asked, and from where.
struct Request {
    let identity: ServiceKey
    /// What asked, as errors name it: `resolve`, `@Inject`.
    let asker: StaticString
    let site: Site
    /// The actor that the asking code is known to run on.
    let isolation: (any Actor)?
    /// Whether what is found is handed on as an `Optional` of it.
    var isWrapped = false

    /// The request for what an `Optional` wraps.
    func unwrapped(as type: Any.Type) -> Request {
        Request(
            identity: ServiceKey(type: type, label: identity.label),
            asker: asker,
            site: site,
            isolation: isolation,
            isWrapped: true
        )
    }
}

/// The one way from a request to a service: looked up, made where its closure runs, once where it is shared.
enum Resolution {
    /// Making ends at this depth, or earlier where the thread's stack ends: a graph that needs more is one that grows
    /// without end, as by ever new keys.
    static let depthLimit = 200

    // MARK: By type

    /// The service that was asked for, or an error that says why there is none.
    static func service<Service>(
        _ type: Service.Type,
        _ request: Request,
        in core: Core,
        for property: Property? = nil
    ) throws(InjectleError) -> Service {
        if let service = try serviceIfRegistered(type, request, in: core, for: property) { return service }
        throw .missing(request, in: core)
    }

    /// The service that was asked for, or nil if none is registered. An `Optional` type is always answered: by nil.
    static func serviceIfRegistered<Service>(
        _ type: Service.Type,
        _ request: Request,
        in core: Core,
        for property: Property? = nil
    ) throws(InjectleError) -> Service? {
        var failure: InjectleError?
        let service: Service? = withUnsafeTemporaryAllocation(of: Service.self, capacity: 1) { memory in
            guard let storage = memory.baseAddress else { return nil }
            do throws(InjectleError) {
                if try provide(request, in: core, for: property, into: storage) { return storage.move() }
                // Only after a miss, since the question costs more than the lookup: nothing is registered as an `Optional`.
                guard let optional = Service.self as? any OptionalType.Type else { return nil }
                try optional.provide(request, in: core, for: property, into: storage)
                return storage.move()
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { throw failure }
        return service
    }

    // MARK: By memory

    /// Initializes `storage` by a value of the requested type. False if no such service is registered.
    private static func provide(
        _ request: Request,
        in core: Core,
        for property: Property?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        while true {
            guard let slot = core.find(request.identity) else {
                if core.hasEnded { throw .ended(request, core) }
                return false
            }
            let making = Making(slot: slot, request: request, asking: core, property: property)
            // A registration that went after it was found is looked for again.
            if try making.provide(into: storage) {
                if !request.isWrapped { property?.remember(slot, foundIn: core) }
                return true
            }
        }
    }
}
