/// The way from a request to a service: the lookup of the entry, and the acquisition of its instance.
enum Resolution {
    /// The largest number of nested creations. A deeper graph is taken for an infinite one.
    static let depthLimit = 200

    /// Initializes `storage`, memory for a value of the requested type, by the service.
    /// Returns false if there is none and the request is optional.
    static func provide(
        _ request: ResolveRequest,
        in core: LocatorCore,
        for property: InjectionPoint? = nil,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        while true {
            let found = try find(request, in: core)
            if let type = found.composed {
                try unsafe type.provide(request, in: core, for: property, into: storage)
                return true
            }
            guard let entry = found.entry else { return false }
            let creation = Creation(of: entry, for: request, from: core)
            // A registration that was removed meanwhile is looked up again.
            guard try unsafe creation.provide(for: property, into: storage) else { continue }
            property?.remember(entry, foundIn: core, isPart: request.isPart)
            return true
        }
    }

    /// The entry of a request, or the type through which a value that is not registered itself is provided. Neither if
    /// there is none and the request is optional.
    static func find(
        _ request: ResolveRequest,
        in core: LocatorCore
    ) throws(InjectleError) -> (entry: Entry?, composed: (any ComposedType.Type)?) {
        let identity = request.identity
        // A composed type must not be found by its key alone.
        let composedFirst = identity.userKey == nil ? nil : asComposed(identity.type)
        if core.isClosing, core.isTerminated { throw .ended(request, core) }
        while true {
            if let entry = core.find(identity, given: request.arguments, byKeyAlone: composedFirst == nil) {
                return (entry, nil)
            }
            if core.isTerminated { throw .ended(request, core) }
            if identity.userKey != nil, core.registerDefault(for: identity) { continue }
            // Only after a miss, since the cast costs more than the lookup.
            if let composed = composedFirst ?? asComposed(identity.type) { return (nil, composed) }
            let declaring = core.entriesDeclaringArguments(as: identity)
            if declaring.isEmpty {
                if request.isOptional { return (nil, nil) }
                if let ended = core.terminated { throw .ended(request, ended) }
                throw .missing(request, in: core)
            }
            // Another thread may have registered one since: the error must describe a single moment, in which these
            // entries were present and no other one was.
            if core.find(identity, given: request.arguments) == nil,
                core.entriesDeclaringArguments(as: identity).elementsEqual(declaring, by: { $0.record === $1.record })
            {
                throw .wrongArguments(request, declaring, in: core)
            }
        }
    }
}
