internal import Injectle

// What a lifetime decides before any instance exists.

extension RegistrationFacts {
    /// The locator that creates the instance for a request to `caller`. Nil if the lifetime names a locator that the
    /// request cannot reach. A custom lifetime is taken to determine a scope.
    func creator(for caller: LocatorFacts) -> LocatorFacts? {
        let parts = lifetimeParts
        var creator = caller
        for part in parts {
            var other: LocatorFacts?
            switch part {
            case .perRequest, .perLocator: other = caller
            case .perNamedLocator(let name): other = caller.chain.first { $0.isNamed(name) }
            case .shared, .weak, .custom: other = locator
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

    /// Whether a cache keeps the instance after the resolve, so that it may only hold services that live as long. A service
    /// that is created for each request is held by its requester.
    var keepsDependencies: Bool { lifetimeParts.contains { $0 != .perRequest } }

    /// Whether locators or scopes have instances of their own, so that a shared service must not keep one.
    var isOfOneOwner: Bool { lifetimeParts.contains { $0 != .perRequest && $0 != .shared && $0 != .weak } }

    /// Whether the locator of the registration creates the instance, whichever of its descendants requests it.
    var isSharedWithDescendants: Bool {
        lifetimeParts.contains { $0 == .shared || $0 == .weak || $0 == .custom }
    }

    /// Whether a cache returns the instance of the first arguments also for other ones.
    var ignoresArguments: Bool {
        declaresArguments && !isPerArgument && !lifetimeParts.contains { $0 == .perRequest || $0 == .custom }
    }
}

extension DependencyGraph.Node {
    /// Whether the service keeps an instance of a dependency for longer than that one lives: a captive dependency.
    func captures(_ dependency: RegistrationFacts) -> Bool {
        guard registration.keepsDependencies else { return false }
        let (parts, isShared) = (registration.lifetimeParts, registration.isSharedWithDescendants)
        return dependency.lifetimeParts.contains { part in
            switch part {
            case .perLocator:
                // A child that registers a service for itself has its own instance of what its parent registers per locator.
                parts != [.perLocator]
                    && (isForDescendants || isShared && dependency.locator.id == registration.locator.id)
            case .perNamedLocator(let name): isShared && !creator.chain.contains { $0.isNamed(name) }
            case .custom: isShared && !parts.contains(.custom) && !parts.contains(.weak)
            case .perRequest, .shared, .weak: false
            }
        }
    }
}
