/// A type that is not registered itself, but composed of registered services: `T?`, `[T]`, ``Locator/Lazy``,
/// ``Locator/Provider``, and ``Locator/Resolver``.
///
/// Parameters of initializers, properties and calls of `resolve` use the same lookup, so all of them support these types.
protocol ComposedType {
    /// Returns a value of this type. The request is for this type.
    static func compose(_ request: ResolveRequest, in core: LocatorCore, for property: InjectionPoint?)
        throws(InjectleError) -> Self

    /// Returns a value of this type, in a task. The request is for this type.
    static func provideInTask(_ request: ResolveRequest, in core: LocatorCore, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Instance

    /// What a value of this type consists of. The request is for this type.
    static func composition(of request: ResolveRequest, in core: LocatorCore) -> Composition
}

/// What a value of a composed type consists of.
enum Composition {
    /// A service, which is requested at once.
    case service(ResolveRequest)
    /// A service, which is requested later: once, or at each call.
    case later(ResolveRequest, keepsFirst: Bool)
    /// The contributions to a list.
    case list([Entry])
    /// No service.
    case nothing
}

extension ComposedType {
    static func provideInTask(_ request: ResolveRequest, in core: LocatorCore, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Instance
    {
        Instance.make(try compose(request, in: core, for: nil))
    }

    /// Initializes `storage`, memory for a value of this type.
    static func provide(
        _ request: ResolveRequest,
        in core: LocatorCore,
        for property: InjectionPoint?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) {
        unsafe storage.initializeMemory(as: Self.self, to: try compose(request, in: core, for: property))
    }
}

/// An `Optional` type.
protocol OptionalType: ComposedType {
    static var wrapped: Any.Type { get }

    /// Whether the value of this type at `storage` is nil.
    static func isNil(at storage: UnsafeRawPointer) -> Bool
}

extension Optional: ComposedType, OptionalType {
    static var wrapped: Any.Type { Wrapped.self }

    static func isNil(at storage: UnsafeRawPointer) -> Bool {
        if case .none = unsafe storage.assumingMemoryBound(to: Optional.self).pointee { true } else { false }
    }

    static func compose(_ request: ResolveRequest, in core: LocatorCore, for property: InjectionPoint?)
        throws(InjectleError) -> Self
    {
        let request = request.part(Wrapped.self, isOptional: true)
        return try unsafe received(Wrapped.self) { storage throws(InjectleError) in
            try unsafe Resolution.provide(request, in: core, for: property, into: storage)
        }
    }

    static func provideInTask(_ request: ResolveRequest, in core: LocatorCore, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Instance
    {
        let request = request.part(Wrapped.self, isOptional: true)
        let instance = try await Resolution.provideInTask(request, in: core, isolation: isolation)
        return Instance.make(instance?.loaded(as: Wrapped.self))
    }

    static func composition(of request: ResolveRequest, in core: LocatorCore) -> Composition {
        .service(request.part(Wrapped.self, isOptional: true))
    }
}

extension Array: ComposedType {
    /// The contributions to the list of the element type. The list may be empty.
    static func composition(of request: ResolveRequest, in core: LocatorCore) -> Composition {
        .list(core.contributions(to: unwrapped(Element.self), userKey: request.identity.userKey))
    }

    static func compose(_ request: ResolveRequest, in core: LocatorCore, for property: InjectionPoint?)
        throws(InjectleError) -> Self
    {
        if request.keyPart == nil, request.arguments == nil, property == nil,
            let list = unsafe LocatorHeader.loadAll(Element.self, core.header)
        {
            return list
        }
        let entries = core.contributions(to: unwrapped(Element.self), userKey: request.identity.userKey)
        // The list counts as one resolve of several services.
        let group = Entry.make(identity: request.identity, record: .synthetic, core: core, order: 0, role: .temporary)
        return try Frame.run(entry: group, core: core, for: request.origin, node: nil) { () throws(InjectleError) in
            var list: [Element] = []
            list.reserveCapacity(entries.count)
            for entry in entries {
                // Without those that were removed meanwhile.
                if let element = try element(entry, request.part(entry.identity.type), core) {
                    list.append(element)
                    property?.remember(entry, foundIn: core, isPart: true)
                }
            }
            return list
        }
    }

    static func provideInTask(_ request: ResolveRequest, in core: LocatorCore, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Instance
    {
        let list = try await Resolution.provideListInTask(of: Element.self, request, in: core, isolation: isolation)
        return Instance.make(list.map { $0.loaded(as: Element.self) })
    }

    private static func element(_ entry: Entry, _ request: ResolveRequest, _ core: LocatorCore) throws(InjectleError)
        -> Element?
    {
        try entry.checkArguments(of: request, in: core)
        let creation = Creation(of: entry, for: request, from: core)
        if entry.identity.type == Element.self {
            return try unsafe received(Element.self) { storage throws(InjectleError) in
                try unsafe creation.provide(into: storage)
            }
        }
        // A list of `Optional`s.
        let instance = try unsafe Instance.make(of: entry.identity.type) { storage throws(InjectleError) in
            try unsafe creation.provide(into: storage)
        }
        return instance?.cast(to: Element.self)?.loaded(as: Element.self)
    }
}

extension Entry {
    /// Throws if a contribution declares other arguments than the request's.
    func checkArguments(of request: ResolveRequest, in core: LocatorCore) throws(InjectleError) {
        guard let declared = record.declared, request.arguments?.convert(to: declared) != true else { return }
        throw .wrongArguments(request, [self], in: core)
    }
}

extension Locator.Resolver: ComposedType {
    /// A resolver of the calling locator.
    static func compose(_ request: ResolveRequest, in core: LocatorCore, for property: InjectionPoint?) -> Self {
        Self(core: core, arguments: request.arguments)
    }

    static func composition(of request: ResolveRequest, in core: LocatorCore) -> Composition { .nothing }
}
