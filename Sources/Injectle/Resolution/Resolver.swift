extension Locator {
    /// A reference to a locator that factory closures receive, to resolve the dependencies of a service.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// ```
    ///
    /// For a lazy service, it resolves from the registering locator; for a volatile service, from the resolving
    /// locator; for a service per locator, from the locator that caches the instance. An argument of the request
    /// replaces a service of its type that is resolved without a key.
    ///
    /// Use it later as well: as the parameter of an initializer, or as a property `@Inject var resolver:
    /// Locator.Resolver`. It does not retain its locator: after the locator's release, resolving throws
    /// ``InjectleError/locatorClosed``. Any thread can use it.
    @frozen
    public struct Resolver: Sendable {
        @usableFromInline let core: LocatorCore
        /// The arguments of the request.
        @usableFromInline let arguments: Arguments?

        @inlinable @inline(__always)
        init(core: LocatorCore, arguments: Arguments?) {
            self.core = core
            self.arguments = arguments
        }

        /// Whether the locator still exists.
        public var isValid: Bool { !core.hasEnded }
    }
}

extension Locator.Resolver {
    /// The argument that replaces a service.
    @usableFromInline func argument<Service>(for type: Service.Type) -> Service? {
        arguments.flatMap { core.argument(for: type, in: $0) }?.service(as: type)
    }

    /// The service for a parameter of an initializer.
    ///
    /// It is not inlined: its caller is code for a type that the compiler does not know, where each step would be
    /// generic, and so this call alone is.
    @usableFromInline @inline(never)
    func resolveParameter<Service>(_ type: Service.Type, _ location: SourceLocation) throws(InjectleError) -> Service {
        // Where the type is not known, each function that names an optional of it fetches its metadata.
        if let arguments, let argument = core.argument(for: type, in: arguments) { return argument.service(as: type) }
        if let instance = core.existingInstance(type) { return instance.service(as: type) }
        return try core.resolveSlowly(type, nil, location)
    }
}

extension LocatorCore {
    /// The argument of a creation in this locator that replaces a service of a type.
    func argument(for type: Any.Type, in arguments: Arguments) -> AnyInstance? {
        if unwrapped(type) == Locator.Resolver.self {
            arguments.takeAll()
            return Instance(Locator.Resolver(core: self, arguments: arguments)).cast(to: type)
        }
        if let instance = arguments.instance(for: type) { return instance }
        guard let later = ComposedTypes.cast(type), let service = later.resolvedLater else { return nil }
        return arguments.instance(for: service).map { later.resolved(to: $0, in: self) }
    }
}
