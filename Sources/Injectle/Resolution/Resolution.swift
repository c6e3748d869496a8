/// What was asked, and from where.
struct Request {
    let identity: ServiceKey
    /// What asked, as errors name it: `resolve`, `@Inject`.
    let requester: StaticString
    let location: SourceLocation
    /// The actor that the asking code is known to run on.
    let isolation: (any Actor)?
    /// Whether the locator is an override, if that is not to be seen from the task.
    var isOverride: Bool?
    /// What the call hands over.
    var arguments: Arguments?
    /// Whether what is found is handed on as part of something else: as an `Optional` of it, or in a list.
    var isForPart = false

    /// The request for what a composed type is provided through.
    func caller(for type: Any.Type) -> Request {
        Request(
            identity: ServiceKey(type: type, keyPart: identity.keyPart),
            requester: requester,
            location: location,
            isolation: isolation,
            isOverride: isOverride,
            arguments: arguments,
            isForPart: true
        )
    }
}

/// The one way from a request to a service: looked up, made where its closure runs, once where it is shared.
enum Resolution {
    /// Creation ends at this depth, or earlier where the thread's stack ends: a graph that needs more is one that grows
    /// without end, as by ever new keys.
    static let depthLimit = 200

    /// Initializes `storage`, memory for a value of the requested type, by the service.
    ///
    /// - Parameter isOptional: Whether to return false if there is none, instead of throwing an error that says why.
    static func provide(
        _ request: borrowing Request,
        in core: LocatorCore,
        for property: InjectionPoint? = nil,
        isOptional: Bool,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        while true {
            switch try find(request, in: core, isOptional: isOptional) {
            case .entry(let entry):
                let creation = Creation(entry: entry, request: copy request, caller: core, property: property)
                // A registration that went after it was found is looked for again.
                guard try creation.provide(into: storage) else { continue }
                property?.remember(entry, foundIn: core, isPart: request.isForPart)
                return true
            case .composed(let type):
                try type.provide(request, in: core, for: property, into: storage)
                return true
            case .nothing:
                return false
            }
        }
    }

    /// What stands for a request.
    enum Found {
        case entry(Entry)
        /// What provides a type that is not registered itself.
        case composed(any ComposedType.Type)
        case nothing
    }

    /// - Parameter isOptional: Whether there may be nothing, instead of throwing an error that says why.
    static func find(
        _ request: borrowing Request,
        in core: LocatorCore,
        isOptional: Bool
    ) throws(InjectleError) -> Found {
        let identity = request.identity
        // By its key alone, the like of an `Optional` would be found before what it is provided through is asked for.
        let composedFirst = identity.userKey == nil ? nil : asComposed(identity.type)
        if core.isClosing, core.isTerminated { throw .ended(copy request, core) }
        while true {
            if let entry = core.find(identity, given: request.arguments, byKeyAlone: composedFirst == nil) {
                return .entry(entry)
            }
            if core.isTerminated { throw .ended(copy request, core) }
            // Only after a miss, since the question costs more than the lookup.
            if let composed = composedFirst ?? asComposed(identity.type) { return .composed(composed) }
            if core.entriesDeclaringArguments(as: identity).isEmpty {
                if isOptional { return .nothing }
                throw .missing(copy request, in: core)
            }
            // Both kinds may have been registered since the one was missed, so that is told only of one moment.
            let revisions = core.revisions
            let isThere = core.find(identity, given: request.arguments) != nil
            let declaring = core.entriesDeclaringArguments(as: identity)
            if !isThere, !declaring.isEmpty, revisions == core.revisions {
                throw .wrongArguments(copy request, declaring, in: core)
            }
        }
    }
}
