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
        let isolation = ClosureIsolation(isolation)
        core.decorate(Identity(type, key: key)) { decorated, part in
            let declared = decorated?.declared
            let record = unsafe RegistrationRecord(
                of: type,
                decorated?.lifetime.ofDecorator ?? .lazy,
                at: isolation,
                location,
                RegistrationRecord.RareFields(declared: declared)
            ) { core, arguments, storage in
                unsafe initialize(storage) {
                    let service = try unsafe core._withUnsafeGuaranteedRef { core in
                        try core.resolveDecorated(type, part, arguments, location)
                    }
                    // The arguments that a closure declares are not matched to dependencies by type.
                    return try unsafe core.withResolver(declared == nil ? arguments : nil) { try body($0, service) }
                }
            }
            record.receivesResolver = receivesResolver
            record.ownRareFields.dependencies = [Dependency(type: type, keyPart: part)]
            record.ownRareFields.declaresDependencies = !receivesResolver
            return record
        }
    }
}

extension LocatorCore {
    /// Registers decorators of the registrations with an identity, or of the parent's.
    ///
    /// - Parameter makeRecord: Returns the decorator of a record, which it requests by a key part.
    fileprivate func decorate(
        _ identity: Locator.Identity,
        by makeRecord: (RegistrationRecord?, Locator.Identity.KeyPart) -> RegistrationRecord
    ) {
        while true {
            let entries = entries(as: identity.type, userKey: identity.userKey)
            if let final = entries.first(where: \.record.isFinal) {
                fatalError(InjectleError.forbidden(final.identity, in: self, taken: final).description)
            }
            func decorator(of decorated: RegistrationRecord?, as identity: Locator.Identity) -> Decorator {
                let part = Locator.Identity.KeyPart(decorating: identity, in: self)
                let record = makeRecord(decorated, part)
                record.list(identity)
                return (record, part)
            }
            if entries.isEmpty {
                let inherited = parent?.find(identity, byKeyAlone: false)
                if inherited == nil, registerDefault(for: identity) { continue }
                if insertIfAbsent(decorator(of: inherited?.record, as: identity).record) { return }
            } else {
                let decorators = entries.map { decorator(of: $0.record, as: $0.identity) }
                if insert(decorators, decorating: entries) { return }
            }
        }
    }

    private typealias Decorator = (record: RegistrationRecord, part: Locator.Identity.KeyPart)

    /// Inserts a decorator for each entry, which gets another identity. Returns false if one has been replaced since.
    private func insert(
        _ decorators: [Decorator],
        decorating entries: [Entry]
    ) -> Bool {
        lock.withRetireList { retired in
            if isTerminated { return true }
            guard !entries.contains(where: \.isDetached) else { return false }
            for (decorator, entry) in zip(decorators, entries) {
                let decorated = Locator.Identity(type: entry.identity.type, keyPart: decorator.part)
                unsafe insert(entry.record, as: decorated, &retired)
                unsafe insert(decorator.record, as: entry.identity, replacing: entry, &retired)
                reportRegistration(decorator.record, &retired)
            }
            // The instances of a decorated service can outlive its decorator.
            mustBeEmptied = true
            return true
        }
    }

    /// The entry of a decorated registration: in this locator or an ancestor, or else of the parent of the decorator's.
    func findDecorated(
        _ decorated: Locator.Identity.Decorated,
        as request: Locator.Identity,
        given arguments: Arguments?
    )
        -> Entry?
    {
        for core in chain {
            let entry = core.entries(tagged: request.tag).first { $0.identity.keyPart === request.keyPart }
            // An `Optional` of the type is composed of it.
            if let entry { return entry.identity.type == request.type ? entry : nil }
            guard ObjectIdentifier(core) == decorated.core else { continue }
            let identity = Locator.Identity(type: request.type, keyPart: decorated.identity.userKey)
            return core.parent?.find(identity, given: arguments, byKeyAlone: false)
        }
        return nil
    }

    /// The service that a decorator, which this locator creates, wraps.
    fileprivate func resolveDecorated<Service>(
        _ type: Service.Type,
        _ part: Locator.Identity.KeyPart,
        _ arguments: Arguments?,
        _ location: SourceLocation
    ) throws(InjectleError) -> Service {
        var request = ResolveRequest(type: type, keyPart: part, location: location, isOptional: false)
        request.arguments = arguments
        let service = try unsafe received(type) { storage throws(InjectleError) in
            try unsafe Resolution.provide(request, in: self, into: storage)
        }
        return required(service)
    }

    /// Removes the registration that a removed decorator has requested. The lock is held.
    func takeOutDecorated(by record: RegistrationRecord, _ retired: inout RetireList) {
        guard let part = record.decoratedPart else { return }
        for identity in record.identities {
            let tag = Locator.Identity(type: identity.type, keyPart: part).tag
            for entry in index.entries(tagged: tag) where entry.identity.keyPart === part { takeOut(entry, &retired) }
        }
    }
}

extension RegistrationRecord {
    /// The key part by which a decorator requests the registration that it decorates.
    var decoratedPart: Locator.Identity.KeyPart? {
        dependencies.first?.keyPart.flatMap { $0.decorated == nil ? nil : $0 }
    }
}

extension Locator.Identity {
    /// The registration that a decorator wraps.
    final class Decorated {
        /// The identity that it had before.
        let identity: Locator.Identity
        /// The locator of the decorator, which a copy of that can outlive.
        let core: ObjectIdentifier

        init(_ identity: Locator.Identity, _ core: LocatorCore) {
            self.identity = identity
            self.core = ObjectIdentifier(core)
        }
    }
}
