// A decorator is a registration of its own. It takes the identity of the registration that it decorates, which gets an
// identity that only the decorator requests. So lifetimes, removal and validation need no case for decorators: they see two
// registrations, and a dependency.

extension Locator {
    /// Wraps the service of a type and key: each resolve returns what the closure makes of the registered service.
    ///
    /// ```swift
    /// struct LoggingAPI: APIClient {
    ///     let api: any APIClient
    ///     var host: String { "logged \(api.host)" }
    /// }
    ///
    /// locator.register(.lazy { LiveAPIClient() }, for: (any APIClient).self)
    /// locator.decorate((any APIClient).self) { api in LoggingAPI(api: api) }
    /// print(try locator.resolve((any APIClient).self).host)  // Prints "logged api.example.com"
    /// ```
    ///
    /// It decorates the present registrations of this locator for the type and key: for any arguments, and each element of a
    /// list. Several decorators apply in the order of the calls, the last one outermost. Without a registration of its own,
    /// the locator decorates the service of its parent, for itself and its children. A later registration replaces the
    /// service with its decorators.
    ///
    /// The decorator has the lifetime of the service, so a singleton is decorated once. The service stays cached and is
    /// disposed of as before, after its decorators are released. If the service is async, so is a resolve that creates it.
    /// The decorator of a service that is missing throws ``InjectleError/missing``. Decorating a
    /// ``Registration/final()`` registration traps.
    ///
    /// - Parameters:
    ///   - type: The type by which the service is resolved.
    ///   - key: The key by which it is resolved.
    ///   - body: Returns the decorator of a service, or the service itself. It runs on the actor it was written on.
    /// - Complexity: O(1) on average for each decorated registration.
    public func decorate<Service>(
        _ type: Service.Type,
        key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ body: @escaping (Service) throws -> Service
    ) {
        decorate(type, key, isolation, SourceLocation(fileID, line), receivesResolver: false) { try body($1) }
    }

    /// Wraps the service of a type and key, with a closure that resolves other services.
    ///
    /// ```swift
    /// locator.register(.eager(User(name: "Ada")))
    /// locator.register(.eager(Settings(currency: "EUR")))
    /// locator.decorate(User.self) { locator, user in
    ///     let settings: Settings = try locator.resolve()
    ///     return User(name: "\(user.name), paid in \(settings.currency)")
    /// }
    /// print(try locator.resolve(User.self).name)  // Prints "Ada, paid in EUR"
    /// ```
    public func decorate<Service>(
        _ type: Service.Type,
        key: AnyHashable? = nil,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ body: @escaping (Resolver, Service) throws -> Service
    ) {
        decorate(type, key, isolation, SourceLocation(fileID, line), receivesResolver: true, body)
    }

    private func decorate<Service>(
        _ type: Service.Type,
        _ key: AnyHashable?,
        _ isolation: (any Actor)?,
        _ location: SourceLocation,
        receivesResolver: Bool,
        _ body: @escaping (Resolver, Service) throws -> Service
    ) {
        core.decorate(Identity(type, key: key)) { wrapped, part in
            let declared = wrapped?.traits.declared
            let lifetime = wrapped?.traits.lifetime.ofDecorator ?? .lazy
            // Where a cell keeps the service, it is created before the decorator asks for it.
            let isAsync = wrapped?.traits.isAsync ?? false && !lifetime.isKept
            var traits = RegistrationTraits(type, lifetime, isolation, location, declared, isAsync: isAsync)
            traits.receivesResolver = receivesResolver
            traits.dependencies = [(type, nil, .decorated(part), .initializer)]
            traits.declaresDependencies = !receivesResolver
            let closure: Record<Service>.Closure = { resolver, arguments in
                let service = try resolver.core.resolve(type, wrappedBy: part, arguments, location)
                return try body(resolver, service)
            }
            if !isAsync { return Record(traits, closure: closure) }
            let (place, body) = (traits.isolation, UncheckedBox(body))
            let asyncClosure: Record<Service>.AsyncClosure = { resolver, arguments in
                let request = Request(Identity(type, nil, .decorated(part)), arguments, ("resolve", location))
                let instance = required(try await resolver.core.provideInTask(request, isolation: nil))
                return try await place.run { UncheckedBox(try body.value(resolver, instance.service(as: type))) }
            }
            return Record(traits, asyncClosure: asyncClosure)
        }
    }
}

extension LocatorCore {
    private typealias Decorator = (record: AnyRecord, part: Locator.Identity.Decorated)

    /// Registers decorators of the registrations with an identity, or of the parent's.
    ///
    /// - Parameter makeRecord: Returns the decorator of a record, which it requests by its part.
    fileprivate func decorate(
        _ identity: Locator.Identity,
        by makeRecord: (AnyRecord?, Locator.Identity.Decorated) -> AnyRecord
    ) {
        // A closed locator ignores registrations.
        while !isClosing {
            let present = registrations(as: identity).compactMap { LocatorCore.found($0) }
            if let final = present.first(where: \.record.traits.isFinal) {
                fatalError(InjectleError.forbidden(final.entry.identity, in: self, taken: final).description)
            }
            func decorator(of record: AnyRecord?, as identity: Locator.Identity) -> Decorator {
                let part = Locator.Identity.Decorated(identity, self)
                let decorator = makeRecord(record, part)
                decorator.traits.list(identity)
                decorator.prepare(for: self)
                return (decorator, part)
            }
            if present.isEmpty {
                let inherited = parent?.find(identity, byKeyAlone: false)
                if inherited == nil, registerDefault(for: identity) { continue }
                if insertIfAbsent(decorator(of: inherited?.record, as: identity).record) { return }
            } else {
                let decorators = present.map { decorator(of: $0.record, as: $0.entry.identity) }
                if insert(decorators, decorating: present) { return }
            }
        }
    }

    /// Inserts a decorator for each registration, which gets another identity. Returns false if one has been replaced since.
    private func insert(_ decorators: [Decorator], decorating present: [Found]) -> Bool {
        var removed: Removed = ([], [])
        var isOpen = false
        let isInserted = state.withLock { state in
            if isTerminated { return true }
            isOpen = true
            guard present.allSatisfy({ $0.entry.record === $0.record && !$0.record.isEnded }) else { return false }
            for ((decorator, part), found) in zip(decorators, present) {
                let identity = found.entry.identity
                let wrapped = Entry(self, Locator.Identity(identity.type, identity.keyed, .decorated(part)))
                state.decorated.append(wrapped)
                insert(found.record, at: wrapped, in: nil, nil, &state, &removed)
                found.record.entries.removeAll { $0 === found.entry }
                insert(decorator, at: found.entry, in: nil, nil, &state, &removed)
            }
            return true
        }
        if isInserted { finish(removed, registering: isOpen ? decorators.map(\.record) : []) }
        return isInserted
    }

    /// The service that a decorator, which this locator creates, wraps.
    fileprivate func resolve<Service>(
        _ type: Service.Type,
        wrappedBy part: Locator.Identity.Decorated,
        _ arguments: Arguments?,
        _ location: SourceLocation
    ) throws(InjectleError) -> Service {
        let identity = Locator.Identity(type, nil, .decorated(part))
        let instance = try provide(Request(identity, arguments, ("resolve", location)))
        return required(instance).service(as: type)
    }
}

extension AnyRecord {
    /// The wrapped service, if it is a decorator.
    var decorated: Locator.Identity.Decorated? {
        if case .decorated(let decorated)? = traits.dependencies.first?.role { decorated } else { nil }
    }
}
