internal import Injectle

// Lookups as a resolve makes them.

extension DependencyGraph {
    /// The registrations that a requirement leads to, and the part that leads to none.
    struct LookupResult {
        struct Target {
            let registration: RegistrationFacts
            let kind: Kind
        }

        struct FailedLookup {
            let dependency: Locator.Identity
            let reason: Failure.Reason
        }

        var targets: [Target] = []
        var failure: FailedLookup?
    }

    func find(_ requirement: Requirement, in locator: LocatorFacts) -> LookupResult {
        if requirement.isList {
            let list = locator.contributions(to: requirement.identity)
            return LookupResult(targets: list.map { LookupResult.Target(registration: $0, kind: requirement.kind) })
        }
        return find(requirement.identity, in: locator, requirement.kind, mayPassArguments: requirement.mayPassArguments)
    }

    /// Returns the registrations that a request leads to, by the lookup of a resolve.
    func find(
        _ request: Locator.Identity,
        in locator: LocatorFacts,
        _ kind: Kind,
        mayPassArguments: Bool,
        isOptional: Bool = false
    ) -> LookupResult {
        func found(_ registrations: [RegistrationFacts], _ kind: Kind) -> LookupResult {
            let fitting = registrations.filter { mayPassArguments || !$0.needsArguments }
            var found = LookupResult(targets: fitting.map { LookupResult.Target(registration: $0, kind: kind) })
            if fitting.count < registrations.count {
                found.failure = LookupResult.FailedLookup(dependency: request, reason: .otherArguments(registrations))
            }
            return found
        }
        switch locator.lookUp(request) {
        case .registration(let registration): return found([registration], kind)
        case .list(let registrations): return found(registrations, kind.isImmediate ? .list : kind)
        case .optional(let part):
            let kind = kind == .required ? .optional : kind
            return find(part, in: locator, kind, mayPassArguments: mayPassArguments, isOptional: true)
        case .later(let part, let keepsFirst):
            // Arguments can be passed to a provider, and to the request that has returned a stored value.
            let mayPass = mayPassArguments || !keepsFirst || kind == .property
            return find(part, in: locator, keepsFirst ? .lazy : .provider, mayPassArguments: mayPass)
        case .nothing: return LookupResult()
        case .missing:
            let failure = LookupResult.FailedLookup(dependency: request, reason: .missing)
            return LookupResult(failure: isOptional ? nil : failure)
        case .otherArguments(let registrations): return found(registrations, kind)
        }
    }
}
