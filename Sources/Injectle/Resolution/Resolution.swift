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
    /// What the call hands over.
    var arguments: Arguments?
    /// Whether what is found is handed on as part of something else: as an `Optional` of it, or in a list.
    var isForPart = false

    /// The request for what a composed type is provided through.
    func asking(for type: Any.Type) -> Request {
        Request(
            identity: ServiceKey(type: type, qualifier: identity.qualifier),
            asker: asker,
            site: site,
            isolation: isolation,
            isOverride: isOverride,
            arguments: arguments,
            isForPart: true
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
        let identity = request.identity
        // By its key alone, the like of an `Optional` would be found before what it is provided through is asked for.
        let composedFirst = identity.label == nil ? nil : asComposed(identity.type)
        while let slot = core.find(identity, given: request.arguments, byKeyAlone: composedFirst == nil) {
            let making = Making(slot: slot, request: copy request, asking: core, property: property)
            // A registration that went after it was found is looked for again.
            if try making.provide(into: storage) {
                property?.remember(slot, foundIn: core, isPart: request.isForPart)
                return true
            }
        }
        if core.hasEnded { throw .ended(request, core) }
        // Only after a miss, since the question costs more than the lookup.
        if let composed = composedFirst ?? asComposed(identity.type) {
            try composed.provide(request, in: core, for: property, into: storage)
            return true
        }
        if core.slotsDeclaringArguments(as: identity).isEmpty {
            if isOptional { return false }
            throw .missing(request, in: core)
        }
        // Both kinds may have been registered since the one was missed, so that is told only of one moment.
        let revisions = core.revisions
        let isThere = core.find(identity, given: request.arguments, byKeyAlone: composedFirst == nil) != nil
        let declaring = core.slotsDeclaringArguments(as: identity)
        if !isThere, !declaring.isEmpty, revisions == core.revisions {
            throw .wrongArguments(request, declaring, in: core)
        }
        return try provide(request, in: core, for: property, isOptional: isOptional, into: storage)
    }
}
