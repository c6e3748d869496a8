// What `InjectleDiagnostics` needs from this module beside public symbols: the facts of registrations, and their lookup.
// Nothing here creates a service.

/// A locator, for `InjectleDiagnostics`.
package struct LocatorFacts {
    let core: LocatorCore

    package var id: ObjectIdentifier { ObjectIdentifier(core) }
    package func isNamed(_ name: String) -> Bool { core.isNamed(name) }
    /// The locator in texts: "the locator "app"".
    package var title: String { core.title }
    /// The locator and its ancestors, nearest first.
    package var chain: [LocatorFacts] { core.chain.map { LocatorFacts(core: $0) } }
    /// Its own registrations, in order of registration, each once per identity.
    package var registrations: [RegistrationFacts] { core.ownEntries.facts }

    /// Whether no nearer registration hides one of an ancestor.
    package func finds(_ registration: RegistrationFacts) -> Bool {
        core.isVisible(registration.record, as: registration.identity)
    }

    /// Whether the locator has an instance of a registration.
    package func hasInstance(of registration: RegistrationFacts) -> Bool { core.hasInstance(of: registration.record) }

    /// The result of a lookup.
    package enum Lookup {
        case registration(RegistrationFacts)
        /// A list.
        case list([RegistrationFacts])
        /// An optional of the type of a request.
        case optional(Locator.Identity)
        /// A value that makes a request later: once, or at each call.
        case later(Locator.Identity, keepsFirst: Bool)
        /// A value that needs no service.
        case nothing
        case missing
        /// There are registrations, for other arguments than none.
        case otherArguments([RegistrationFacts])
    }

    /// Looks a request up as a resolve does.
    package func lookUp(_ identity: Locator.Identity) -> Lookup {
        if identity.isContribution {
            let entries = core.contributions(to: identity.type, userKey: identity.userKey)
            return .list(entries.facts)
        }
        let request = ResolveRequest(
            type: identity.type,
            keyPart: identity.requestedPart,
            location: SourceLocation(#fileID, #line),
            isOptional: false
        )
        guard let found = try? Resolution.find(request, in: core) else {
            let entries = core.entriesDeclaringArguments(as: request.identity)
            return entries.isEmpty ? .missing : .otherArguments(entries.facts)
        }
        if let entry = found.entry { return .registration(RegistrationFacts(entry: entry)) }
        return switch found.composed?.composition(of: request, in: core) {
        case .service(let part): .optional(part.identity)
        case .later(let part, let keepsFirst): .later(part.identity, keepsFirst: keepsFirst)
        case .list(let entries): .list(entries.facts)
        case .nothing, nil: .nothing
        }
    }

    /// The changes that the error of a missing service proposes, the likeliest first.
    package func fixes(forMissing identity: Locator.Identity) -> [String] {
        var report = InjectleError.Report(path: [], identity: identity)
        report.addSimilar(in: core, nil, createdFor: nil, orOwn: nil)
        return report.facts.filter { $0.label == "fix" || $0.label == "or" }.map(\.text)
    }

    /// The first behavior of a type, of this locator or of its nearest ancestor that has one.
    package func behavior<Behavior>(as type: Behavior.Type) -> Behavior? {
        core.chain.lazy.compactMap { core in
            core.lock.withLock { core.behaviors }.lazy.compactMap { $0.behavior as? Behavior }.first
        }.first
    }
}

/// A registration under one of its identities, for `InjectleDiagnostics`.
package struct RegistrationFacts {
    let entry: Entry
    fileprivate var record: RegistrationRecord { entry.record }

    /// The same for each of its identities.
    package var id: ObjectIdentifier { ObjectIdentifier(record) }
    package var locator: LocatorFacts { LocatorFacts(core: entry.core) }
    package var identity: Locator.Identity { entry.identity }
    package var identities: [Locator.Identity] { record.identities }
    /// The text of the key.
    package var key: String? {
        (identity.keyPart?.decorated?.identity ?? identity).userKey?.description
    }
    /// The type of the service, as the closure returns it.
    package var serviceType: Any.Type { record.serviceType }
    /// The file and line.
    package var location: String { record.location.description }

    // MARK: Lifetime

    package var lifetime: Locator.Lifetime { record.lifetime }
    /// The lifetime, or the parts of a composite one.
    package var lifetimeParts: [LifetimePart] { record.lifetime.partsForDiagnostics }
    /// Whether a start creates the instance.
    package var startsAutomatically: Bool { record.startsAutomatically }
    /// Whether it is marked to be created at the start.
    package var isAtStart: Bool { record.isAtStart }
    package var isFinal: Bool { record.isFinal }
    /// Whether it was registered with its instance.
    package var isGiven: Bool { record.isInstanceGiven }

    // MARK: Closure

    package var isAsync: Bool { record.isAsynchronous }
    /// The actor of the closure in texts, or "any thread".
    package var isolation: String { record.isolation.name }
    package var isIsolated: Bool { record.isolation.isActor }
    package var isOnMainActor: Bool { record.isolation.isMainActor }
    package func isOnSameActor(as other: RegistrationFacts) -> Bool {
        record.isolation.isSameActor(as: other.record.isolation)
    }
    /// The source lines that have waited for the closure on the main actor.
    package var mainActorCallers: [String] { record.mainActorCallers?.all ?? [] }
    package var declaresArguments: Bool { record.declared != nil }
    /// Whether the closure can resolve services.
    package var receivesResolver: Bool { record.receivesResolver }

    /// The requests that its closure and its modifiers declare. A closure can pass arguments to the dependencies of a
    /// modifier, or not resolve them at all.
    package var dependencies: [(identity: Locator.Identity, isByModifier: Bool)] {
        record.dependencies.map { (Locator.Identity(type: $0.type, keyPart: $0.keyPart), $0.isByModifier) }
    }
    /// Whether these are all.
    package var declaresDependencies: Bool { record.declaresDependencies }

    // MARK: Lookup

    package var isContribution: Bool { identity.isContribution }
    /// Whether a decorator alone requests it.
    package var isDecorated: Bool { identity.isDecorated }
    /// Whether a request has found it by its key, although it is registered as another type.
    package var isFoundByKeyAlone: Bool { entry.role != .registered }

    /// The registration of an ancestor that it hides.
    package var hidden: RegistrationFacts? {
        entry.core.parent?.find(identity, byKeyAlone: false).map { RegistrationFacts(entry: $0) }
    }

    /// Whether no instance can be of the type of the identity, as far as that is known without one.
    package var neverHasItsType: Bool {
        let type = identity.type
        if type == record.serviceType { return false }
        if let given = entry.given { return given.cast(to: type) == nil }
        return isKnownToDiffer(record.serviceType, from: type)
    }
}

extension [Entry] {
    fileprivate var facts: [RegistrationFacts] { map { RegistrationFacts(entry: $0) } }
}

/// What a lifetime says about the creator and the end of an instance.
package enum LifetimePart: Equatable {
    /// Created for each request, or for each resolve.
    case perRequest
    case perLocator
    case perNamedLocator(String)
    /// Created by the locator with the registration, for all of its descendants.
    case shared
    /// The same, while something else holds it.
    case weak
    case custom
}

extension Locator.Lifetime {
    fileprivate var partsForDiagnostics: [LifetimePart] {
        switch kind {
        case .volatile, .graph: [.perRequest]
        case .perLocator: [.perLocator]
        case .perNamedLocator: [.perNamedLocator(details?.name ?? "")]
        case .eager, .lazy, .factory, .perArgument: [.shared]
        case .weak: [.weak]
        case .custom: [.custom]
        case .composite: details?.parts.flatMap(\.partsForDiagnostics) ?? []
        }
    }
}

extension Locator.Identity {
    /// The request for a type, which can be composed, and a key.
    package init(requesting type: Any.Type, key: AnyHashable?) {
        self.init(type: type, keyPart: KeyPart.make(key))
    }

    /// Whether a decorator alone requests it.
    package var isDecorated: Bool { keyPart?.decorated != nil }

    /// Whether it is an element of a list.
    package var isElement: Bool { isContribution }

    /// The type and the key as arguments in source code.
    package var sourceText: String { reference(self) }
}

extension Locator {
    package var facts: LocatorFacts { LocatorFacts(core: core) }

    /// The registration whose service the calling code creates or is created for.
    package static var registrationInProgress: RegistrationFacts? {
        Frame.creationsInProgress.first { _ in true }.map { RegistrationFacts(entry: $0.entry) }
    }

    /// Calls `body` with a child that exists meanwhile, and that has registrations of some types. It sends no events.
    package func withPlaceholders(
        of identities: [Identity],
        inChild name: String?,
        _ fileID: StaticString,
        _ line: UInt,
        _ body: (LocatorFacts) -> Void
    ) {
        EventDispatch.mark(true) {
            let child = Locator(name, parent: self)
            for identity in identities {
                let location = SourceLocation(fileID, line)
                let record = unsafe RegistrationRecord(of: identity.type, .lazy, at: .anywhere, location)
                record.list(identity)
                child.core.lock.withRetireList { _ = unsafe child.core.insert(record, as: identity, &$0) }
            }
            body(child.facts)
            withExtendedLifetime(child) {}
        }
    }
}

/// A behavior that is notified of the properties of services.
package protocol PropertyObserver: Locator.Behavior {
    /// Called when a property is created while the calling code creates a service.
    func didCreateProperty(of identity: Locator.Identity)
}

extension InjectionPoint {
    /// Notifies the observer of a property of the service that is being created.
    @inline(never)
    static func record(_ type: Any.Type, _ userKey: Locator.Identity.KeyPart?, in core: LocatorCore) {
        LocatorFacts(core: core).behavior(as: (any PropertyObserver).self)?
            .didCreateProperty(of: Locator.Identity(type: type, keyPart: userKey))
    }
}

/// Returns whether no value of a type can be cast to another one. False where that is not known without a value.
private func isKnownToDiffer(_ type: Any.Type, from other: Any.Type) -> Bool {
    let (type, other) = (unwrapped(type), unwrapped(other))
    // The value of a protocol or of a function can be of any type that conforms.
    if type == other || isAbstract(type) && !(type is AnyClass) { return false }
    func isSubtype<Other>(of _: Other.Type) -> Bool { type is Other.Type }
    if _openExistential(other, do: isSubtype) { return false }
    if other is AnyClass || !isAbstract(other) { return true }
    // A protocol: the metatype of its conforming types is not its own metatype, and has no spelling in generic code.
    guard let name = _mangledTypeName(other), let metatype = _typeByName(name + "Xp") else { return false }
    func isConforming<Metatype>(to _: Metatype.Type) -> Bool { (type as Any) is Metatype }
    return !_openExistential(metatype, do: isConforming)
}
