// The typed ends of the engine, which are inlined into the code of clients.

extension LocatorCore {
    /// The service without a key.
    @inlinable @inline(__always)
    func resolve<Service>(_ type: Service.Type, _ location: SourceLocation) throws(InjectleError) -> Service {
        if let service = existing(type) { return service }
        return try resolveAbsent(type, nil, location)
    }

    /// The instance that each request of a key gets, if it exists.
    @inlinable
    func existing<Service>(_ type: Service.Type, _ key: Locator.Key) -> Service? {
        isPlain ? nearest(type, key)?.existing(type) : nil
    }

    /// The instance that each request gets, if it exists.
    @inlinable @inline(__always)
    func existing<Service>(_ type: Service.Type) -> Service? {
        isPlain ? table.readNearest(type) { $0.existing(type) } : nil
    }

    /// One function for each type, not one for each call.
    @inlinable @inline(never)
    func resolveAbsent<Service>(
        _ type: Service.Type,
        _ arguments: Arguments?,
        _ location: SourceLocation
    ) throws(InjectleError) -> Service {
        if state.flags == 0, let entry = table.findNearest(type) {
            if let record = entry.plainTransient(type, arguments) {
                let origin = Request.Origin("resolve", location)
                return try record.createPlainly(Frame.Work(entry.identity, record, self, arguments, origin, entry))
            }
            if arguments == nil, let service = entry.referenced(type) { return service }
        }
        return try required(resolve(type, Request(type, nil, arguments, "resolve", location)))
    }

    /// Nil only if the request is optional and nothing is registered.
    @usableFromInline
    func resolve<Service>(_ type: Service.Type, _ request: Request) throws(InjectleError) -> Service? {
        do throws(InjectleError) {
            return try provide(request).flatMap { request.isOptional && $0.isNil ? nil : $0 }?.service(as: type)
        } catch {
            willThrow(error, for: request)
            throw error
        }
    }

    /// The elements of a list.
    @usableFromInline
    func resolveAll<Service>(_ type: Service.Type, _ request: Request) throws(InjectleError) -> [Service] {
        if isTerminated { throw .ended(request, self) }
        return try compose([Service].self, request).service(as: [Service].self)
    }
}

extension Record {
    /// Calls the closure of a transient registration without hooks, which nothing observes.
    @inlinable
    func createPlainly(_ work: Frame.Work) throws(InjectleError) -> Service {
        let closure = required(closure)
        try checkPlainly(work)
        do {
            return try Frame.run(work) { try closure(resolver(in: work.core, work.arguments), work.arguments) }
        } catch {
            throw failure(error, work)
        }
    }

    @usableFromInline
    func checkPlainly(_ work: Frame.Work) throws(InjectleError) {
        let outer = Frame.creation(of: self, in: work.core, given: work.arguments)
        if outer == nil, !Frame.isTooDeep { return }
        let (request, found) = required(requested(work))
        if let outer { throw .circularDependency(request, found, from: outer.depth) }
        throw .tooDeep(request, found)
    }

    @usableFromInline
    func failure(_ error: any Error, _ work: Frame.Work) -> InjectleError {
        let (request, found) = required(requested(work))
        return .creation(found, threw: error, requestedBy: request)
    }

    private func requested(_ work: Frame.Work) -> (Request, Found)? {
        work.entry.map { entry in
            (Request(work.identity, work.arguments, work.origin), Found(entry: entry, record: self))
        }
    }
}
