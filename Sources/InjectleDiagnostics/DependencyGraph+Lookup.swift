internal import Injectle

// Lookups as a resolve makes them.

extension DependencyGraph {
    /// What a request leads to.
    struct Found {
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

    func find(_ request: Request, in locator: LocatorFacts) -> Found {
        if request.isList {
            let list = locator.contributions(to: request.identity)
            return Found(targets: list.map { Found.Target(registration: $0, kind: request.kind) })
        }
        return find(request.identity, in: locator, request.kind, mayPassArguments: request.mayPassArguments)
    }

    /// Returns the registrations that a request leads to, by the lookup of a resolve.
    func find(
        _ request: Locator.Identity,
        in locator: LocatorFacts,
        _ kind: Kind,
        mayPassArguments: Bool,
        isOptional: Bool = false
    ) -> Found {
        func found(_ registrations: [RegistrationFacts], _ kind: Kind) -> Found {
            let fitting = registrations.filter { mayPassArguments || !$0.needsArguments }
            var found = Found(targets: fitting.map { Found.Target(registration: $0, kind: kind) })
            if fitting.count < registrations.count {
                found.failure = Found.FailedLookup(dependency: request, reason: .otherArguments(registrations))
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
        case .nothing: return Found()
        case .missing:
            let failure = Found.FailedLookup(dependency: request, reason: .missing)
            return Found(failure: isOptional ? nil : failure)
        case .otherArguments(let registrations): return found(registrations, kind)
        }
    }
}
