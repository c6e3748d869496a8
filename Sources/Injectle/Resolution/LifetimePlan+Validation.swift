// What the lifetime of a registration decides before any instance exists: the creating locator, and whether a service keeps
// another one for longer than that one lives. `LifetimePlan` decides the same for an instance.

extension Entry {
    /// The locator that creates the instance for a request to `caller`: see `Lifetime.creator`.
    func creator(for caller: LocatorCore) -> LocatorCore? { record.lifetime.creator(core, for: caller) }

    /// Whether a service of this entry keeps an instance of a dependency for longer than that one lives: a captive
    /// dependency.
    ///
    /// - Parameters:
    ///   - dependency: The entry of the dependency, which `creator` has found.
    ///   - creator: The locator that creates the service of this entry.
    ///   - isShared: Whether a descendant of the creator requests the service. Its own instance of the dependency would be
    ///     another one.
    func captures(_ dependency: Entry, createdBy creator: LocatorCore, forDescendants isShared: Bool) -> Bool {
        guard record.lifetime.keepsDependencies else { return false }
        let isOfRegistrant = record.lifetime.isSharedWithDescendants
        return dependency.record.lifetime.leaves.contains { leaf in
            switch leaf.kind {
            case .perLocator:
                // A child that registers a service for itself has its own instance of what its parent registers per locator.
                !record.isPerLocator && (isShared || isOfRegistrant && dependency.core === core)
            case .perNamedLocator:
                isOfRegistrant && !creator.chain.contains { $0.isNamed(leaf.details?.name) }
            case .custom:
                isOfRegistrant && record.lifetimeKind != .weak
                    && !record.lifetime.leaves.contains { $0.kind == .custom || $0.kind == .weak }
            default:
                false
            }
        }
    }
}

extension RegistrationRecord {
    /// Whether the instance exists from the registration on.
    var isPreconstructed: Bool { lifetimeKind == .eager }
}

extension Locator.Lifetime {
    /// The lifetime, or the parts of a composite.
    fileprivate var leaves: [Locator.Lifetime] { kind == .composite ? details?.parts.flatMap(\.leaves) ?? [] : [self] }

    /// The locator that creates the instance of a registration in `registrant` for a request to `caller`, by the rules of
    /// `LifetimePlan`. Nil if the lifetime names a locator that the request cannot reach. A custom lifetime is taken to
    /// determine a scope.
    func creator(_ registrant: LocatorCore, for caller: LocatorCore) -> LocatorCore? {
        switch kind {
        case .volatile, .graph, .perLocator:
            return caller
        case .perNamedLocator:
            return caller.chain.first { $0.isNamed(details?.name) }
        case .eager, .lazy, .weak, .factory, .perArgument, .custom:
            return registrant
        case .composite:
            // The locator nearest to the root.
            return details?.parts.reduce(caller) { creator, part in
                guard let other = part.creator(registrant, for: caller) else { return creator }
                return creator.chain.contains { $0 === other } ? other : creator
            } ?? caller
        }
    }

    /// Whether a service that is created for a request may only hold services that live as long as its creator: a cache
    /// keeps it after the resolve. A service that is created for each request is held by its requester.
    var keepsDependencies: Bool {
        switch kind {
        case .volatile, .graph: false
        case .composite: details?.parts.contains(where: \.keepsDependencies) ?? false
        default: true
        }
    }

    /// Whether the instance can end before a service that holds it, if that has another lifetime: a locator or a scope ends
    /// it.
    var isLimited: Bool {
        switch kind {
        case .perLocator, .perNamedLocator, .custom: true
        case .composite: details?.parts.contains(where: \.isLimited) ?? false
        default: false
        }
    }
}
