// The way from a request to a service: the lookup of the registration, and the acquisition of its instance.

extension LocatorCore {
    /// What provides the service of a request.
    enum Provision {
        case registration(Found)
        /// The type of a value that is not registered itself.
        case composed(any ComposedType.Type)
        /// Nothing, and the request is optional.
        case nothing
    }

    /// Looks the registration of a request up.
    ///
    /// - Parameter registersDefaults: Whether the default of a key is registered then, which a check does not want.
    @inline(never)
    func lookUp(_ request: Request, registersDefaults: Bool = true) throws(InjectleError) -> Provision {
        let identity = request.identity
        if closeHasBegun, hasReleasedAll { throw .ended(request, self) }
        while true {
            let lookup = find(identity, given: request.arguments)
            if let found = lookup.found { return .registration(found) }
            let composed = ComposedTypes.cast(identity.type)
            // The key alone counts only if the type is not composed, and has no registration for other arguments.
            if case .nothing = lookup, composed == nil, let key = identity.keyed,
                let found = findByKeyAlone(key, as: identity.type, given: request.arguments)
            {
                return .registration(found)
            }
            if hasEnded { throw .ended(request, self) }
            if identity.keyed != nil {
                if !registersDefaults, let found = unregisteredDefault(for: identity) { return .registration(found) }
                if registersDefaults, registerDefault(for: identity) { continue }
            }
            if let composed { return .composed(composed) }
            let others = registrationsWithArguments(as: identity)
            if others.isEmpty {
                if request.isOptional { return .nothing }
                if let ended = chain.first(where: \.keepsNothingNew) { throw .ended(request, ended) }
                if let creation = Frame.creationLacking(identity) { throw .lackingArgument(request, of: creation) }
                throw .missing(request, in: self)
            }
            // Another thread may have registered one since: the error must describe a single moment, in which these
            // registrations were present and no other one was.
            if find(identity, given: request.arguments).found == nil,
                registrationsWithArguments(as: identity).elementsEqual(others, by: { $0.record === $1.record })
            {
                throw .wrongArguments(request, others, in: self)
            }
        }
    }

    /// Throws for a registration that is being removed, and for which nothing is created any more: that a locator ends,
    /// or, unless the request is optional, that nothing is registered.
    @inline(never)
    private func checkRefused(_ request: Request, _ entry: Entry) throws(InjectleError) {
        if entry.core.keepsNothingNew || keepsNothingNew {
            throw .ended(request, entry.core.keepsNothingNew ? entry.core : self)
        }
        if !request.isOptional { throw .missing(request, in: self) }
    }

    // MARK: On a thread

    /// The service of a request, as an instance of the requested type. Nil if there is none and the request is
    /// optional.
    ///
    /// - Parameter property: The property that the service is injected into.
    func provide(_ request: Request, for property: InjectionPoint? = nil) throws(InjectleError) -> AnyInstance? {
        var attempts = Attempts()
        // A registration that was removed meanwhile is looked up again.
        while let acquisition = try acquisition(for: request, property, &attempts) {
            if let instance = try acquisition.provide() { return instance }
        }
        return attempts.areOver ? nil : try provideUnregistered(request, for: property)
    }

    /// The acquisition of the service of a request. Nil if it is not registered itself, or no more.
    @inline(never)
    private func acquisition(for request: Request, _ property: InjectionPoint?, _ attempts: inout Attempts)
        throws(InjectleError) -> Acquisition?
    {
        guard case .registration(let found) = try lookUp(request) else { return nil }
        guard attempts.begin(found.record) else {
            try checkRefused(request, found.entry)
            return nil
        }
        return try Acquisition(found, for: request, from: self, property)
    }

    @inline(never)
    private func provideUnregistered(_ request: Request, for property: InjectionPoint?)
        throws(InjectleError) -> AnyInstance?
    {
        switch try lookUp(request) {
        case .composed(let type): try compose(type, request, for: property)
        case .nothing: nil
        // Another thread has registered it meanwhile.
        case .registration: try provide(request, for: property)
        }
    }

    /// A value of a composed type, of its parts.
    @inline(never)
    func compose(_ type: any ComposedType.Type, _ request: Request, for property: InjectionPoint? = nil)
        throws(InjectleError) -> AnyInstance
    {
        let parts = type.parts(of: request, in: self)
        if parts.isEmpty { return type.compose([], for: request, in: self) }
        func provideParts() throws(InjectleError) -> [AnyInstance?] {
            var instances: [AnyInstance?] = []
            for part in parts {
                switch part {
                case .request(let request): instances.append(try provide(request, for: property))
                case .registration(let found, let request):
                    try found.checkArguments(of: request, in: self)
                    instances.append(try Acquisition(found, for: request, from: self).provide())
                }
            }
            return instances
        }
        if !type.isGroup { return type.compose(try provideParts(), for: request, in: self) }
        var frame = Frame(request.identity, nil, in: self, nil, request.origin, nil)
        let instances = try Frame.run(&frame) { () throws(InjectleError) in try provideParts() }
        return type.compose(instances, for: request, in: self)
    }

    // MARK: In a task

    /// The service of a request, for a task, which can await the closures of the service and of its dependencies.
    func provideInTask(_ request: Request, isolation: isolated (any Actor)?) async throws(InjectleError) -> AnyInstance?
    {
        try await awaitingNeeds(isolation) { [self] () async throws(InjectleError) -> AnyInstance? in
            var attempts = Attempts()
            while true {
                switch try lookUp(request) {
                case .nothing: return nil
                case .composed(let type): return try await composeInTask(type, request, isolation)
                case .registration(let found):
                    guard attempts.begin(found.record) else {
                        try checkRefused(request, found.entry)
                        return nil
                    }
                    if let instance = try await provideObserved(request, of: found, isolation) { return instance }
                }
            }
        }
    }

    /// The service of a registration, for a task. Nil if the registration was removed meanwhile.
    func provideInTask(_ request: Request, of found: Found, isolation: isolated (any Actor)?)
        async throws(InjectleError) -> AnyInstance?
    {
        try await awaitingNeeds(isolation) { [self] () async throws(InjectleError) -> AnyInstance? in
            try await Acquisition(found, for: request, from: self).provideInTask(isolation)
        }
    }

    private func provideObserved(_ request: Request, of found: Found, _ isolation: isolated (any Actor)?)
        async throws(InjectleError) -> AnyInstance?
    {
        let start = begin(.didResolve)
        let instance = try await Acquisition(found, for: request, from: self).provideInTask(isolation)
        if let start, instance != nil { didResolve(found, request, since: start, isAsynchronous: true) }
        return instance
    }

    /// A value of a composed type, of its parts.
    func composeInTask(_ type: any ComposedType.Type, _ request: Request, _ isolation: isolated (any Actor)?)
        async throws(InjectleError) -> AnyInstance
    {
        let parts = type.parts(of: request, in: self)
        if parts.isEmpty { return type.compose([], for: request, in: self) }
        let provideParts = { [self] () async throws(InjectleError) -> [AnyInstance?] in
            var instances: [AnyInstance?] = []
            for part in parts {
                switch part {
                case .request(let request):
                    instances.append(try await provideInTask(request, isolation: isolation))
                case .registration(let found, let request):
                    try found.checkArguments(of: request, in: self)
                    let instance = try await awaitingNeeds(isolation) { () async throws(InjectleError) in
                        try await provideObserved(request, of: found, isolation)
                    }
                    instances.append(instance)
                }
            }
            return instances
        }
        if !type.isGroup { return type.compose(try await provideParts(), for: request, in: self) }
        let frame = Frame(request.identity, nil, in: self, nil, request.origin, nil)
        return type.compose(try await TaskFrame.run(frame, provideParts), for: request, in: self)
    }

    /// Calls `body`, and after an error of a service that requires async creation, creates that first, and calls it
    /// again.
    func awaitingNeeds<Value>(
        _ isolation: isolated (any Actor)?,
        _ body: () async throws(InjectleError) -> Value
    ) async throws(InjectleError) -> Value {
        let collector = NeedCollector()
        defer { collector.end() }
        // Retained until the closure has returned, since no other object may retain them.
        var satisfied: [(need: Need, instance: AnyInstance?)] = []
        while true {
            let outcome = await NeedCollector.$current.withValue(collector) {
                () async -> Result<Value, InjectleError> in
                do throws(InjectleError) { return .success(try await body()) } catch { return .failure(error) }
            }
            guard case .failure(let error) = outcome, let need = collector.take(error.need) else {
                return try outcome.get()
            }
            if satisfied.contains(where: { $0.need.isSame(as: need) }) { throw error }
            if satisfied.count == NeedCollector.limit { throw .endlessNeeds(need) }
            let instance = try await need.caller.provideInTask(need.request, of: need.found, isolation: isolation)
            satisfied.append((need, instance))
        }
    }
}

/// The registrations that a request has tried, each of which was removed meanwhile.
private struct Attempts {
    /// A closure can replace its own registration at each call.
    private static let limit = 100

    private var last: AnyRecord?
    private var count = 0
    private(set) var areOver = false

    /// Begins an attempt. Returns false for a registration that was tried before, and after too many.
    mutating func begin(_ record: AnyRecord) -> Bool {
        areOver = last === record || count == Attempts.limit
        last = record
        count += 1
        return !areOver
    }
}
