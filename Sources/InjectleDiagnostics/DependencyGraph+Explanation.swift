internal import Injectle

extension DependencyGraph {
    func explanation(of request: Locator.Identity) -> Locator.Explanation {
        let (answers, rule) = answer(to: request)
        let positions = answers.compactMap(position)
        let graph = value
        func services(at positions: [Int]) -> [Locator.Graph.Service] {
            var seen: Set<Int> = []
            return positions.filter { seen.insert($0).inserted }.map { graph.services[$0] }
        }
        return Locator.Explanation(
            request: request.description,
            rule: rule,
            reason: reason(rule, request, answers),
            services: services(at: positions),
            candidates: candidates(for: request, besides: answers),
            dependents: services(at: graph.dependencies.filter { positions.contains($0.to) }.map(\.from)),
            dependencies: services(at: graph.dependencies.filter { positions.contains($0.from) }.map(\.to)),
            findings: Set(positions.flatMap { graph.services[$0].findings }).sorted().map { graph.findings[$0] }
        )
    }

    /// The registrations that answer a request, by the lookup of a resolve, and the rule.
    private func answer(to request: Locator.Identity) -> ([RegistrationFacts], Locator.Explanation.Rule) {
        switch locator.lookUp(request) {
        case .registration(let registration):
            if registration.isFoundByKeyAlone { return ([registration], .keyAlone) }
            return ([registration], registration.locator.id == locator.id ? .registered : .inherited)
        case .otherArguments(let registrations): return (registrations, .arguments)
        case .missing: return ([], .missing)
        // `Lazy` and `Provider` resolve also where their service is missing.
        case .list, .optional, .later, .nothing:
            return (
                find(request, in: locator, .required, mayPassArguments: true).targets.map(\.registration), .composed
            )
        }
    }

    private func reason(
        _ rule: Locator.Explanation.Rule,
        _ request: Locator.Identity,
        _ answers: [RegistrationFacts]
    ) -> String {
        let place = answers.first?.locator.title ?? locator.title
        return switch rule {
        case .registered: "\(request) is registered in \(place) for this type and key."
        case .inherited: "\(request) is inherited from \(place), the nearest locator that has this type and key."
        case .keyAlone: "\(request) is found by its key alone: the latest registration with that key in \(place)."
        case .composed: "\(request) is composed of \(answers.count) registered services."
        case .arguments: "\(request) is registered in \(place) for other arguments than the request has."
        default: "No service is registered as \(request)."
        }
    }

    /// The registrations of the type under other keys or in other locators, and of other types under the key.
    private func candidates(for request: Locator.Identity, besides answers: [RegistrationFacts])
        -> [Locator.Explanation.Candidate]
    {
        locator.chain.flatMap(\.registrations).compactMap { candidate in
            if answers.contains(where: { $0.id == candidate.id }) { return nil }
            guard let reason = reason(for: candidate, besides: answers, request) else { return nil }
            return Locator.Explanation.Candidate(
                identity: candidate.identity.description,
                location: candidate.location,
                locator: candidate.locator.title,
                reason: reason
            )
        }
    }

    /// Why a registration does not answer a request. Nil if it has neither the type nor the key.
    private func reason(
        for candidate: RegistrationFacts,
        besides answers: [RegistrationFacts],
        _ request: Locator.Identity
    ) -> String? {
        let hasKey = candidate.identity.key == request.key
        guard candidate.identity.type == Locator.Identity(request.type).type else {
            return hasKey && request.key != nil ? "it has another type" : nil
        }
        if candidate.isContribution { return "it contributes to the list of the type" }
        if !hasKey { return candidate.key.map { "it has the key \($0)" } ?? "it has no key" }
        if candidate.declaresArguments { return "it is for other arguments" }
        return "\(answers.first?.locator.title ?? "a nearer locator") hides it"
    }
}
