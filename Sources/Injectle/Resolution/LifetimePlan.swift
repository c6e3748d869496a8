/// Who candidates the instance that a request is about, in the order in which they are asked for it, and which locator makes
/// it if none has one.
///
/// This is what a lifetime comes to. What comes after asks no more than whether a closure is called once or again.
struct LifetimePlan {
    /// One who candidates it.
    struct Candidate {
        let cache: any InstanceCache
        /// What tells its instances of one registration apart.
        var key: Arguments.Key?
        /// Whether it candidates no more than a note of an object that others hold.
        var isWeak = false
        /// What ends the holder when it goes, if that is not sure to stay for as long as it is used.
        var owner: Locator.Scope?
        /// Whether it candidates it for the time of one resolve only.
        var isGraphScoped = false

        /// Whether what it candidates is its own to dispose of, and not that of who reads a property.
        var ownsInstance: Bool { !isWeak && !(cache is InjectionPoint) }
    }

    /// Most plans have no more than two, which need no memory of their own.
    private var first, second: Candidate?
    private var others: [Candidate] = []
    /// The locator that makes it, and that its dependencies come from.
    private(set) var creator: LocatorCore
    /// What tells instances apart, whoever candidates them, for a lifetime that is per argument.
    private var key: Arguments.Key?
    /// Whether somebody candidates it who was named by a custom lifetime.
    private(set) var usesCustomScope = false
    /// Whether the locator that is asked candidates it in a way that readers can see without asking.
    private(set) var publishesToReaders = false
    /// Whether it is about what a factory makes its copies of.
    private(set) var isOfPrototype = false

    private init(creator: LocatorCore) {
        self.creator = creator
    }

    /// The plan for the prototype of a factory.
    static func prototype(of entry: Entry) -> LifetimePlan {
        var plan = LifetimePlan(creator: entry.core)
        plan.isOfPrototype = true
        plan.first = Candidate(cache: entry.core)
        return plan
    }

    /// The plan for a request that has found its entry.
    init(
        for entry: Entry,
        _ request: Request,
        caller: LocatorCore,
        _ property: InjectionPoint? = nil
    ) throws(InjectleError) {
        self.init(creator: caller)
        let lifetime = entry.record.lifetime
        if lifetime.isPerArgument, let arguments = request.arguments {
            guard let key = arguments.key else {
                throw .unhashable(request, entry, arguments.unhashable ?? Any.self)
            }
            self.key = key
        }
        try add(lifetime, entry, request, caller: caller)
        guard let property, !entry.record.isShared else { return }
        // What is kept by nobody for longer than somebody else holds it, a property candidates for itself; but for what is
        // another's.
        if entry.record.lifetimeKind == .unowned || contains(where: { !$0.isWeak && !$0.isGraphScoped }) {
            property.forgetOwn()
        } else {
            property.prepare(for: entry.record, requestedIn: caller)
            insert(Candidate(cache: property))
        }
    }

    // MARK: Those who keep it

    private var count: Int { (first == nil ? 0 : 1) + (second == nil ? 0 : 1) + others.count }

    private(set) subscript(position: Int) -> Candidate? {
        get {
            switch position {
            case 0: first
            case 1: second
            default: position - 2 < others.count ? others[position - 2] : nil
            }
        }
        set {
            switch position {
            case 0: first = newValue
            case 1: second = newValue
            default: if let newValue { others[position - 2] = newValue }
            }
        }
    }

    private func contains(where isWanted: (Candidate) -> Bool) -> Bool {
        first.map(isWanted) == true || second.map(isWanted) == true || others.contains(where: isWanted)
    }

    /// All of them.
    var candidates: [Candidate] { [first, second].compactMap(\.self) + others }

    private mutating func append(_ candidate: Candidate) {
        if first == nil {
            first = candidate
        } else if second == nil {
            second = candidate
        } else {
            others.append(candidate)
        }
    }

    private mutating func insert(_ candidate: Candidate) {
        if let second { others.insert(second, at: 0) }
        second = first
        first = candidate
    }

    // MARK: What a lifetime comes to

    private mutating func add(
        _ lifetime: Locator.Lifetime,
        _ entry: Entry,
        _ request: Request,
        caller: LocatorCore,
        isPart: Bool = false
    ) throws(InjectleError) {
        switch lifetime.kind {
        case .eager, .lazy:
            add(Candidate(cache: key == nil ? entry.core : entry.core.cache, key: key), madeBy: entry.core)
        case .weak, .unowned:
            add(
                Candidate(cache: key == nil ? entry.core : entry.core.cache, key: key, isWeak: true),
                madeBy: entry.core
            )
        case .factory:
            creator = entry.core
        case .volatile:
            break
        case .graph:
            // Where none is in progress, this is the outermost, which needs no other to be the only one.
            guard let cache = Frame.graphCache(for: caller) else { return }
            // What cannot be hashed is compared all the same: there are not many in one resolve.
            let key = request.arguments.map { $0.key ?? Arguments.Key(arguments: $0, hash: 0) }
            add(Candidate(cache: cache, key: key, isGraphScoped: true), madeBy: caller)
        case .perLocator:
            publishesToReaders = !isPart && entry.role == .registered && entry.identity.userKey == nil
            add(Candidate(cache: caller.cache, key: key), madeBy: caller)
        case .perNamedLocator:
            let name = lifetime.details?.name
            guard let named = caller.chain.first(where: { $0.name == name }) else {
                if isPart { return }
                throw .locatorNotFound(request, entry, named: name ?? "", from: caller)
            }
            if named.isTerminated { throw .ended(request, named) }
            add(Candidate(cache: named.cache, key: key), madeBy: named)
        case .perArgument:
            add(Candidate(cache: entry.core.cache, key: key), madeBy: entry.core)
        case .custom:
            guard let scope = try scope(lifetime, entry, request, caller: caller) else { return }
            usesCustomScope = true
            add(Candidate(cache: scope.cache, key: key, owner: scope), madeBy: entry.core)
        case .composite:
            for part in lifetime.details?.parts ?? [] { try add(part, entry, request, caller: caller, isPart: true) }
        }
    }

    private mutating func add(_ candidate: Candidate, madeBy core: LocatorCore) {
        // Of several, that which is nearest to the root: what it makes is not to depend on a child that asked first.
        if creator.chain.contains(where: { $0 === core }) { creator = core }
        // Two parts of a composite may come to the same, as a lazy and a weak one.
        let position = (0..<count).first { position in
            self[position]?.cache === candidate.cache
        }
        guard let position else { return append(candidate) }
        if !candidate.isWeak { self[position]?.isWeak = false }
    }

    /// Whom a custom lifetime names. One that asks for its own service to say so is a cycle.
    private func scope(
        _ lifetime: Locator.Lifetime,
        _ entry: Entry,
        _ request: Request,
        caller: LocatorCore
    ) throws(InjectleError) -> Locator.Scope? {
        if Frame.isDeciding(entry.record) { throw .cycle(request, entry) }
        if Frame.isTooDeep { throw .tooDeep(request, entry) }
        var scope: Locator.Scope?
        do {
            try Frame.run(entry: entry, as: .scopeDecision, core: caller, node: nil) {
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
    var isPreconstructed: Bool { kind == .eager || kind == .unowned || kind == .factory }

    /// Whether a factory closure runs at most once.
    var isSingleton: Bool { kind == .eager || kind == .lazy || kind == .factory }

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
    var isInstanceGiven: Bool { lifetimeKind == .eager || lifetimeKind == .unowned }

    /// Whether the locator can drop the instance and create another one.
    var canRecreate: Bool { !isInstanceGiven && (!isSingleton || isResettable) }

    /// Whether the locator itself stores a weak reference, and nothing else caches the instance.
    var isWeaklyReferenced: Bool { lifetimeKind == .weak || lifetimeKind == .unowned }

    /// Whether each locator caches an instance of its own, which it shows to its readers.
    var isPerLocator: Bool { lifetimeKind == .perLocator }

    /// Whether each read has to determine the scope again.
    var isDynamicScope: Bool { lifetime.isDynamicScope }

    /// Whether scoped caches can hold instances, beside the locator's own cells.
    var usesScopedCaches: Bool {
        switch lifetimeKind {
        case .perLocator, .perNamedLocator, .perArgument, .custom, .composite: true
        case .eager, .unowned, .lazy, .volatile, .factory, .weak, .graph: false
        }
    }

    /// The threads on which a resolve does nothing but call the factory closure.
    var inlineThreads: EntryHeader.InlineThreads {
        guard lifetimeKind == .volatile, !isAsynchronous else { return .nowhere }
        return switch isolation {
        case .anywhere: .anywhere
        case .mainActor: .onMainThread
        case .actor: .nowhere
        }
    }

    /// Whether a start of the locator creates the instance.
    var startsAutomatically: Bool {
        guard declared == nil else { return false }
        switch lifetimeKind {
        case .lazy, .perLocator, .perNamedLocator: return isAtStart || isAsynchronous
        case .factory, .perArgument, .custom, .composite: return isAtStart
        case .eager, .unowned, .volatile, .weak, .graph: return false
        }
    }

    /// How a registration whose factory closure may run on any thread is spelled, for errors.
    var anywhereForm: String {
        switch lifetimeKind {
        case .factory: "with `isolation: nil`"
        case .lazy, .volatile: "by `.\(lifetime)(.anywhere) { … }`"
        default: "by `.lazy(.anywhere) { … }.lifetime(…)`"
        }
    }
}

extension Entry {
    /// Whether `core`, which is the entry's locator or a descendant of it, caches the instance.
    func isCached(by core: LocatorCore) -> Bool {
        switch record.lifetimeKind {
        case .perLocator: true
        case .perNamedLocator: record.lifetime.details?.name == core.name
        default: self.core === core
        }
    }
}
