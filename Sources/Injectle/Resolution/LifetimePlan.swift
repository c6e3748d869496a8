internal import CInjectle

/// The caches that can hold the requested instance, in order, and the locator that creates it if none does.
///
/// Everything that depends on the lifetime of a registration is decided in this file.
struct LifetimePlan {
    /// A cache that can hold the instance.
    struct Candidate {
        let cache: any InstanceCache
        /// The arguments that distinguish the instances of one registration.
        var key: Arguments.Key?
        /// Whether the cache stores a weak reference.
        var isWeak = false
        /// The scope of the cache, retained until the instance is delivered.
        var owner: Locator.Scope?
        /// Whether the cache ends with the current resolve.
        var isGraphScoped = false
        /// Whether the cache is the property that the instance is injected into.
        var isProperty = false

        /// Whether dropping the instance disposes of it. A property's instance belongs to the code that reads it.
        var ownsInstance: Bool { !isWeak && !isProperty }
    }

    private(set) var candidates: [Candidate] = []
    /// The locator that creates the instance, and resolves its dependencies.
    private(set) var creator: LocatorCore
    /// The key of each candidate, if the lifetime is per argument.
    private var key: Arguments.Key?
    /// Whether the instance is the prototype of a factory.
    private(set) var isPrototype = false

    /// A plan without caches.
    init(creator: LocatorCore) {
        self.creator = creator
    }

    /// The plan for the prototype of a factory.
    static func prototype(of entry: Entry) -> LifetimePlan {
        var plan = LifetimePlan(creator: entry.core)
        plan.isPrototype = true
        plan.candidates = [Candidate(cache: entry.core)]
        return plan
    }

    /// The plan for a request that has found its entry.
    ///
    /// - Parameter property: The property that the instance is injected into, which caches it if nothing else does.
    init(for creation: Creation, _ property: InjectionPoint? = nil) throws(InjectleError) {
        let (entry, request, caller) = (creation.entry, creation.request, creation.caller)
        self.init(creator: caller)
        let lifetime = entry.record.lifetime
        if lifetime.isPerArgument, let arguments = request.arguments {
            key = arguments.key
            if key == nil { throw .unhashable(request, entry, arguments.unhashable ?? Any.self) }
        }
        try add(lifetime, for: creation)
        guard let property, !entry.record.isShared else { return }
        if candidates.contains(where: { !$0.isWeak && !$0.isGraphScoped }) {
            property.forgetOwn()
        } else {
            property.prepare(for: entry.record, requestedIn: caller)
            candidates.insert(Candidate(cache: property, isProperty: true), at: 0)
        }
    }

    /// Whether a custom lifetime determined a scope.
    var usesCustomScope: Bool { candidates.contains { $0.owner != nil } }

    private mutating func add(_ lifetime: Locator.Lifetime, for creation: Creation, isPart: Bool = false)
        throws(InjectleError)
    {
        let (entry, request, caller) = (creation.entry, creation.request, creation.caller)
        let registrant = entry.core
        switch lifetime.kind {
        case .eager, .lazy, .weak:
            let isWeak = lifetime.kind == .weak
            let cache: any InstanceCache = key == nil ? registrant : registrant.makeScopedCache()
            add(Candidate(cache: cache, isWeak: isWeak), createdBy: registrant)
        case .factory:
            creator = registrant
        case .volatile:
            break
        case .graph:
            // The outermost resolve needs no cache to create a single instance.
            guard let cache = Frame.graphCache(for: caller) else { return }
            // One resolve has few instances, so unhashable arguments are compared without a hash.
            let key = request.arguments.map { $0.key ?? ($0, hash: 0) }
            add(Candidate(cache: cache, key: key, isGraphScoped: true), createdBy: caller)
        case .perLocator:
            add(Candidate(cache: caller.makeScopedCache()), createdBy: caller)
        case .perNamedLocator:
            let name = lifetime.details?.name
            guard let named = caller.chain.first(where: { $0.isNamed(name) }) else {
                if isPart { return }
                throw .locatorNotFound(request, entry, named: name ?? "", from: caller)
            }
            if named.isTerminated { throw .ended(request, named) }
            let cache = named.makeScopedCache()
            // Above the registering locator, whose end has to find the instance.
            if named !== registrant, registrant.chain.contains(where: { $0 === named }) { entry.record.list(cache) }
            add(Candidate(cache: cache), createdBy: named)
        case .perArgument:
            add(Candidate(cache: registrant.makeScopedCache()), createdBy: registrant)
        case .custom:
            guard let scope = try scope(lifetime, for: creation) else { return }
            add(Candidate(cache: scope.cache, owner: scope), createdBy: registrant)
        case .composite:
            for part in lifetime.details?.parts ?? [] { try add(part, for: creation, isPart: true) }
        }
    }

    private mutating func add(_ candidate: Candidate, createdBy core: LocatorCore) {
        // The locator nearest to the root: the dependencies must not come from the child that happened to resolve first.
        if creator !== core, creator.chain.contains(where: { $0 === core }) { creator = core }
        // Two parts of a composite can use one cache, such as a lazy and a weak part.
        if let position = candidates.firstIndex(where: { $0.cache === candidate.cache }) {
            if !candidate.isWeak { candidates[position].isWeak = false }
        } else {
            var candidate = candidate
            if candidate.key == nil { candidate.key = key }
            candidates.append(candidate)
        }
    }

    /// The scope that a custom lifetime determines. A lifetime that resolves its own service to do so is a cycle.
    private func scope(_ lifetime: Locator.Lifetime, for creation: Creation) throws(InjectleError) -> Locator.Scope? {
        let (entry, request, caller) = (creation.entry, creation.request, creation.caller)
        if Frame.isDeciding(entry.record) { throw .circularDependency(request, entry) }
        if Frame.isTooDeep { throw .tooDeep(request, entry) }
        var scope: Locator.Scope?
        do {
            try Frame.run(entry: entry, as: .scopeDecision, core: caller, for: request.origin, node: nil) {
                let resolver = Locator.Resolver(core: caller, arguments: request.arguments)
                scope = try lifetime.details?.custom?.scope(for: resolver)
            }
        } catch {
            throw .creation(entry, threw: error, requestedBy: request)
        }
        return scope
    }
}

extension Locator.Lifetime {
    /// Whether the caller supplies the instance, or the prototype, instead of a factory closure.
    var isPreconstructed: Bool { kind == .eager || kind == .factory }

    /// Whether a factory closure runs at most once.
    var isSingleton: Bool { kind == .eager || kind == .lazy || kind == .factory }

    /// The lifetime of a decorator of a service with this one.
    var ofDecorator: Locator.Lifetime {
        switch kind {
        case .eager: .lazy
        case .factory: .volatile
        default: self
        }
    }

    /// Whether calls with different arguments return different instances.
    var distinguishesArguments: Bool {
        switch kind {
        case .volatile, .graph, .perArgument, .custom: true
        case .composite: details?.parts.contains(where: \.distinguishesArguments) ?? false
        default: false
        }
    }

    /// Whether each list of arguments has an instance of its own.
    var isPerArgument: Bool { kind == .perArgument || details?.parts.contains(where: \.isPerArgument) ?? false }

    /// Whether the locator that the caller resolves from creates the instance, with its own dependencies.
    var resolvesFromCaller: Bool {
        switch kind {
        case .volatile, .graph, .perLocator: true
        case .composite: details?.parts.allSatisfy(\.resolvesFromCaller) ?? true
        default: false
        }
    }

    /// Whether the cache of a scope or of an ancestor can hold the instance.
    var usesOtherCaches: Bool {
        kind == .custom || kind == .perNamedLocator || details?.parts.contains(where: \.usesOtherCaches) ?? false
    }

    /// Whether each read has to determine the scope again.
    var isDynamicScope: Bool { kind == .custom || details?.parts.contains(where: \.isDynamicScope) ?? false }
}

// What other files need to know about the lifetime of a registration.

extension RegistrationRecord {
    /// Whether the factory closure runs at most once: for the instance, or for the prototype of a factory.
    var isSingleton: Bool { Locator.Lifetime(lifetimeKind).isSingleton }

    /// Whether every caller receives the same instance, which readers may load without a plan.
    var isShared: Bool { lifetimeKind == .eager || lifetimeKind == .lazy }

    /// Whether the registration received its instance and has no factory closure for another one.
    var isInstanceGiven: Bool { lifetimeKind == .eager }

    /// Whether the locator itself stores a weak reference, and nothing else caches the instance.
    var isWeaklyReferenced: Bool { lifetimeKind == .weak }

    /// Whether each locator caches an instance of its own.
    var isPerLocator: Bool { lifetimeKind == .perLocator }

    /// Whether each locator, or each with a name, caches an instance of its own, which it shows to its readers.
    var isCachedPerLocator: Bool { isPerLocator || lifetimeKind == .perNamedLocator }

    /// Whether a locator caches an instance of its own, for a lifetime that does so in some locators.
    func isCached(in core: LocatorCore) -> Bool { isPerLocator || core.isNamed(lifetime.details?.name) }

    /// Whether each read has to determine the scope again.
    var isDynamicScope: Bool { lifetime.isDynamicScope }

    /// Whether scoped caches can hold instances, beside the locator's own cells.
    var usesScopedCaches: Bool {
        switch lifetimeKind {
        case .perLocator, .perNamedLocator, .perArgument, .custom, .composite: true
        case .eager, .lazy, .volatile, .factory, .weak, .graph: false
        }
    }

    /// Whether caches that can outlive the registering locator can hold instances: the caches of scopes and of ancestors.
    var usesOtherCaches: Bool { usesScopedCaches && lifetime.usesOtherCaches }

    /// Whether a start of the locator creates the instance.
    var startsAutomatically: Bool {
        guard declared == nil else { return false }
        switch lifetimeKind {
        case .lazy, .perLocator, .perNamedLocator: return isAtStart || isAsynchronous
        case .factory, .perArgument, .custom, .composite: return isAtStart
        // Hooks make an eager instance ready at its first use.
        case .eager: return isAtStart && !isGiven
        case .volatile, .weak, .graph: return false
        }
    }

    /// How a registration whose factory closure may run on any thread is spelled, for errors.
    var anywhereForm: String {
        switch lifetimeKind {
        case .factory: "with `isolation: nil`"
        case .lazy, .volatile: "with `.\(lifetime)(.anywhere) { … }`"
        default: "with `.lazy(.anywhere) { … }.lifetime(…)`"
        }
    }
}

extension Entry {
    /// Whether readers of a locator find an instance that it caches of its own.
    func publishesInstance(of core: LocatorCore) -> Bool {
        record.isCachedPerLocator && role == .registered && identity.userKey == nil && record.isCached(in: core)
    }

    /// Whether a start of `core`, which is the entry's locator or a descendant of it, creates the instance.
    func isStarted(by core: LocatorCore) -> Bool { record.lifetime.isStarted(by: core, registeredIn: self.core) }
}

extension Locator.Lifetime {
    /// Whether a start of `core` creates the instance: the registering locator creates the instance that its descendants
    /// share; instances per locator belong to the descendants, whose dependencies the registering locator may not have.
    fileprivate func isStarted(by core: LocatorCore, registeredIn registrant: LocatorCore) -> Bool {
        if isSharedWithDescendants { return core === registrant }
        return switch kind {
        case .perLocator: core !== registrant
        case .perNamedLocator: core.isNamed(details?.name)
        case .composite: details?.parts.contains { $0.isStarted(by: core, registeredIn: registrant) } ?? false
        default: false
        }
    }

    /// Whether the registering locator creates the instance, whichever of its descendants requests it.
    var isSharedWithDescendants: Bool {
        switch kind {
        case .volatile, .graph, .perLocator, .perNamedLocator: false
        case .composite: details?.parts.contains(where: \.isSharedWithDescendants) ?? false
        default: true
        }
    }
}
