// The way from a request to a service: the lookup of the registration, and the acquisition of its instance.

extension LocatorCore {
    /// The service of a request, as an instance of the requested type. Nil if there is none and the request is optional.
    ///
    /// - Parameter property: The property that the service is injected into.
    func provide(_ request: Request, for property: InjectionPoint? = nil) throws(InjectleError) -> AnyInstance? {
        var tried: AnyRecord?
        while true {
            let (registration, composed) = try lookUp(request)
            if let composed { return try composed.composed(request, in: self, for: property) }
            guard let (entry, record) = registration else { return nil }
            if tried === record { return try refused(request, entry) }
            tried = record
            // A registration that was removed meanwhile is looked up again.
            let creation = try Creation.of((entry, record), for: request, from: self, property)
            if let instance = try creation.provide() { return instance }
        }
    }

    /// The result for a registration that is being removed, and for which nothing is created any more.
    private func refused(_ request: Request, _ entry: Entry) throws(InjectleError) -> AnyInstance? {
        if entry.core.isEnding || isEnding { throw .ended(request, entry.core.isEnding ? entry.core : self) }
        if request.isOptional { return nil }
        throw .missing(request, in: self)
    }

    /// The registration of a request, or the type through which a value that is not registered itself is provided. Neither if
    /// there is none, which the request allows.
    func lookUp(_ request: Request)
        throws(InjectleError) -> (registration: Found?, composed: (any ComposedType.Type)?)
    {
        let identity = request.identity
        if isTerminated, isClosing { throw .ended(request, self) }
        while true {
            // A composed type must not be found by its key alone.
            if let found = find(identity, given: request.arguments, byKeyAlone: false) { return (found, nil) }
            let composed = composition(of: identity.type)
            if identity.keyed != nil, composed == nil, let found = find(identity, given: request.arguments) {
                return (found, nil)
            }
            if isTerminated { throw .ended(request, self) }
            if identity.keyed != nil, registerDefault(for: identity) { continue }
            if let composed { return (nil, composed) }
            let declaring = registrationsDeclaringArguments(as: identity)
            if declaring.isEmpty {
                if request.isOptional { return (nil, nil) }
                if let ended = terminated { throw .ended(request, ended) }
                throw .missing(request, in: self)
            }
            // Another thread may have registered one since: the error must describe a single moment, in which these
            // registrations were present and no other one was.
            if find(identity, given: request.arguments) == nil,
                registrationsDeclaringArguments(as: identity).elementsEqual(declaring, by: { $0.record === $1.record })
            {
                throw .wrongArguments(request, declaring, in: self)
            }
        }
    }

    /// The type through which values of a composed type are provided, or nil for another type. The cast takes longer than the
    /// rest of a lookup, so the root remembers its result.
    private func composition(of type: Any.Type) -> (any ComposedType.Type)? {
        let entry = root.baseEntry(of: Locator.Identity(type, nil))
        if let known = entry.state.withLock({ $0.composed }) { return known }
        let composed = type as? any ComposedType.Type
        entry.state.withLock { $0.composed = .some(composed) }
        return composed
    }

    /// Whether nothing of a type without a key is registered or composed, in this locator and its ancestors.
    @usableFromInline func hasNothing(of type: Any.Type) -> Bool {
        guard isPlain else { return false }
        let entry = table.find(type)
        if let parent { return entry == nil && parent.hasNothing(of: type) }
        return entry?.state.withLock { state in
            guard let composed = state.composed else { return false }
            return composed == nil && state.record == nil && state.variants.isEmpty
        } ?? false
    }

    // MARK: In a task

    /// The same in a task, which can await the closures of services and of their dependencies.
    func provideInTask(_ request: Request, isolation: isolated (any Actor)?) async throws(InjectleError) -> AnyInstance?
    {
        try await awaitingNeeds(isolation: isolation) { [self] () async throws(InjectleError) -> AnyInstance? in
            var tried: AnyRecord?
            while true {
                let (registration, composed) = try lookUp(request)
                if let composed { return try await composed.composeInTask(request, in: self, isolation: isolation) }
                guard let (entry, record) = registration else { return nil }
                if tried === record { return try refused(request, entry) }
                tried = record
                let start = begin(.didResolve)
                let creation = try Creation.of((entry, record), for: request, from: self)
                guard let instance = try await creation.provideInTask(isolation) else { continue }
                if let start { didResolve(record, entry, request, since: start, isAsynchronous: true) }
                return instance
            }
        }
    }

    /// The same for a registration that is known. Nil if it was removed meanwhile.
    func provideInTask(_ request: Request, of found: Found, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> AnyInstance?
    {
        try await awaitingNeeds(isolation: isolation) { [self] () async throws(InjectleError) -> AnyInstance? in
            try await Creation.of(found, for: request, from: self).provideInTask(isolation)
        }
    }

    /// Calls `body`, and after an error of a service that requires async creation, creates that first, and calls it again.
    private func awaitingNeeds(
        isolation: isolated (any Actor)?,
        _ body: () async throws(InjectleError) -> AnyInstance?
    ) async throws(InjectleError) -> AnyInstance? {
        // Retained until the closure has returned, since no other object may retain them.
        var created: [(InjectleError.Needed, AnyInstance?)] = []
        while true {
            do throws(InjectleError) {
                return try await body()
            } catch {
                guard let needed = error.needed, !created.contains(where: { LocatorCore.isSame($0.0, needed) }) else {
                    throw error.withoutNeed
                }
                do throws(InjectleError) {
                    let (request, found) = (needed.request, (needed.entry, needed.record))
                    let instance = try await needed.caller.provideInTask(request, of: found, isolation: isolation)
                    created.append((needed, instance))
                } catch {
                    throw error.withoutNeed
                }
            }
        }
    }

    private static func isSame(_ left: InjectleError.Needed, _ right: InjectleError.Needed) -> Bool {
        left.record === right.record && left.caller === right.caller
            && Arguments.areEqual(left.request.arguments, right.request.arguments)
    }

    func provideListInTask(of element: Any.Type, _ request: Request, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> [AnyInstance]
    {
        let entries = contributions(to: Locator.Identity(unwrapped(element), request.identity.keyed))
        // The list counts as one resolve of several services.
        let group = Entry(self, request.identity)
        return try await TaskFrame.run((group, nil, self, nil, request.origin)) { () async throws(InjectleError) in
            var instances: [AnyInstance] = []
            for entry in entries {
                guard let record = entry.record else { continue }
                try record.checkArguments(of: request, entry, in: self)
                let start = begin(.didResolve)
                let part = request.part(entry.identity.type)
                // Without those that were removed meanwhile.
                guard let instance = try await provideInTask(part, of: (entry, record), isolation: isolation) else {
                    continue
                }
                if let start { didResolve(record, entry, request, since: start, isAsynchronous: true) }
                if let form = instance.cast(to: element) { instances.append(form) }
            }
            return instances
        }
    }
}

/// The service of a request that is not optional.
@inlinable @inline(__always)
func required<Service>(_ service: Service?) -> Service {
    guard let service else { preconditionFailure("A required service is provided, or an error thrown.") }
    return service
}

// The typed ends of the engine.

extension LocatorCore {
    /// The service without a key. Nil only if nothing is registered and the request is optional.
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

    /// The nearest entry of a type and key. It can be empty.
    @usableFromInline
    func nearest(_ type: Any.Type, _ key: Locator.Key) -> Entry? { entry(type, key) ?? parent?.nearest(type, key) }

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
        // An ancestor that declares other arguments hides farther ones, which a search for the nearest entry does not see.
        let entry = if let arguments { table.find(type)?.entry(for: arguments) } else { table.findNearest(type) }
        if state.flags == 0, let entry {
            if let record = entry.plainTransient(type) {
                return try record.createPlainly(in: self, entry, arguments, ("resolve", location))
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
}

extension Record {
    /// Calls the closure of a transient registration without hooks, which nothing observes.
    @inlinable
    func createPlainly(in core: LocatorCore, _ entry: Entry, _ arguments: Arguments?, _ origin: Request.Origin)
        throws(InjectleError) -> Service
    {
        let closure = required(closure)
        try checkPlainly(in: core, entry, arguments, origin)
        do {
            return try Frame.run((entry, self, core, arguments, origin)) {
                try closure(resolver(in: core, arguments), arguments)
            }
        } catch {
            throw failure(error, entry, arguments, origin)
        }
    }

    @usableFromInline
    func checkPlainly(in core: LocatorCore, _ entry: Entry, _ arguments: Arguments?, _ origin: Request.Origin)
        throws(InjectleError)
    {
        let isCycle = Frame.creation(of: self, in: core, given: arguments) != nil
        if !isCycle, !Frame.isTooDeep { return }
        let request = Request(entry.identity, arguments, origin)
        throw isCycle ? .circularDependency(request, entry) : .tooDeep(request, entry)
    }

    @usableFromInline
    func failure(_ error: any Error, _ entry: Entry, _ arguments: Arguments?, _ origin: Request.Origin) -> InjectleError
    {
        .creation(entry, self, threw: error, requestedBy: Request(entry.identity, arguments, origin))
    }
}
