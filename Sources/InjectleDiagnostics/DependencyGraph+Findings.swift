internal import Injectle

// The faults of a graph, each once: a registration can be several nodes.

extension DependencyGraph {
    struct Fault {
        let finding: Locator.Finding
        /// The nodes of the services that the finding names.
        let nodes: [Int]
    }

    var findings: [Locator.Finding] { faults.map(\.finding) }

    /// All faults, in order of registration of the service at fault; of one service, in the order of the kinds.
    var faults: [Fault] {
        var faults = failures.map(fault)
        for registration in registrations { addRegistrationFaults(of: registration, to: &faults) }
        for position in nodes.indices { addDependencyFaults(of: position, to: &faults) }
        addCycles(to: &faults)
        addCaptives(to: &faults)
        if hasRoots { addUnreachable(to: &faults) }
        var seen: Set<Locator.Finding> = []
        let unique = faults.filter { seen.insert($0.finding).inserted }
        return unique.enumerated().sorted { left, right in
            let (first, second) = (left.element.nodes.first ?? -1, right.element.nodes.first ?? -1)
            return (first, left.offset) < (second, right.offset)
        }
        .map(\.element)
    }

    /// - Parameter path: The nodes from the service at fault to the dependency.
    private func fault(
        _ kind: Locator.Finding.Kind,
        _ registration: RegistrationFacts,
        _ dependency: RegistrationFacts? = nil,
        path: [Int],
        fix: String,
        _ message: String
    ) -> Fault {
        let finding = Locator.Finding(
            kind: kind,
            message: message,
            service: registration.identity.description,
            location: registration.location,
            dependency: dependency?.identity.description,
            dependencyLocation: dependency?.location,
            path: path.map { nodes[$0].identity.description },
            fix: fix
        )
        return Fault(finding: finding, nodes: path)
    }

    // MARK: Of a failed lookup

    private func fault(of failure: Failure) -> Fault {
        let name = failure.dependency.description
        guard let position = failure.node else {
            let finding = Locator.Finding(
                kind: .missing,
                message: "\(name) is a root, and is not registered.",
                service: name,
                location: locator.title,
                dependency: nil,
                dependencyLocation: nil,
                path: [],
                fix: fix(of: failure, in: locator)
            )
            return Fault(finding: finding, nodes: [])
        }
        let (node, found) = (nodes[position], failure.found)
        let finding = Locator.Finding(
            kind: found == nil ? .missing : .wrongType,
            message: "\(node.identity) needs \(name), " + failure.text,
            service: node.identity.description,
            location: node.registration.location,
            dependency: name,
            dependencyLocation: found?.location,
            path: [node.identity.description] + (node.identity == failure.dependency ? [] : [name]),
            fix: fix(of: failure, in: node.creator)
        )
        return Fault(finding: finding, nodes: [position])
    }

    /// The first fix that the error of a resolve names.
    private func fix(of failure: Failure, in locator: LocatorFacts) -> String {
        switch failure.reason {
        case .missing: locator.fixes(forMissing: failure.dependency).joined(separator: ", or ")
        case .otherArguments: "register it without arguments, or resolve it in a closure"
        case .wrongType: "use another key, or register \(failure.dependency) with it"
        }
    }

    // MARK: Of a registration

    private func addRegistrationFaults(of registration: RegistrationFacts, to faults: inout [Fault]) {
        let identity = registration.identity
        let path = position(of: registration).map { [$0] } ?? []
        if registration.neverHasItsType {
            let type = Locator.Identity(registration.serviceType)
            let message = "\(identity) is registered as a type that \(type) does not have."
            let fix = "let \(type) conform or inherit, or remove `.as(\(identity.sourceText))`"
            faults.append(fault(.wrongType, registration, path: path, fix: fix, message))
        }
        let callers = registration.mainActorCallers
        if !callers.isEmpty {
            let count = callers.count == 1 ? "a caller" : "\(callers.count) callers"
            let message = "The closure of \(identity) hops to the main actor at each creation, from \(count)."
            let fix = """
                register it where no actor is, as in a nonisolated function, or by `.anywhere`; if it needs the main actor, \
                resolve it there, and not in \(callers.prefix(3).joined(separator: ", "))
                """
            faults.append(fault(.mainActorHop, registration, path: path, fix: fix, message))
        }
        guard !identity.isElement, let hidden = registration.hidden, hidden.isFinal else { return }
        let (place, other) = (registration.locator.title, hidden.locator.title)
        let message = "\(identity) of \(place) hides a final registration of \(other)."
        let fix = "use another key or type, or remove `.final()`"
        faults.append(fault(.finalReplaced, registration, hidden, path: path, fix: fix, message))
    }

    // MARK: Of a dependency

    private func addDependencyFaults(of position: Int, to faults: inout [Fault]) {
        let node = nodes[position]
        let registration = node.registration
        if !registration.isAsync {
            for edge in node.edges where edge.kind.isImmediate {
                addIsolation(position, edge, to: &faults)
                addAsync(position, edge, to: &faults)
            }
        }
        if node.isRecorded {
            if registration.declaresDependencies { addDifferences(position, to: &faults) }
        } else if registration.receivesResolver, !registration.declaresDependencies {
            let message = "The closure of \(node.identity) does not declare its dependencies, so they are not checked."
            let fix = "add `.depending(on: …)`, or use `.initializer`"
            faults.append(fault(.undeclared, registration, path: [position], fix: fix, message))
        }
    }

    private func fault(
        _ kind: Locator.Finding.Kind,
        _ position: Int,
        _ edge: Edge,
        fix: String,
        _ message: String
    ) -> Fault {
        fault(kind, nodes[position].registration, edge.registration, path: [position, edge.target], fix: fix, message)
    }

    private func addIsolation(_ position: Int, _ edge: Edge, to faults: inout [Fault]) {
        let (registration, target) = (nodes[position].registration, nodes[edge.target].registration)
        // Once created, a service is returned to any caller.
        if !target.isIsolated || target.isGiven || target.startsAutomatically { return }
        if registration.isOnSameActor(as: target) { return }
        let (service, dependency) = (registration.identity, edge.registration.identity)
        let message = """
            \(service) is created on \(registration.isolation), and needs \(dependency), which is isolated to \
            \(target.isolation).
            """
        let own = target.isOnMainActor ? "`.lazy(.main)`" : "an async closure"
        let fix = "register \(service) by \(own), or add `.atStart()` to \(dependency)"
        faults.append(fault(.wrongIsolation, position, edge, fix: fix, message))
    }

    private func addAsync(_ position: Int, _ edge: Edge, to faults: inout [Fault]) {
        let target = nodes[edge.target].registration
        if !target.isAsync || target.startsAutomatically { return }
        let message = """
            \(nodes[position].identity) is created synchronously, and \(edge.registration.identity) is async and not created \
            at the start.
            """
        let fix = "resolve it in an async closure, or cache it and create it at the start: `.lazy`, `.atStart()`"
        faults.append(fault(.requiresAsync, position, edge, fix: fix, message))
    }

    private func addDifferences(_ position: Int, to faults: inout [Fault]) {
        let node = nodes[position]
        for edge in node.edges where edge.isRecorded && !edge.isDeclared {
            let dependency = edge.registration.identity
            let verb = edge.kind == .property ? "has a property of" : "resolves"
            let message = "\(node.identity) \(verb) \(dependency), which it does not declare."
            let fix = "add `.depending(on: \(dependency.sourceText))`"
            faults.append(fault(.dependenciesDiffer, position, edge, fix: fix, message))
        }
        for edge in node.edges where edge.kind == .required && edge.isByModifier && !edge.isRecorded {
            let message =
                "\(node.identity) declares \(edge.registration.identity), and was created without resolving it."
            let fix = "remove it from `.depending(on: …)`, or declare the optional type"
            faults.append(fault(.dependenciesDiffer, position, edge, fix: fix, message))
        }
    }

    // MARK: Of several services

    /// A circle for each dependency that leads back to a service on the way to it.
    private func addCycles(to faults: inout [Fault]) {
        var isFinished = [Bool](repeating: false, count: nodes.count)
        /// The place of a node on the way, or -1.
        var places = [Int](repeating: -1, count: nodes.count)
        for start in nodes.indices where !isFinished[start] {
            // Not recursive, since a chain of dependencies can be longer than the stack.
            var way = [(node: start, edge: 0)]
            places[start] = 0
            while let (node, edge) = way.last {
                guard edge < nodes[node].edges.count else {
                    isFinished[node] = true
                    places[node] = -1
                    way.removeLast()
                    continue
                }
                way[way.count - 1].edge += 1
                let target = nodes[node].edges[edge].target
                guard nodes[node].edges[edge].kind.isImmediate, !isFinished[target] else { continue }
                if places[target] >= 0 {
                    faults.append(cycle(way[places[target]...].map(\.node)))
                } else {
                    places[target] = way.count
                    way.append((target, 0))
                }
            }
        }
    }

    private func cycle(_ circle: [Int]) -> Fault {
        // From the service that was registered first.
        let first = circle.indices.min { circle[$0] < circle[$1] } ?? 0
        let path = Array(circle[first...] + circle[..<first] + [circle[first]])
        let names = path.map { nodes[$0].identity.description }.joined(separator: " → ")
        let fix = "resolve one of them later, by `Locator.Lazy`, `Locator.Provider` or a property marked `@Inject`"
        let (service, last) = (nodes[path[0]].registration, nodes[path[path.count - 2]].registration)
        return fault(.cycle, service, last, path: path, fix: fix, "Circular dependency: \(names)")
    }

    /// Services that keep others for longer than these live, directly or through services that are created with them.
    private func addCaptives(to faults: inout [Fault]) {
        for (position, node) in nodes.enumerated() where node.registration.keepsDependencies {
            var seen: Set<Int> = [position]
            var paths = [[position]]
            while let path = paths.popLast() {
                for edge in nodes[path[path.count - 1]].edges where edge.kind.isKept {
                    if !seen.insert(edge.target).inserted { continue }
                    let path = path + [edge.target]
                    if node.captures(edge.registration) {
                        faults.append(captive(node.registration, edge.registration, path: path))
                    } else if !nodes[edge.target].registration.keepsDependencies {
                        paths.append(path)
                    }
                }
            }
        }
    }

    private func captive(_ registration: RegistrationFacts, _ dependency: RegistrationFacts, path: [Int]) -> Fault {
        let (service, other) = (registration.identity, dependency.identity)
        let message = """
            \(service) keeps \(other), which lives shorter: \(registration.lifetime) holds \(dependency.lifetime).
            """
        let fix = "give \(service) the lifetime of \(other), or resolve that at each use by `Locator.Provider`"
        return fault(.captive, registration, dependency, path: path, fix: fix, message)
    }

    private func addUnreachable(to faults: inout [Fault]) {
        var reached = roots + nodes.indices.filter { nodes[$0].registration.isAtStart }
        var isReached = Set(reached)
        while let position = reached.popLast() {
            reached += nodes[position].edges.map(\.target).filter { isReached.insert($0).inserted }
        }
        // Another node of the registration may be reached.
        let registrations = Set(isReached.map { nodes[$0].registration.id })
        for (position, node) in nodes.enumerated() where !registrations.contains(node.registration.id) {
            let message = "No root leads to \(node.identity)."
            let fix = "remove the registration, add a root, or declare the dependency that leads to it"
            faults.append(fault(.unreachable, node.registration, path: [position], fix: fix, message))
        }
    }
}

extension DependencyGraph.Node {
    fileprivate func captures(_ dependency: RegistrationFacts) -> Bool {
        registration.captures(dependency, createdBy: creator, isForDescendants: isForDescendants)
    }
}

extension DependencyGraph.Failure {
    /// The registration that was found, and does not fit.
    fileprivate var found: RegistrationFacts? { if case .wrongType(let found) = reason { found } else { nil } }

    fileprivate var text: String {
        switch reason {
        case .missing: "which is not registered."
        case .otherArguments: "which is registered for other arguments."
        case .wrongType(let found):
            "and the registration with that key is of \(Locator.Identity(found.serviceType))."
        }
    }
}
