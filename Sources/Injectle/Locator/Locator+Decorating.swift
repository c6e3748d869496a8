// A decorator takes the place of a registration, and has its lifetime. It requests the registration, which stays at a
// hidden entry with its cells, disposers and creations in progress, so that `decorate` can run beside any request.
// Where the registration belongs to an ancestor, the decorator requests the service from the parent.

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
    /// It decorates the present registrations of this locator for the type and key: for any arguments, and each element
    /// of a list. Several decorators apply in the order of the calls, the last one outermost. Without a registration of
    /// its own, the locator decorates the service of its parent, for itself and its children. A later registration
    /// replaces the service with its decorators.
    ///
    /// The decorator has the lifetime of the service, so a singleton is decorated once, also one that exists. The hooks
    /// of the service, such as `onDispose`, get the service without the decorator. If the service is async, or the
    /// decorator and the service belong to different actors, so is a resolve that creates it. The decorator of a
    /// service that is missing throws ``InjectleError/missing``. Decorating a ``Registration/final()`` registration
    /// traps.
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

    /// Rejects a closure that receives the service before the resolver.
    @available(*, unavailable, message: "the resolver comes first: '{ locator, service in … }'")
    @_disfavoredOverload
    public func decorate<Service>(
        _: Service.Type,
        key: AnyHashable? = nil,
        _: (Service, Resolver) throws -> Service
    ) {
        fatalError("unavailable")
    }

    private func decorate<Service>(
        _ type: Service.Type,
        _ key: AnyHashable?,
        _ isolation: (any Actor)?,
        _ location: SourceLocation,
        receivesResolver: Bool,
        _ body: @escaping (Resolver, Service) throws -> Service
    ) {
        core.decorate(Identity(type, key: key)) { decorated, isWrapped, listing in
            var traits = RegistrationTraits(type, of: decorated, isWrapped: isWrapped, isolation: isolation, location)
            traits.list(listing.identity, isContribution: listing.isContribution)
            traits.receivesResolver = traits.receivesResolver || receivesResolver
            if receivesResolver {
                // `depending(on:)` of the service declares what its decorators resolve, too. An initializer cannot.
                let declared = decorated.record?.traits.dependencies.filter { $0.source == .modifier } ?? []
                if !isWrapped { traits.dependencies += declared }
                traits.declaresDependencies = !declared.isEmpty
            }
            return Record(traits, decorator: Record.Decorator(decorated: decorated, body: body))
        }
    }
}

/// What a decorator requests.
enum DecoratedService {
    /// A registration of the same locator, at an entry that only the decorator has.
    case registration(Found)
    /// What the parent of the decorator's locator has, and the registration that this was at first.
    case inherited(AnyRecord?)

    var record: AnyRecord? {
        switch self {
        case .registration(let found): found.record
        case .inherited(let record): record
        }
    }
}

extension RegistrationTraits {
    /// The traits of a decorator.
    ///
    /// - Parameter isWrapped: Whether requests find the decorated registration only by the decorator.
    fileprivate init(
        _ type: Any.Type,
        of decorated: DecoratedService,
        isWrapped: Bool,
        isolation: (any Actor)?,
        _ location: SourceLocation
    ) {
        let other = decorated.record?.traits
        // The decorator runs on the actor of the closure, unless it was written on another one.
        let actor = isolation ?? (isWrapped ? other?.isolation.actor : nil)
        self.init(type, other?.lifetime.ofDecorator ?? .lazy, actor, location, other?.declared)
        isDecorator = true
        isAsync = other?.isAsync ?? false
        isAtStart = other?.isAtStart ?? false
        isSkipped = other?.isSkipped ?? false
        switch decorated {
        case .registration(let found) where isWrapped:
            let traits = found.record.traits
            dependencies = traits.dependencies
            declaresDependencies = traits.declaresDependencies
            receivesResolver = traits.receivesResolver
            if traits.isolation.isActor, !self.isolation.isSameActor(as: traits.isolation) { isAsync = true }
        case .registration(let found):
            let identity = found.record.traits.identity
            dependencies = [Dependency(type: identity.type, key: identity.keyed, source: .initializer)]
            declaresDependencies = true
        case .inherited:
            dependencies = [Dependency(type: type, key: nil, source: .inherited)]
            declaresDependencies = true
        }
    }
}

extension LocatorCore {
    /// Registers decorators in the place of the registrations with an identity, or one of the parent's.
    fileprivate func decorate(
        _ identity: Locator.Identity,
        by makeRecord: (DecoratedService, _ isWrapped: Bool, Locator.Listing) -> AnyRecord
    ) {
        // A closed locator ignores registrations.
        while !closeHasBegun {
            let revision = state.withLock { $0.revision }
            let present = registrations(as: identity)
            if let final = present.first(where: \.record.traits.isFinal) {
                fatalError(InjectleError.forbidden(final.entry.identity, in: self, taken: final).description)
            }
            if present.isEmpty {
                let inherited = parent?.find(identity).found
                if inherited == nil, registerDefault(for: identity) { continue }
                let listing = Locator.Listing(identity: identity, isContribution: false)
                let decorator = makeRecord(.inherited(inherited?.record), false, listing)
                decorator.prepare(for: self)
                if insertIfAbsent(decorator) { return }
            } else {
                let decorators = present.map { found in
                    let wrapped = Found(entry: Entry(self, found.entry.identity, isWrapped: true), record: found.record)
                    let isWrapped = state.withLock { _ in found.record.entries.isSingle }
                    let decorator = makeRecord(.registration(wrapped), isWrapped, found.listing)
                    decorator.prepare(for: self)
                    return decorator
                }
                if replace(present, by: decorators, ifUnchangedSince: revision) { return }
            }
        }
    }

    /// Puts decorators in the place of registrations, which keep their instances and the creations in progress. Returns
    /// false if the registrations have changed since.
    private func replace(_ present: [Found], by decorators: [AnyRecord], ifUnchangedSince revision: Int) -> Bool {
        var removed = Removed()
        var registered = [AnyRecord]()
        let isReplaced = state.withLock { state in
            if hasEnded { return true }
            guard state.revision == revision else { return false }
            registered = decorators
            countChange(&state)
            for (found, decorator) in zip(present, decorators) {
                decorator.order = found.record.order
                decorator.isOverridable = found.record.isOverridable
                addWrapped(of: decorator, &state)
                decorator.add(found.entry)
                let instance = found.entry.state.withLock { $0.replace(found.record, by: decorator) }
                if let instance { removed.objects.append(instance) }
                found.record.remove(found.entry)
            }
            return true
        }
        if !isReplaced { return false }
        for decorator in registered {
            send(.didRegister, of: decorator, as: decorator.traits.identity)
        }
        withExtendedLifetime(removed) {}
        return true
    }

    /// Adds the entry where a decorator has its registration. The lock is held.
    func addWrapped(of decorator: AnyRecord, _ state: inout State) {
        guard case .registration(let found)? = decorator.decorated else { return }
        found.entry.state.withLock { $0.record = found.record }
        found.record.add(found.entry)
        state.ensuredExtras.wrapped.append(found.entry)
    }

    /// Ends what a decorator that has ended requests, unless it has other identities. The lock is held.
    func endWrapped(of decorator: AnyRecord, isReplaced: Bool, _ state: inout State, _ removed: inout Removed) {
        guard case .registration(let found)? = decorator.decorated, !found.record.isEnded else { return }
        if found.record.entries.isSingle {
            endRegistration(found.record, isReplaced: isReplaced, &state, &removed)
        } else {
            removed.objects.append(found.entry)
            if let instance = empty(found.entry, of: found.record, &state) { removed.objects.append(instance) }
            found.record.remove(found.entry)
        }
    }
}

extension Entry.State {
    /// Replaces a registration by its decorator. Returns the instance that reads have found.
    fileprivate mutating func replace(_ record: AnyRecord, by decorator: AnyRecord) -> AnyInstance? {
        withArguments = withArguments.map { $0 === record ? decorator : $0 }
        contributions = contributions.map { $0 === record ? decorator : $0 }
        guard self.record === record else { return nil }
        self.record = decorator
        reference = nil
        return instance.take()
    }
}
