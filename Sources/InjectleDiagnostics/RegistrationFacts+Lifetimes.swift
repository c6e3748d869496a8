internal import Injectle

// What a lifetime decides before any instance exists.

extension RegistrationFacts {
    /// The locator that creates the instance for a request to `caller`. Nil if the lifetime names a locator that the
    /// request cannot reach. A custom lifetime is taken to determine a scope.
    func creator(for caller: LocatorFacts) -> LocatorFacts? {
        let parts = lifetimeParts
        var creator = caller
        for part in parts {
            let named = part.locatorName.map { name in caller.chain.first { $0.isNamed(name) } }
            guard let other = part.isPerRequest || part == .perLocator ? caller : named ?? locator else {
                if parts.count == 1 { return nil }
                continue
            }
            // The locator nearest to the root.
            if other.id != creator.id, creator.chain.contains(where: { $0.id == other.id }) { creator = other }
        }
        return creator
    }

    /// Whether a cache keeps the instance after the resolve, so that it may only hold services that live as long. A service
    /// that is created for each request is held by its requester.
    var keepsDependencies: Bool { lifetimeParts.contains { !$0.isPerRequest } }
}

extension Locator.Lifetime {
    /// Whether each request, or each resolve, creates an instance.
    fileprivate var isPerRequest: Bool { self == .volatile || self == .graph }
}

extension DependencyGraph.Node {
    /// Whether the service keeps an instance of a dependency for longer than that one lives: a captive dependency.
    func captures(_ dependency: RegistrationFacts) -> Bool {
        guard registration.keepsDependencies else { return false }
        let (parts, isShared) = (registration.lifetimeParts, registration.isSharedWithDescendants)
        return dependency.lifetimeParts.contains { part in
            if let name = part.locatorName { return isShared && !creator.chain.contains { $0.isNamed(name) } }
            if part.isCustom { return isShared && !parts.contains { $0.isCustom || $0 == .weak } }
            // A child that registers a service for itself has its own instance of what its parent registers per locator.
            return part == .perLocator && parts != [.perLocator]
                && (isForDescendants || isShared && dependency.locator.id == registration.locator.id)
        }
    }
}
