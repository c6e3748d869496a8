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
