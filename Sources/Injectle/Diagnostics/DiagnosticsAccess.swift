// What `InjectleDiagnostics` needs from this module beside public symbols: the facts of registrations, and their
// lookup. Only `create()` creates a service.

/// A locator, for `InjectleDiagnostics`.
package struct LocatorFacts {
    let core: LocatorCore

    package var id: ObjectIdentifier { ObjectIdentifier(core) }
    package func isNamed(_ name: String) -> Bool { core.isNamed(name) }
    package var name: String? { core.name }
    /// The locator in texts: "the locator "app"".
    package var title: String { core.title }
    /// The locator and its ancestors, nearest first.
    package var chain: [LocatorFacts] { core.chain.map { LocatorFacts(core: $0) } }
    /// Its own registrations, in order of registration, each once per identity.
    package var registrations: [RegistrationFacts] { core.registrations.map(\.facts) }

    /// Whether no nearer registration hides one of an ancestor.
    package func finds(_ registration: RegistrationFacts) -> Bool {
        core.isVisible(registration.found)
    }

    /// Whether the locator has an instance of a registration.
    package func hasInstance(of registration: RegistrationFacts) -> Bool { core.hasInstance(of: registration.record) }

    /// The result of a lookup, in facts.
    package enum LookupFacts {
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
    package func lookUp(_ identity: Locator.Identity) -> LookupFacts {
        let request = Request(identity, nil, Request.Origin("resolve", SourceLocation(#fileID, #line)))
        guard let provision = try? core.lookUp(request, registersDefaults: false) else {
            let found = core.registrationsWithArguments(as: identity)
            return found.isEmpty ? .missing : .otherArguments(found.map(\.facts))
        }
        switch provision {
        case .registration(let found): return .registration(found.facts)
        case .composed(let type): return type.facts(of: request, in: core)
        case .nothing: return .nothing
        }
    }

    /// The elements of the list of a type and key.
    package func contributions(to identity: Locator.Identity) -> [RegistrationFacts] {
        core.contributions(to: identity).map(\.facts)
    }

    /// The parent, if there is one.
    package var parent: LocatorFacts? { core.parent.map { LocatorFacts(core: $0) } }

    /// The changes that the error of a missing service proposes, the likeliest first.
    ///
    /// - Parameters:
    ///   - owner: The service that requests it, if all children share that.
    ///   - child: The name of the child that has it, if that is known.
    package func fixes(
        forMissing identity: Locator.Identity,
        of owner: RegistrationFacts?,
        inChild child: String?
    ) -> [String] {
        var report = InjectleError.Report(path: [], identity: identity)
        report.addSimilar(in: core, nil, InjectleError.Creators(shared: owner?.identity, child: child))
        return report.fixes
    }

    /// The first behavior of a type, of this locator or of its nearest ancestor that has one.
    package func behavior<Behavior>(as type: Behavior.Type) -> Behavior? {
        core.chain.lazy.compactMap { core in
            core.state.withLock { $0.extras?.behaviors ?? [] }.lazy.compactMap { $0.behavior as? Behavior }.first
        }.first
    }
}

/// A registration under one of its identities, for `InjectleDiagnostics`.
package struct RegistrationFacts {
    let found: Found

    var entry: Entry { found.entry }
    var record: AnyRecord { found.record }
    /// Whether it contributes to a list.
    package var isContribution: Bool { found.isContribution }
    /// Its identity in texts, with the arguments that it declares.
    package var title: String { found.title }

    /// Equal for all identities of the registration.
    package var id: ObjectIdentifier { ObjectIdentifier(record) }
    package var locator: LocatorFacts { LocatorFacts(core: entry.core) }
    package var identity: Locator.Identity { found.identity }
    package var identities: [Locator.Identity] { record.traits.identities }
    /// The text of the key.
    package var key: String? {
        identity.keyed?.description
    }
    /// The type of the service, as the closure returns it.
    package var serviceType: Any.Type { record.traits.serviceType }
    /// The type of the service; of an existing instance, its own, which can be more specific than the registration's.
    package var knownType: Any.Type { record.readyInstance.map { Swift.type(of: $0.any) } ?? serviceType }
    /// Whether the closure can return nil instead of a service.
    package var canBeNil: Bool { !isSupplied && unwrapped(serviceType) != serviceType }
    /// Whether the type is a protocol, so that only an instance has the type of the service.
    package var hasUnknownType: Bool { isAbstract(knownType) && !(knownType is AnyClass) }
    /// The file and line.
    package var location: String { record.traits.location.description }

    // MARK: Lifetime

    package var lifetime: Locator.Lifetime { record.traits.lifetime }
    /// The lifetime, or the parts of a composite one.
    package var lifetimeParts: [Locator.Lifetime] { lifetime.parts }
    /// Whether the locator of the registration creates the instance, whichever of its descendants requests it.
    package var isSharedWithDescendants: Bool { lifetime.isSharedWithDescendants }
    /// Whether locators or scopes have instances of their own.
    package var isPerOwner: Bool { lifetime.usesScopes || lifetime.usesOtherLocators }
    /// Whether a cache keeps the instance after the resolve.
    package var isCached: Bool { lifetime.isKept }
    /// Whether a cache returns the instance of the first arguments also for other ones.
    package var ignoresArguments: Bool {
        needsArguments && !lifetime.isPerArgument && lifetimeParts.contains(where: \.ignoresLaterArguments)
    }
    /// Whether a start creates the instance.
    package var startsAutomatically: Bool { record.startsAutomatically }
    /// Whether it is marked to be created at the start.
    package var isAtStart: Bool { record.traits.isAtStart }
    package var isFinal: Bool { record.traits.isFinal }
    /// Whether it was registered with its instance.
    package var isSupplied: Bool { record.traits.lifetime.isSupplied }

    // MARK: Closure

    /// Whether the service is `Sendable`. Nil if the registration does not tell.
    package var isSendable: Bool? { record.traits.isSendable }
    package var isAsync: Bool { record.traits.isAsync }
    /// The actor of the closure in texts, or "any thread".
    package var isolation: String { record.traits.isolation.name }
    package var isIsolated: Bool { record.traits.isolation.isActor }
    package var isOnMainActor: Bool { record.traits.isolation.isMainActor }
    package func isOnSameActor(as other: RegistrationFacts) -> Bool {
        record.traits.isolation.isSameActor(as: other.record.traits.isolation)
    }
    package var declaresArguments: Bool { record.traits.declared != nil }
    /// The types of the arguments that callers pass to an initializer.
    package var passedArguments: [Any.Type] { record.traits.passed }
    /// Whether only a request with arguments gets the service.
    package var needsArguments: Bool { declaresArguments || !passedArguments.isEmpty }
    /// A request with its arguments, as source code with their types in place of them.
    package var callWithArguments: String {
        call(of: identity, passing: record.traits.declared ?? passedArguments)
    }
    /// Whether an argument that callers pass replaces the service of a type.
    package func passesArgument(for type: Any.Type) -> Bool {
        passedArguments.contains { unwrapped(type) != Any.self && everyValue(of: $0, is: type) == true }
    }
    /// Whether the closure can resolve services.
    package var receivesResolver: Bool { record.traits.receivesResolver }

    /// The requests that its closure and its modifiers declare. A closure can pass arguments to the dependencies of a
    /// modifier, or not resolve them at all.
    package var dependencies: [(identity: Locator.Identity, source: DependencySource)] {
        record.traits.dependencies.map { (Locator.Identity($0.type, $0.key), $0.source) }
    }
    /// Whether these are all.
    package var declaresDependencies: Bool { record.traits.declaresDependencies }
    /// Whether a request within the creation of an instance gets it, once its initializer has returned.
    package var hasEarlyInstance: Bool {
        let isShared = !lifetime.isTransient && !lifetime.usesScopes && !record.copiesPrototype
        return isShared && serviceType is AnyClass
    }
    /// Whether its closure decorates the service of another registration.
    package var isDecorator: Bool { record.traits.isDecorator }
    /// Whether checks leave it out.
    package var isSkipped: Bool { record.traits.isSkipped }

    /// Creates an instance, as a request to its locator does. An existing one stays.
    package func create() async throws(InjectleError) {
        let request = Request(identity, nil, Request.Origin("checkByCreating", record.traits.location))
        _ = try await entry.core.provideInTask(request, of: found, isolation: #isolation)
    }

    // MARK: Lookup

    /// Whether a request has found it by its key, although it is registered as another type.
    package var isFoundByKeyAlone: Bool { found.isFoundByKeyAlone }

    /// The registration of an ancestor that it hides.
    package var shadowed: RegistrationFacts? {
        entry.core.parent?.find(identity).found?.facts
    }

    /// Whether no instance can be of the type of the identity, as far as that is known without one.
    package var neverHasItsType: Bool { !canConformElsewhere && record.isKnown(toBe: identity.type) == false }

    /// Whether only the actor of the closure can have the conformance to the type. The same wherever the calling code
    /// runs, since a cast finds an isolated conformance on its actor.
    package var conformsOnItsActorOnly: Bool {
        let type = identity.type
        if !isIsolated || neverHasItsType || type is AnyClass || type == serviceType { return false }
        return Gate.onThreadWithoutActor { [record] in record.isKnown(toBe: type) } == false
    }

    /// A conformance can be isolated to the actor of the closure, where alone a cast finds it.
    private var canConformElsewhere: Bool { !record.traits.isolation.isHere && !(identity.type is AnyClass) }

    /// Whether a request for a type with the key of the registration gets its service.
    package func provides(_ type: Any.Type) -> Bool {
        !isContribution && record.traits.declared == nil
            && (identity.type == type || record.isKnown(toBe: type) == true)
    }
}

extension Found {
    var facts: RegistrationFacts { RegistrationFacts(found: self) }
}

extension Locator.Identity {
    /// Whether values of other types can be of its type.
    package var isOfProtocol: Bool { isAbstract(type) && !(type is AnyClass) }

    /// The request for a type, which can be composed, and a key.
    package init(requesting type: Any.Type, key: AnyHashable?) {
        self.init(type, Locator.Key.make(key))
    }

    /// The type and the key as arguments in source code.
    package var sourceText: String { reference(self) }
}

/// A check was given a type, and has no instance of it.
private struct PlaceholderWasRead: Error, CustomStringConvertible {
    let description = "The check was given its type alone. Check a child that has a value of the type."
}

extension Locator {
    package var facts: LocatorFacts { LocatorFacts(core: core) }

    /// The registration whose service the calling code creates or is created for.
    package static var registrationInProgress: RegistrationFacts? {
        guard let link = Frame.creationInProgress, let record = link.record, let entry = link.entry else { return nil }
        return Found(entry: entry, record: record).facts
    }

    /// Whether a hook of that registration calls the code, so that requests for its service get the instance.
    package static var isHookInProgress: Bool { Frame.creationInProgress?.early != nil }

    /// Calls `body` with a child that exists meanwhile, and that has registrations of some types. It sends no events.
    package func withPlaceholders<Result>(
        of identities: [Identity],
        inChild name: Name?,
        _ fileID: StaticString,
        _ line: UInt,
        _ body: (Locator) -> Result
    ) -> Result {
        var child: Locator?
        LocatorCore.markBehavior(true) {
            child = Locator(name, placeholders: identities, SourceLocation(fileID, line), self)
        }
        defer { LocatorCore.markBehavior(true) { child = nil } }
        return body(required(child))
    }

    /// A child with registrations of some types, none of which has an instance.
    private convenience init(
        _ name: Name?,
        placeholders identities: [Identity],
        _ location: SourceLocation,
        _ parent: Locator
    ) {
        self.init(name, parent: parent)
        for identity in identities {
            var traits = RegistrationTraits(identity.type, .lazy, nil, location)
            traits.list(identity)
            let closure: Record<Never>.Closure = { _, _ in throw PlaceholderWasRead() }
            let record = Record(traits, closure: closure)
            record.prepare(for: core)
            _ = core.insertIfAbsent(record)
        }
    }
}
