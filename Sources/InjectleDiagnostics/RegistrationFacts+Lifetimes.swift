internal import Injectle

// What a lifetime decides before any instance exists.

extension RegistrationFacts {
    /// The locator that creates the instance for a request to `caller`. Nil if the lifetime names a locator that the
    /// request cannot reach.
    func creator(for caller: LocatorFacts) -> LocatorFacts? {
        let parts = lifetimeParts
        var creator = caller
        for part in parts {
            let other: LocatorFacts? =
                switch part.creator {
                case .caller: caller
                case .registrant: locator
                case .ancestor(let name): caller.chain.first { $0.isNamed(name) }
                }
            guard let other else {
                if parts.count == 1 { return nil }
                continue
            }
            // The locator nearest to the root.
            if other.id != creator.id, creator.chain.contains(where: { $0.id == other.id }) { creator = other }
        }
        return creator
    }

    /// Whether a cache keeps the instance after the resolve, so that it may only hold services that live as long. A
    /// service that is created for each request is held by its requester.
    var keepsDependencies: Bool { lifetimeParts.contains(where: \.isKept) }
}
