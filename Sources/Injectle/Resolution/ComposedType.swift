/// A type that is not registered itself, but composed of registered services: `T?`, `[T]`, ``Locator/Lazy``,
/// ``Locator/Provider``, and ``Locator/Resolver``.
///
/// Parameters of initializers, properties and calls of `resolve` use the same lookup, so all of them support these
/// types.
protocol ComposedType: SendableMetatype {
    /// The services of a value. The request is for this type.
    static func parts(of request: Request, in core: LocatorCore) -> [ComposedPart]

    /// Returns a value of its parts: nil for one that is missing.
    static func compose(_ parts: [AnyInstance?], for request: Request, in core: LocatorCore) -> AnyInstance

    /// Whether the parts count as one resolve of several services.
    static var isGroup: Bool { get }

    /// The type of the service that a value of this type resolves when it is called, or nil for another type.
    static var resolvedLater: Any.Type? { get }

    /// Returns a value that resolves to an argument. Called if `resolvedLater` is not nil.
    static func resolved(to argument: AnyInstance, in core: LocatorCore) -> AnyInstance

    /// What a value of this type consists of, for the checks of registrations. The request is for this type.
    static func facts(of request: Request, in core: LocatorCore) -> LocatorFacts.LookupFacts

    /// The wrapped type of an `Optional`, or nil for another type.
    static var wrapped: Any.Type? { get }

    /// Whether the value of an instance of this type is nil.
    static func isNil(_ instance: AnyInstance) -> Bool
}

/// A service of a composed value.
enum ComposedPart {
    case request(Request)
    /// A registration that is known.
    case registration(Found, Request)
}

extension ComposedType {
    static func parts(of request: Request, in core: LocatorCore) -> [ComposedPart] { [] }

    static var isGroup: Bool { false }

    static var resolvedLater: Any.Type? { nil }

    static func resolved(to argument: AnyInstance, in core: LocatorCore) -> AnyInstance { argument }

    static var wrapped: Any.Type? { nil }

    static func isNil(_ instance: AnyInstance) -> Bool { false }
}

extension Optional: ComposedType {
    static var wrapped: Any.Type? { Wrapped.self }

    static func isNil(_ instance: AnyInstance) -> Bool {
        if case .none = instance.service(as: Optional.self) { true } else { false }
    }

    static func parts(of request: Request, in core: LocatorCore) -> [ComposedPart] {
        [.request(request.part(Wrapped.self, isOptional: true))]
    }

    static func compose(_ parts: [AnyInstance?], for request: Request, in core: LocatorCore) -> AnyInstance {
        // An optional of an optional is nil, too, if nothing is registered.
        guard let part = parts[0], !part.isNil else { return Instance(Optional.none) }
        return Instance(Optional.some(part.service(as: Wrapped.self)))
    }

    static func facts(of request: Request, in core: LocatorCore) -> LocatorFacts.LookupFacts {
        .optional(request.part(Wrapped.self).identity)
    }
}

extension Array: ComposedType {
    static var isGroup: Bool { true }

    /// The contributions to the list of the element type. The list may be empty.
    private static func contributions(to request: Request, in core: LocatorCore) -> [Found] {
        core.contributions(to: Locator.Identity(unwrapped(Element.self), request.identity.keyed))
    }

    static func parts(of request: Request, in core: LocatorCore) -> [ComposedPart] {
        contributions(to: request, in: core).map { .registration($0, request.part($0.identity.type)) }
    }

    static func compose(_ parts: [AnyInstance?], for request: Request, in core: LocatorCore) -> AnyInstance {
        // Without those that were removed meanwhile.
        Instance(parts.compactMap { $0?.cast(to: Element.self)?.service(as: Element.self) })
    }

    static func facts(of request: Request, in core: LocatorCore) -> LocatorFacts.LookupFacts {
        .list(contributions(to: request, in: core).map(\.facts))
    }
}

extension Found {
    /// Throws if a contribution declares other arguments than the request's.
    func checkArguments(of request: Request, in core: LocatorCore) throws(InjectleError) {
        guard let declared = record.traits.declared, request.arguments?.convert(to: declared) != true else { return }
        throw .wrongArguments(request, [self], in: core)
    }
}

extension Locator.Resolver: ComposedType {
    /// A resolver of the calling locator.
    static func compose(_ parts: [AnyInstance?], for request: Request, in core: LocatorCore) -> AnyInstance {
        Instance(Self(core: core, arguments: request.arguments))
    }

    static func facts(of request: Request, in core: LocatorCore) -> LocatorFacts.LookupFacts { .nothing }
}

/// Which types are composed.
enum ComposedTypes {
    private static let all = KnownCasts<any ComposedType.Type>()

    /// A type as a composed one, or nil for another type.
    static func cast(_ type: Any.Type) -> (any ComposedType.Type)? { all.cast(type) }

    /// Whether a type is known not to be composed.
    static func isKnownToFail(_ type: Any.Type) -> Bool { all.isKnownToFail(type) }
}
