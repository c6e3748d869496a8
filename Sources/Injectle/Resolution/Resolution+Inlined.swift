// The typed ends of the engine, which are inlined into the code of clients.

extension LocatorCore {
    /// The service without a key.
    @inlinable @inline(__always)
    func resolve<Service>(_ type: Service.Type, _ location: SourceLocation) throws(InjectleError) -> Service {
        if let service = existing(type) { return service }
        return try resolveAbsent(type, nil, location)
    }

    /// The service with a key.
    @inlinable @inline(__always)
    func resolve<Service>(_ type: Service.Type, _ key: Locator.Key, _ location: SourceLocation)
        throws(InjectleError) -> Service
    {
        if let service = existing(type, key) { return service }
        return required(try resolve(type, Request(type, key, nil, "resolve", location)))
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

    /// The instance that each request gets, if it exists, for code that does not know its type.
    func existingInstance(_ type: Any.Type) -> AnyInstance? {
        isPlain ? table.readNearest(type) { entry in entry.state.withLock { $0.instance } } : nil
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
                return try record.createPlainly(at: entry, in: self, arguments, origin)
            }
            if arguments == nil, let service = entry.referenced(type) { return service }
        }
        return try required(provideRequested(Request(type, nil, arguments, "resolve", location))).service(as: type)
    }

    /// Nil only if the request is optional and nothing is registered.
    @usableFromInline
    func resolve<Service>(_ type: Service.Type, _ request: Request) throws(InjectleError) -> Service? {
        try provideRequested(request)?.service(as: type)
    }

    @usableFromInline func provideRequested(_ request: Request) throws(InjectleError) -> AnyInstance? {
        do throws(InjectleError) {
            guard let instance = try provide(request), !request.isOptional || !instance.isNil else { return nil }
            return instance
        } catch {
            willThrow(error, for: request)
            throw error
        }
    }

    /// The elements of a list.
    @usableFromInline
    func resolveAll<Service>(_ type: Service.Type, _ request: Request) throws(InjectleError) -> [Service] {
        if isOver { throw .ended(request, self) }
        return try compose([Service].self, request).service(as: [Service].self)
    }
}

extension Record {
    /// Calls the closure of a transient registration without hooks, which nothing observes.
    @inlinable
    func createPlainly(
        at entry: Entry,
        in core: LocatorCore,
        _ arguments: Arguments?,
        _ origin: Request.Origin
    ) throws(InjectleError) -> Service {
        let closure = required(closure)
        try checkPlainly(at: entry, in: core, arguments, origin)
        defer { withExtendedLifetime((self, entry)) {} }
        var frame = Frame(entry.identity, self, in: core, arguments, origin, entry)
        do {
            return try Frame.run(&frame) { try closure(resolver(in: core, arguments), arguments) }
        } catch {
            throw failure(error, at: entry, arguments, origin)
        }
    }

    @usableFromInline
    func checkPlainly(at entry: Entry, in core: LocatorCore, _ arguments: Arguments?, _ origin: Request.Origin)
        throws(InjectleError)
    {
        let outer = Frame.creation(of: self, in: core, given: arguments)
        if outer == nil, !Frame.isTooDeep { return }
        let request = Request(entry.identity, arguments, origin)
        let found = Found(entry: entry, record: self)
        if let outer { throw .circularDependency(request, found, from: outer.depth) }
        throw .tooDeep(request, found)
    }

    @usableFromInline
    func failure(_ error: any Error, at entry: Entry, _ arguments: Arguments?, _ origin: Request.Origin)
        -> InjectleError
    {
        let request = Request(entry.identity, arguments, origin)
        return .creation(Found(entry: entry, record: self), threw: error, requestedBy: request)
    }
}
