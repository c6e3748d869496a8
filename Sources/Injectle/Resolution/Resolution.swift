/// What was asked, and from where.
struct Request {
    let identity: ServiceKey
    /// What asked, as errors name it: `resolve`, `@Inject`.
    let asker: StaticString
    let site: Site
    /// The actor that the asking code is known to run on.
    let isolation: (any Actor)?
    /// Whether the locator is an override, if that is not to be seen from the task.
    var isOverride: Bool?
    /// Whether what is found is handed on as an `Optional` of it.
    var isWrapped = false

    /// The request for what an `Optional` wraps.
    func unwrapped(as type: Any.Type) -> Request {
        Request(
            identity: ServiceKey(type: type, label: identity.label),
            asker: asker,
            site: site,
            isolation: isolation,
            isOverride: isOverride,
            isWrapped: true
        )
    }
}

/// The one way from a request to a service: looked up, made where its closure runs, once where it is shared.
enum Resolution {
    /// Making ends at this depth, or earlier where the thread's stack ends: a graph that needs more is one that grows
    /// without end, as by ever new keys.
    static let depthLimit = 200

    /// Initializes `storage`, memory for a value of the requested type, by the service.
    ///
    /// - Parameter isOptional: Whether to return false if there is none, instead of throwing an error that says why.
    static func provide(
        _ request: borrowing Request,
        in core: Core,
        for property: Property? = nil,
        isOptional: Bool,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        // A key would find for an `Optional`, too, by itself alone, before what it wraps is asked for.
        if request.identity.label != nil, let optional = asOptional(request.identity.type) {
            try optional.provide(request, in: core, for: property, into: storage)
            return true
        }
        while let slot = core.find(request.identity) {
            let making = Making(slot: slot, request: copy request, asking: core, property: property)
            // A registration that went after it was found is looked for again.
            if try making.provide(into: storage) {
                if !request.isWrapped { property?.remember(slot, foundIn: core) }
                return true
            }
        }
        if core.hasEnded { throw .ended(request, core) }
        // Only after a miss, since the question costs more than the lookup: nothing is registered as an `Optional`.
        if let optional = asOptional(request.identity.type) {
            try optional.provide(request, in: core, for: property, into: storage)
            return true
        }
        if isOptional { return false }
        throw .missing(request, in: core)
    }
}
