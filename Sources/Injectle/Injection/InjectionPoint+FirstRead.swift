// Reads of a property or a `Lazy` that keeps the service that it resolves first.

extension InjectionPoint {
    /// Returns the service that the property keeps, which the first call resolves. Nil only if none is registered and
    /// `isOptional`.
    @usableFromInline
    func readFirst<Service>(_ type: Service.Type, isOptional: Bool = false) throws(InjectleError) -> Service? {
        let (kept, arguments) = beginFirstRead()
        if let kept { return kept.service(as: type) }
        defer { endFirstRead() }
        let request = request(type, arguments, isOptional: isOptional)
        let instance =
            switch kind {
            case .lazy: try core.provide(request, for: self)
            case .following, .keepingFirst, .keepingFirstOrNil: try provideAlsoAfterEnd(request)
            }
        return instance.map { keep($0).service(as: type) }
    }

    /// Returns the service that the property keeps, which the first call resolves, also if the closure is async.
    func readFirst<Service>(_ type: Service.Type, _ isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Service
    {
        let (kept, arguments) = beginFirstRead()
        if let kept { return kept.service(as: type) }
        defer { endFirstRead() }
        let request = request(type, arguments, isOptional: false)
        return keep(required(try await core.provideInTask(request, isolation: isolation))).service(as: type)
    }

    /// Resolves the service that the property keeps, when the property is created. Within a creation, the request for
    /// the created object throws the error. A check leaves the resolve to the first read.
    func readAtOnce<Service>(_ type: Service.Type) {
        if LocatorCore.defersProperties { return }
        do throws(InjectleError) {
            _ = try readFirst(type)
        } catch {
            if !Frame.keepPropertyFailure(error) { fail(error) }
        }
    }

    /// Keeps the instance that was resolved first; only `.keepingFirstOrNil` keeps nil. Returns the kept instance,
    /// since another caller may be first.
    private func keep(_ instance: AnyInstance) -> AnyInstance {
        switch kind {
        case .keepingFirstOrNil: break
        case .following, .keepingFirst, .lazy: if instance.isNil { return instance }
        }
        let (kept, former) = state.withLock { state in
            if let kept = state.kept { return (kept, Arguments?.none) }
            state.kept = instance
            return (instance, state.arguments.take())
        }
        withExtendedLifetime(former) {}
        return kept
    }

    /// Returns the instance that was resolved first, or nil and the arguments to resolve it with; then the caller ends
    /// the read.
    private func beginFirstRead() -> (AnyInstance?, Arguments?) {
        state.withLock { state in
            if state.kept == nil { state.firstReaders += 1 }
            return (state.kept, state.arguments)
        }
    }

    private func endFirstRead() {
        let former = state.withLock { state in
            state.firstReaders -= 1
            // Until then, the other first readers need the cell.
            return state.firstReaders == 0 && state.kept != nil ? state.own.take() : nil
        }
        withExtendedLifetime(former) {}
    }
}
