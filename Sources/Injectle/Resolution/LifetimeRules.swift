// All that differs between lifetimes: which cells can hold the instance, which locator creates it, and what ends it.

/// The cells that can have the instance of a request, by the lifetime, and the locator that creates the instance.
struct LifetimeCells {
    /// The key of cells, with the arguments if the lifetime is per argument.
    private var key = CellSet.Key()
    var candidates = Candidates()
    private(set) var creator: LocatorCore

    /// - Parameter caller: The locator that the request was made to.
    init(_ found: __shared Found, for request: __shared Request, from caller: __shared LocatorCore)
        throws(InjectleError)
    {
        creator = caller
        let lifetime = found.record.traits.lifetime
        if lifetime.isPerArgument, let arguments = request.arguments {
            guard let hash = arguments.hash else {
                throw .unhashable(request, found, arguments.unhashable ?? Any.self)
            }
            key = CellSet.Key(arguments: arguments, hash: hash)
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
            var key = key
            key.isWeak = lifetime.isWeak
            add(Candidate(holder: registrant, key: key), createdBy: registrant)
        case .factory:
            creator = registrant
        case .volatile:
            break
        case .graph:
            // The outermost resolve needs no cell to create a single instance.
            guard let cells = Frame.graphCells(for: caller) else { return }
            // One resolve has few instances, so unhashable arguments are compared without a hash.
            let key = CellSet.Key(arguments: request.arguments, hash: request.arguments?.hash ?? 0)
            add(Candidate(holder: cells, key: key, isGraph: true), createdBy: caller)
        case .perLocator:
            add(Candidate(holder: caller, key: key), createdBy: caller)
        case .perNamedLocator:
            let name = lifetime.details?.name
            guard let named = caller.chain.first(where: { $0.isNamed(name) }) else {
                if isPart { return }
                throw .locatorNotFound(request, found, named: name ?? "", from: caller)
            }
            if named.hasEnded { throw .ended(request, named) }
            add(Candidate(holder: named, key: key), createdBy: named)
        case .custom:
            guard let scope = try LifetimeCells.scope(of: lifetime, found, request, caller) else { return }
            add(Candidate(holder: scope.cells, key: key, scope: scope), createdBy: registrant)
        case .composite:
            for part in lifetime.details?.parts ?? [] { try add(part, found, request, caller, isPart: true) }
        }
    }

    /// Adds a candidate. The locator nearest to the root creates the instance: its dependencies must not come from the
    /// child that happened to resolve first.
    private mutating func add(_ candidate: Candidate, createdBy core: LocatorCore) {
        if creator !== core, creator.chain.contains(where: { $0 === core }) { creator = core }
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
            var frame = Frame(found.identity, record, in: caller, nil, request.origin, found.entry, isChoice: true)
            return try Frame.run(&frame) {
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
    /// The properties of a lifetime: one row of ``Locator/Lifetime/Kind/properties``.
    struct Properties: OptionSet, Hashable {
        let rawValue: UInt16

        /// The caller supplies the instance, and the registration has no factory closure for another one.
        static let supplied = Self(rawValue: 1 << 0)
        /// The caller supplies the instance, or the prototype, instead of a factory closure.
        static let preconstructed = Self(rawValue: 1 << 1)
        /// Every caller receives the same instance, which reads may return at once.
        static let shared = Self(rawValue: 1 << 2)
        /// Every caller receives the same object, while something else retains it.
        static let weak = Self(rawValue: 1 << 3)
        /// Each request creates an instance.
        static let transient = Self(rawValue: 1 << 4)
        /// A cell keeps the instance after the resolve.
        static let kept = Self(rawValue: 1 << 5)
        /// Each locator has an instance of its own.
        static let perLocator = Self(rawValue: 1 << 6)
        /// Each list of arguments has an instance of its own.
        static let perArgument = Self(rawValue: 1 << 7)
        /// Calls with different arguments return different instances.
        static let distinguishesArguments = Self(rawValue: 1 << 8)
        /// The locator that the caller resolves from creates the instance, with its own dependencies.
        static let resolvesFromCaller = Self(rawValue: 1 << 9)
        /// The registering locator creates the instance, whichever of its descendants requests it.
        static let sharedWithDescendants = Self(rawValue: 1 << 10)
        /// Scopes can have cells of it.
        static let usesScopes = Self(rawValue: 1 << 11)
        /// Locators that have not registered it can have cells of it.
        static let usesOtherLocators = Self(rawValue: 1 << 12)

        /// What a lifetime has as soon as one of its parts has it.
        static let ofAnyPart: Self =
            [.perArgument, .distinguishesArguments, .sharedWithDescendants, .usesScopes, .usesOtherLocators]
    }

    static func properties(of kind: Kind, _ details: Details?) -> Properties {
        guard kind == .composite, let parts = details?.parts else { return kind.properties }
        let ofParts = parts.reduce(into: Properties()) { $0.formUnion($1.properties) }
        let resolvesFromCaller = parts.allSatisfy(\.resolvesFromCaller)
        return kind.properties.union(ofParts.intersection(.ofAnyPart)).union(
            resolvesFromCaller ? .resolvesFromCaller : []
        )
    }

    /// The lifetime of a registration by a closure, for which `.eager` and `.factory` become `.lazy`.
    var ofClosure: Locator.Lifetime {
        let isOfNone = isPreconstructed || kind == .composite && details?.parts.isEmpty ?? true
        return isOfNone ? Locator.Lifetime(.lazy) : self
    }

    var isPreconstructed: Bool { properties.contains(.preconstructed) }
    var isTransient: Bool { properties.contains(.transient) }
    package var isKept: Bool { properties.contains(.kept) }
    package var isShared: Bool { properties.contains(.shared) }
    package var isWeak: Bool { properties.contains(.weak) }
    var isSupplied: Bool { properties.contains(.supplied) }
    package var isPerLocator: Bool { properties.contains(.perLocator) }
    var isPerArgument: Bool { properties.contains(.perArgument) }
    var distinguishesArguments: Bool { properties.contains(.distinguishesArguments) }
    var resolvesFromCaller: Bool { properties.contains(.resolvesFromCaller) }
    var isSharedWithDescendants: Bool { properties.contains(.sharedWithDescendants) }
    var usesScopes: Bool { properties.contains(.usesScopes) }
    var usesOtherLocators: Bool { properties.contains(.usesOtherLocators) }

    /// Whether entries show the instance to reads.
    var isShown: Bool { isShared || isWeak }

    /// Whether scopes, or locators that have not registered it, can have cells of it.
    var usesOtherHolders: Bool { usesScopes || usesOtherLocators }

    /// Whether the instance that a locator got has ended with it, or with an ancestor that has ended.
    func endsInstances(of ended: LocatorCore) -> Bool {
        switch kind {
        case .perLocator: true
        case .perNamedLocator: ended.chain.first { $0.isNamed(details?.name) }?.hasEnded ?? false
        case .composite: details?.parts.contains { $0.endsInstances(of: ended) } ?? false
        case .eager, .lazy, .volatile, .factory, .weak, .graph, .perArgument, .custom: false
        }
    }

    /// The lifetime of a decorator of a service with this one: it creates its own instance, also where the registration
    /// has a value.
    var ofDecorator: Locator.Lifetime {
        if !isPreconstructed { return self }
        return isSupplied ? .lazy : .volatile
    }

    /// Whether a start of `core`, which is the locator of the registration or a descendant of it, creates the instance:
    /// the registering locator creates the instance that its descendants share; instances per locator belong to the
    /// descendants, whose dependencies the registering locator may not have.
    func isStarted(by core: LocatorCore, registeredIn registrant: LocatorCore) -> Bool {
        if isSharedWithDescendants { return core === registrant }
        return switch kind {
        case .perLocator: core !== registrant
        case .perNamedLocator: core.isNamed(details?.name)
        case .composite: details?.parts.contains { $0.isStarted(by: core, registeredIn: registrant) } ?? false
        case .eager, .lazy, .volatile, .factory, .weak, .graph, .perArgument, .custom: false
        }
    }

    /// How a registration whose factory closure may run on any thread is spelled, for errors.
    var anywhereForm: String {
        switch kind {
        case .factory: "with `isolation: nil`"
        case .lazy, .volatile: "with `.\(self)(.anywhere) { … }`"
        case .eager, .weak, .graph, .perLocator, .perNamedLocator, .perArgument, .custom, .composite:
            "with `.lazy(.anywhere) { … }.lifetime(…)`"
        }
    }
}

// What checks need to know before any instance exists.

extension Locator.Lifetime {
    /// Which locator creates an instance.
    package enum Creator {
        /// The one that the request was made to.
        case caller
        case registrant
        /// The nearest one with a name, from the caller on.
        case ancestor(named: String)
    }

    /// Which locator creates an instance. Of the parts of a composite lifetime, the one nearest to the root does. The
    /// scope of a custom lifetime is taken to be determined.
    package var creator: Creator {
        switch kind {
        case .volatile, .graph, .perLocator: .caller
        case .perNamedLocator: .ancestor(named: details?.name ?? "")
        case .eager, .lazy, .factory, .weak, .perArgument, .custom, .composite: .registrant
        }
    }

    /// The parts of a composite lifetime, or this one.
    var parts: [Self] { kind == .composite ? (details?.parts ?? []).flatMap(\.parts) : [self] }

    /// The name of the locator that creates the instance.
    package var locatorName: String? { if case .ancestor(let name) = creator { name } else { nil } }
    /// Whether each scope has an instance.
    package var isCustom: Bool { kind == .custom }
    /// The largest age of an instance that it returns.
    package var maximumAge: Duration? { details?.maximumAge }
    /// Whether a request gets the instance of earlier arguments, whatever its own are. The scope of a custom lifetime
    /// can depend on them.
    var ignoresLaterArguments: Bool {
        switch kind {
        case .lazy, .weak, .perLocator, .perNamedLocator: true
        case .custom: maximumAge != nil
        case .eager, .factory, .volatile, .graph, .perArgument, .composite: false
        }
    }
}

extension Locator.Lifetime.Kind {
    /// The properties of each lifetime. A composite lifetime adds the properties of its parts.
    fileprivate var properties: Locator.Lifetime.Properties {
        switch self {
        case .eager: [.supplied, .preconstructed, .shared, .kept, .sharedWithDescendants]
        case .factory: [.preconstructed, .kept, .sharedWithDescendants]
        case .lazy: [.shared, .kept, .sharedWithDescendants]
        case .weak: [.weak, .kept, .sharedWithDescendants]
        case .volatile: [.transient, .distinguishesArguments, .resolvesFromCaller]
        case .graph: [.distinguishesArguments, .resolvesFromCaller]
        case .perLocator: [.kept, .perLocator, .resolvesFromCaller, .usesOtherLocators]
        case .perNamedLocator: [.kept, .usesOtherLocators]
        case .perArgument: [.kept, .perArgument, .distinguishesArguments, .sharedWithDescendants]
        case .custom: [.kept, .distinguishesArguments, .usesScopes, .sharedWithDescendants]
        case .composite: .kept
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
        case .eager: return traits.isAtStart && readyInstance == nil
        case .volatile, .weak, .graph: return false
        }
    }
}
