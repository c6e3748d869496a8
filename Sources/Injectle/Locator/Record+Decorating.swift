// How a decorator gets what it decorates.

extension Record {
    @usableFromInline struct Decorator {
        let decorated: DecoratedService
        /// Returns the decorated service.
        let body: (Locator.Resolver, Service) throws -> Service
    }

    /// Calls the decorator.
    func decorate(_ instance: AnyInstance, in core: LocatorCore, _ arguments: Arguments?) throws -> AnyInstance {
        guard let decorated = instance.cast(to: Service.self), let decorator else {
            throw InjectleError.wrongType(decorator?.decorated.record ?? self, origin: traits.identity)
        }
        let service = try decorator.body(resolver(in: core, arguments), decorated.service(as: Service.self))
        return try self.instance(service, in: core)
    }

    func instance(of decorated: DecoratedService, in core: LocatorCore, _ arguments: Arguments?) throws
        -> AnyInstance
    {
        let request = request(arguments)
        let found = try found(decorated, for: request)
        guard let instance = try Acquisition(found, for: request, from: core).provide() else {
            throw InjectleError.missing(request, in: self.core)
        }
        return instance
    }

    func instanceAsync(of decorated: DecoratedService, in core: LocatorCore, _ arguments: Arguments?)
        async throws -> AnyInstance
    {
        let request = request(arguments)
        let found = try found(decorated, for: request)
        guard let instance = try await core.provideInTask(request, of: found, isolation: nil) else {
            throw InjectleError.missing(request, in: self.core)
        }
        return instance
    }

    /// The registration that a decorator requests.
    private func found(_ decorated: DecoratedService, for request: Request) throws(InjectleError) -> Found {
        if case .registration(let found) = decorated { return found }
        guard let found = core.parent?.find(request.identity, given: request.arguments).found else {
            throw .missing(request, in: core.parent ?? core)
        }
        return found
    }

    private func request(_ arguments: Arguments?) -> Request {
        Request(traits.identity, arguments, Request.Origin("decorate", traits.location, .decorator))
    }
}
