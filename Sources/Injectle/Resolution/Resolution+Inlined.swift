// The typed ends of the engine. Clients compile the inlined ones for each type that they resolve, so these are small:
// what does not depend on the type is in functions that are not inlined, and so is what only the first read of a
// service needs.

extension LocatorCore {
    /// The service without a key.
    @inlinable @inline(__always)
    func resolve<Service>(_ type: Service.Type, _ location: SourceLocation) throws(InjectleError) -> Service {
        if let service = existing(type) { return service }
        return try resolveSlowly(type, nil, location)
    }

    /// The service with a key.
    @inlinable @inline(__always)
    func resolve<Service>(_ type: Service.Type, _ key: Locator.Key, _ location: SourceLocation)
        throws(InjectleError) -> Service
    {
        if let service = existing(type, key) { return service }
        return try provide(type, key, nil, location).service(as: type)
    }

    /// The instance that each request of a key gets, if it exists.
    @inlinable
    func existing<Service>(_ type: Service.Type, _ key: Locator.Key) -> Service? {
        readableEntry(of: type, key)?.existing(type)
    }

    /// The instance that each request gets, if it exists.
    @inlinable @inline(__always)
    func existing<Service>(_ type: Service.Type) -> Service? {
        readableEntry(of: type)?.read { $0.existing(type) }
    }

    /// The instance that each request gets, if it exists, for code that does not know its type.
    func existingInstance(_ type: Any.Type) -> AnyInstance? {
        readableEntry(of: type)?.read { entry in entry.state.withLock { $0.instance } }
    }

    /// The nearest entry of a type, if a read may return its instance at once. It is not retained, since the caller
    /// retains the locator.
    @usableFromInline @inline(never)
    func readableEntry(of type: Any.Type) -> Borrowed<Entry>? { allowsFastReads ? table.readable(type) : nil }

    /// The service without a key, if `existing` finds none.
    @usableFromInline @inline(never)
    func resolveSlowly<Service>(
        _ type: Service.Type,
        _ arguments: Arguments?,
        _ location: SourceLocation
    ) throws(InjectleError) -> Service {
        if state.flags == 0, let entry = table.registered(type) {
            switch entry.plain(type, arguments) {
            case .transient(let record):
                return try required(record.typed(type)).createPlainly(at: entry, in: self, arguments, location)
            case .weak(let object):
                // `as?` would fetch the metadata of an optional.
                switch object {
                case let service as Service: return service
                default: break
                }
            case .none: break
            }
        }
        return try required(provideRequested(Request(type, nil, arguments, "resolve", location))).service(as: type)
    }

    /// The service of a call, as an instance of the requested type.
    @usableFromInline
    func provide(_ type: Any.Type, _ key: Locator.Key?, _ arguments: Arguments?, _ location: SourceLocation)
        throws(InjectleError) -> AnyInstance
    {
        required(try provideRequested(Request(type, key, arguments, "resolve", location)))
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
            willThrow(error, at: request.origin.location)
            throw error
        }
    }

    /// The elements of a list.
    @usableFromInline
    func resolveAll<Service>(_ type: Service.Type, _ request: Request) throws(InjectleError) -> [Service] {
        if hasReleasedAll { throw .ended(request, self) }
        return try compose([Service].self, request).service(as: [Service].self)
    }
}

extension Record {
    /// Calls the closure of a transient registration without hooks, which nothing observes.
    func createPlainly(
        at entry: Entry,
        in core: LocatorCore,
        _ arguments: Arguments?,
        _ location: SourceLocation
    ) throws(InjectleError) -> Service {
        guard let closure else { preconditionFailure("A transient registration has a closure.") }
        let origin = Request.Origin("resolve", location)
        try checkPlainly(at: entry, in: core, arguments, origin)
        var frame = Frame(entry.identity, self, in: core, arguments, origin, entry)
        do {
            return try Frame.run(&frame, closure, resolver(in: core, arguments), arguments)
        } catch {
            throw failure(error, at: entry, arguments, origin)
        }
    }
}

extension AnyRecord {
    fileprivate final func checkPlainly(
        at entry: Entry,
        in core: LocatorCore,
        _ arguments: Arguments?,
        _ origin: Request.Origin
    ) throws(InjectleError) {
        // Most requests are part of no creation.
        guard Frame.Link.current != nil else { return }
        let outer = Frame.creation(of: self, in: core, given: arguments)
        if outer == nil, !Frame.isTooDeep { return }
        let request = Request(entry.identity, arguments, origin)
        let found = Found(entry: entry, record: self)
        if let outer { throw .circularDependency(request, found, from: outer.depth) }
        throw .tooDeep(request, found)
    }

    @inline(never)
    fileprivate final func failure(
        _ error: any Error,
        at entry: Entry,
        _ arguments: Arguments?,
        _ origin: Request.Origin
    ) -> InjectleError {
        let request = Request(entry.identity, arguments, origin)
        return .creation(Found(entry: entry, record: self), threw: error, requestedBy: request)
    }
}
