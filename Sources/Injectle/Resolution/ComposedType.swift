/// A type that is not registered itself, but composed of registered services: `T?`, `[T]`, ``Locator/Lazy``,
/// ``Locator/Provider``, and ``Locator/Resolver``.
///
/// Parameters of initializers, properties and calls of `resolve` use the same lookup, so all of them support these types.
protocol ComposedType {
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
        .list(core.contributions(to: Locator.Identity(unwrapped(Element.self), request.identity.keyed)).facts)
    }

    static func compose(_ request: Request, in core: LocatorCore, for property: InjectionPoint?)
        throws(InjectleError) -> Self
    {
        let entries = core.contributions(to: Locator.Identity(unwrapped(Element.self), request.identity.keyed))
        // The list counts as one resolve of several services.
        let group = Entry(core, request.identity)
        return try Frame.run((group, nil, core, nil, request.origin)) { () throws(InjectleError) in
            var list: [Element] = []
            list.reserveCapacity(entries.count)
            for entry in entries {
                guard let record = entry.record else { continue }
                try record.checkArguments(of: request, entry, in: core)
                let creation = try Creation.of((entry, record), for: request.part(entry.identity.type), from: core)
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

extension AnyRecord {
    /// Throws if a contribution declares other arguments than the request's.
    func checkArguments(of request: Request, _ entry: Entry, in core: LocatorCore) throws(InjectleError) {
        guard let declared = traits.declared, request.arguments?.convert(to: declared) != true else { return }
        throw .wrongArguments(request, [(entry, self)], in: core)
    }
}

extension Locator.Resolver: ComposedType {
    /// A resolver of the calling locator.
    static func compose(_ request: Request, in core: LocatorCore, for property: InjectionPoint?) -> Self {
        Self(core: core, arguments: request.arguments)
    }

    static func composition(of request: Request, in core: LocatorCore) -> LocatorFacts.Lookup { .nothing }
}
