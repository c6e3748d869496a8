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
        public var isValid: Bool { !core.isTerminated }
    }
}

// The compiler does not know the types of an initializer's parameters where it calls these functions. They are not inlined,
// so that at least nothing else is unknown to it.

extension Locator.Resolver {
    /// The service for a parameter of an initializer.
    @usableFromInline @inline(never)
    func resolveParameter<Service>(_ type: Service.Type, _ location: SourceLocation) throws(InjectleError) -> Service {
        try resolvingContext.resolve(type, location)
    }
}
