/// A type that is not registered itself, but composed of registered services: `T?`, `[T]`, ``Locator/Lazy``,
/// ``Locator/Provider``, and ``Locator/Resolver``.
///
/// Parameters of initializers, properties and calls of `resolve` use the same lookup, so all of them support these types.
protocol ComposedType: SendableMetatype {
    /// Returns a value of this type. The request is for this type.
    static func compose(_ request: Request, in core: LocatorCore, for property: InjectionPoint?)
        throws(InjectleError) -> Self

    /// Returns a value of this type, in a task. The request is for this type.
    static func composeInTask(_ request: Request, in core: LocatorCore, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> AnyInstance

    /// What a value of this type consists of, for the checks of registrations. The request is for this type.
    static func composition(of request: Request, in core: LocatorCore) -> LocatorFacts.Lookup

    /// The wrapped type of an `Optional`, or nil for another type.
    static var wrapped: Any.Type? { get }

    /// Whether the value of an instance of this type is nil.
    static func isNil(_ instance: AnyInstance) -> Bool
}

extension ComposedType {
    static func composeInTask(_ request: Request, in core: LocatorCore, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> AnyInstance
    {
        Instance(try compose(request, in: core, for: nil))
    }

    static func composed(_ request: Request, in core: LocatorCore, for property: InjectionPoint?)
        throws(InjectleError) -> AnyInstance
    {
        Instance(try compose(request, in: core, for: property))
    }

    static var wrapped: Any.Type? { nil }

    static func isNil(_ instance: AnyInstance) -> Bool { false }
}

extension Optional: ComposedType {
    static var wrapped: Any.Type? { Wrapped.self }

    static func isNil(_ instance: AnyInstance) -> Bool {
        if case .none = instance.service(as: Optional.self) { true } else { false }
    }

    static func compose(_ request: Request, in core: LocatorCore, for property: InjectionPoint?)
        throws(InjectleError) -> Self
    {
        let instance = try core.provide(request.part(Wrapped.self, isOptional: true), for: property)
        return instance?.service(as: Wrapped.self)
    }

    static func composeInTask(_ request: Request, in core: LocatorCore, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> AnyInstance
    {
        let request = request.part(Wrapped.self, isOptional: true)
        let instance = try await core.provideInTask(request, isolation: isolation)
        return Instance(instance?.service(as: Wrapped.self))
    }

    static func composition(of request: Request, in core: LocatorCore) -> LocatorFacts.Lookup {
        .optional(request.part(Wrapped.self).identity)
    }
}

extension Array: ComposedType {
    /// The contributions to the list of the element type. The list may be empty.
    static func composition(of request: Request, in core: LocatorCore) -> LocatorFacts.Lookup {
        .list(core.contributions(to: Locator.Identity(unwrapped(Element.self), request.identity.keyed)).map(\.facts))
    }

    static func compose(_ request: Request, in core: LocatorCore, for property: InjectionPoint?)
        throws(InjectleError) -> Self
    {
        let contributions = core.contributions(to: Locator.Identity(unwrapped(Element.self), request.identity.keyed))
        // The list counts as one resolve of several services.
        let group = Entry(core, request.identity)
        return try Frame.run((group, nil, core, nil, request.origin)) { () throws(InjectleError) in
            var list: [Element] = []
            list.reserveCapacity(contributions.count)
            for found in contributions {
                try found.checkArguments(of: request, in: core)
                let creation = try Creation.of(found, for: request.part(found.entry.identity.type), from: core)
                // Without those that were removed meanwhile.
                guard let element = try creation.provide() else { continue }
                if let element = element.cast(to: Element.self) { list.append(element.service(as: Element.self)) }
            }
            return list
        }
    }

    static func composeInTask(_ request: Request, in core: LocatorCore, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> AnyInstance
    {
        let list = try await core.provideListInTask(of: Element.self, request, isolation: isolation)
        return Instance(list.map { $0.service(as: Element.self) })
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
    static func compose(_ request: Request, in core: LocatorCore, for property: InjectionPoint?) -> Self {
        Self(core: core, arguments: request.arguments)
    }

    static func composition(of request: Request, in core: LocatorCore) -> LocatorFacts.Lookup { .nothing }
}

/// Which types are composed. A cast finds out, which takes longer than the rest of a lookup, so its results are kept.
enum ComposedTypes {
    private final class Result: Sendable {
        let type: (any ComposedType.Type)?
        init(_ type: (any ComposedType.Type)?) { self.type = type }
    }

    private static let known = TypeTable<Result>()
    // The table has no value, so a flag takes its place: the thread sanitizer takes two empty values at one address for one.
    private static let lock = Mutex(false)

    /// The type through which values of a composed type are provided, or nil for another type.
    static func composition(of type: Any.Type) -> (any ComposedType.Type)? {
        if let result = known.find(type) { return result.type }
        let result = Result(type as? any ComposedType.Type)
        lock.withLock { _ in
            if known.find(type) == nil { known.insert(result, for: type) }
        }
        return result.type
    }

    /// Whether a type is known not to be composed.
    static func isKnownToBeNone(_ type: Any.Type) -> Bool {
        guard let result = known.find(type) else { return false }
        return result.type == nil
    }
}
