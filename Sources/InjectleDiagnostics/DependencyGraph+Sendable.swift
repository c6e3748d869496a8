internal import Injectle

// Services that several tasks use, although the compiler would let only one.

extension DependencyGraph {
    /// Notes of a strict check: the services that tasks share, and that the compiler lets no two tasks use at once.
    var notSendable: [Locator.Finding] {
        nodes.indices.compactMap { position in
            let node = nodes[position]
            let registration = nodes[position].registration
            let isShared = registration.isSendable == false && registration.isCached
            if !isShared || registration.isSkipped || node.wasReadFromTwoActors { return nil }
            let message =
                "\(node.identity) is shared, and \(registration.serviceName) is not Sendable: the compiler does not see "
                + "that two tasks use it."
            let fix = "make \(registration.serviceName) Sendable, an actor or a type of the main actor"
            return fault(.notSendable, [position], message, fix: fix).finding
        }
    }

    /// Notes of a strict check: the conformances that only the actor of a registration has.
    var isolatedConformances: [Locator.Finding] {
        registrations.filter { $0.conformsOnItsActorOnly && !$0.isSkipped }.compactMap { registration in
            guard let position = position(of: registration) else { return nil }
            let name = registration.serviceName
            let message =
                "The conformance of \(name) to \(registration.identity) is isolated to \(registration.isolation), if there "
                + "is one: the compiler does not see calls elsewhere."
            let fix = "make the conformance `nonisolated`, or the protocol a protocol of that actor"
            return fault(.notSendable, [position], message, fix: fix).finding
        }
    }

    /// Notes about services that are not `Sendable`, were created on the main actor, and were read elsewhere.
    var readElsewhere: [Fault] {
        nodes.indices.filter { nodes[$0].wasReadFromTwoActors }.map { position in
            let registration = nodes[position].registration
            let message =
                "\(nodes[position].identity) was created on the main actor and read elsewhere, and "
                + "\(registration.serviceName) is not Sendable."
            let fix =
                "make \(registration.serviceName) Sendable or a type of the main actor, or read it on the main actor"
            return fault(.notSendable, [position], message, fix: fix)
        }
    }
}

extension DependencyGraph.ServiceNode {
    /// Whether the compiler would have refused the reads that a recorder has seen.
    fileprivate var wasReadFromTwoActors: Bool {
        wasResolvedElsewhere && registration.isSendable == false && registration.isOnMainActor && registration.isCached
    }
}

extension RegistrationFacts {
    fileprivate var serviceName: String { Locator.Identity(serviceType).description }
}
