// The hooks of a registration, which complete an instance.

extension Record {
    func add(_ hook: @escaping Hook) {
        hooks = (hooks ?? []) + [hook]
        traits.hasHooks = true
    }

    func add(_ disposer: @escaping (Service) -> Disposer) {
        disposers = (disposers ?? []) + [disposer]
        traits.hasDisposers = true
    }

    /// Runs the hooks. Meanwhile, a request within this creation gets the instance, if it is an object.
    func finished(_ service: Service, _ resolver: Locator.Resolver) throws -> AnyInstance {
        if !traits.hasHooks { return try instance(service, in: resolver.core) }
        try Frame.checkProperties()
        defer { Frame.removeEarly(of: self) }
        var service = service
        for hook in hooks ?? [] {
            // Of the hook before, which can have replaced it.
            Frame.setEarly(Instance(service), of: self)
            try hook(resolver, &service)
        }
        return try instance(service, in: resolver.core)
    }

    /// Runs the hooks on the actor of an async closure, also with an early instance. Where a hook resolves a service
    /// that requires async creation, this task creates it, and runs the hook again.
    func finishedAsync(_ service: UncheckedBox<Service>, _ resolver: Locator.Resolver) async throws
        -> AnyInstance
    {
        try Frame.checkProperties()
        defer { Frame.removeEarly(of: self) }
        var service = service
        for hook in hooks ?? [] {
            Frame.setEarly(Instance(service.value), of: self)
            service = try await run(UncheckedBox(hook), service, resolver)
        }
        let finished = service
        return try await traits.isolation.run { [self] in try instance(finished.value, in: resolver.core) }
    }

    private func run(
        _ hook: UncheckedBox<Hook>,
        _ service: UncheckedBox<Service>,
        _ resolver: Locator.Resolver
    ) async throws -> UncheckedBox<Service> {
        let changed = try await resolver.core.awaitingNeeds(nil) {
            () async throws(InjectleError) -> Result<UncheckedBox<Service>, any Error> in
            do {
                let changed = try await traits.isolation.run {
                    var changed = service.value
                    try hook.value(resolver, &changed)
                    try Frame.checkProperties()
                    return UncheckedBox(changed)
                }
                return .success(changed)
            } catch let error as InjectleError where error.need != nil {
                throw error
            } catch {
                return .failure(error)
            }
        }
        return try changed.get()
    }
}
