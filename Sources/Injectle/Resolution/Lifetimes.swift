// All that differs between lifetimes: which cells can hold the instance, which locator creates it, and what ends it.

/// The cells that can have the instance of a request, by the lifetime, and the locator that creates the instance.
struct LifetimeCells {
    /// The arguments that distinguish the instances, if the lifetime is per argument.
    private let arguments: Arguments.Key?
    var candidates = Candidates()
    private(set) var creator: LocatorCore

    /// - Parameter caller: The locator that the request was made to.
    init(_ found: Found, for request: Request, from caller: LocatorCore) throws(InjectleError) {
        creator = caller
        let lifetime = found.record.traits.lifetime
        if lifetime.isPerArgument, let given = request.arguments {
            arguments = given.key
            if arguments == nil { throw .unhashable(request, found, given.unhashable ?? Any.self) }
        } else {
            arguments = nil
        }
        try add(lifetime, found, request, caller)
    }

    private mutating func add(
        _ lifetime: Locator.Lifetime,
        _ found: Found,
        _ request: Request,
        _ caller: LocatorCore,
        isPart: Bool = false
    ) throws(InjectleError) {
        let registrant = found.entry.core
        switch lifetime.kind {
        case .eager, .lazy, .weak, .perArgument:
            add(Candidate(holder: registrant, key: CellSet.Key(isWeak: lifetime.isWeak)), createdBy: registrant)
        case .factory:
            creator = registrant
        case .volatile:
            break
        case .graph:
            // The outermost resolve needs no cell to create a single instance.
            guard let cells = Frame.graphCells(for: caller) else { return }
            // One resolve has few instances, so unhashable arguments are compared without a hash.
            let arguments = request.arguments.map { $0.key ?? Arguments.Key(arguments: $0, hash: 0) }
            add(Candidate(holder: cells, key: CellSet.Key(arguments: arguments), isGraph: true), createdBy: caller)
        case .perLocator:
            add(Candidate(holder: caller), createdBy: caller)
        case .perNamedLocator:
            let name = lifetime.details?.name
            guard let named = caller.chain.first(where: { $0.isNamed(name) }) else {
                if isPart { return }
                throw .locatorNotFound(request, found, named: name ?? "", from: caller)
            }
            if named.isTerminated { throw .ended(request, named) }
            add(Candidate(holder: named), createdBy: named)
        case .custom:
            guard let scope = try LifetimeCells.scope(of: lifetime, found, request, caller) else { return }
            add(Candidate(holder: scope.cells, scope: scope), createdBy: registrant)
        case .composite:
            for part in lifetime.details?.parts ?? [] { try add(part, found, request, caller, isPart: true) }
        }
    }

    /// Adds a candidate. The locator nearest to the root creates the instance: its dependencies must not come from the child that
    /// happened to resolve first.
    private mutating func add(_ candidate: Candidate, createdBy core: LocatorCore) {
        if creator !== core, creator.chain.contains(where: { $0 === core }) { creator = core }
        var candidate = candidate
        if candidate.key.arguments == nil { candidate.key.arguments = arguments }
        candidates.append(candidate)
    }

    /// The scope that a custom lifetime chooses. A lifetime that resolves its own service to do so is a circle.
    private static func scope(
        of lifetime: Locator.Lifetime,
        _ found: Found,
        _ request: Request,
        _ caller: LocatorCore
    ) throws(InjectleError) -> Locator.Scope? {
        let record = found.record
        if let choice = Frame.choice(of: record) { throw .circularDependency(request, found, from: choice.depth) }
        if Frame.isTooDeep { throw .tooDeep(request, found) }
        do {
            let work = Frame.Work(found.identity, record, caller, nil, request.origin, found.entry)
            return try Frame.run(work, isChoice: true) {
                let resolver = Locator.Resolver(core: caller, arguments: request.arguments)
                return try lifetime.details?.custom?.scope(for: resolver)
            }
        } catch {
            throw .creation(found, threw: error, requestedBy: request)
        }
    }
}

// What other files need to know about a lifetime.

extension Locator.Lifetime {
    /// Whether the caller supplies the instance, or the prototype, instead of a factory closure.
    var isPreconstructed: Bool { kind == .eager || kind == .factory }

    /// The lifetime of a registration by a closure, to which those of existing instances do not apply.
    var ofClosure: Locator.Lifetime {
        let isOfNone = isPreconstructed || kind == .composite && details?.parts.isEmpty ?? true
        return isOfNone ? Locator.Lifetime(.lazy) : self
    }

    /// Whether a factory closure runs at most once.
    var isSingleton: Bool { kind == .eager || kind == .lazy || kind == .factory }

    /// Whether each request creates an instance.
    var isTransient: Bool { kind == .volatile }

    /// Whether a cell keeps the instance after the resolve.
    var isKept: Bool { kind != .volatile && kind != .graph }

    /// Whether every caller receives the same instance, which reads may return at once.
    package var isShared: Bool { kind == .eager || kind == .lazy }

    /// Whether every caller receives the same object, while something else retains it.
    var isWeak: Bool { kind == .weak }

    /// Whether the registration received its instance and has no factory closure for another one.
    var isGiven: Bool { kind == .eager }

    /// Whether each locator has an instance of its own.
    var isPerLocator: Bool { kind == .perLocator }

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

    /// Whether scopes can have cells of it.
    var usesScopes: Bool { kind == .custom || details?.parts.contains(where: \.usesScopes) ?? false }

    /// Whether entries show the instance to reads.
    var isShown: Bool { isShared || isWeak }

    /// Whether scopes, or locators that have not registered it, can have cells of it.
    var usesOtherHolders: Bool { usesScopes || usesOtherLocators }

    /// Whether locators that have not registered it can have cells of it.
    var usesOtherLocators: Bool {
        switch kind {
        case .perLocator, .perNamedLocator: true
        default: details?.parts.contains(where: \.usesOtherLocators) ?? false
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

    /// Whether a start of `core`, which is the locator of the registration or a descendant of it, creates the instance: the
    /// registering locator creates the instance that its descendants share; instances per locator belong to the descendants,
    /// whose dependencies the registering locator may not have.
    func isStarted(by core: LocatorCore, registeredIn registrant: LocatorCore) -> Bool {
        if isSharedWithDescendants { return core === registrant }
        return switch kind {
        case .perLocator: core !== registrant
        case .perNamedLocator: core.isNamed(details?.name)
        case .composite: details?.parts.contains { $0.isStarted(by: core, registeredIn: registrant) } ?? false
        default: false
        }
    }

    /// How a registration whose factory closure may run on any thread is spelled, for errors.
    var anywhereForm: String {
        switch kind {
        case .factory: "with `isolation: nil`"
        case .lazy, .volatile: "with `.\(self)(.anywhere) { … }`"
        default: "with `.lazy(.anywhere) { … }.lifetime(…)`"
        }
    }
}

extension AnyRecord {
    /// Whether a start of the locator creates the instance.
    var startsAutomatically: Bool {
        guard traits.declared == nil else { return false }
        switch traits.lifetime.kind {
        case .lazy, .perLocator, .perNamedLocator: return traits.isAtStart || traits.isAsync
        case .factory, .perArgument, .custom, .composite: return traits.isAtStart
        // Hooks make an eager instance ready at its first use.
        case .eager: return traits.isAtStart && given == nil
        case .volatile, .weak, .graph: return false
        }
    }
}
