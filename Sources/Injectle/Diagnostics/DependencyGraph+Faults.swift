// The faults of a graph, each once: a registration can be several nodes.

extension DependencyGraph {
    struct Fault {
        let finding: Locator.Finding
        let identity: Locator.Identity
        /// The nodes of the services that the finding names.
        let nodes: [Int]
    }

    /// All faults, in order of registration of the service at fault; of one service, in the order of the kinds.
    var faults: [Fault] {
        var faults: [Fault] = []
        for failure in failures {
            faults.append(failure.node.map { fault(of: failure, $0) } ?? missingRoot(failure))
        }
        for entry in entries { addRegistrationFaults(of: entry, to: &faults) }
        for position in nodes.indices { addDependencyFaults(of: position, to: &faults) }
        addCycles(to: &faults)
        if nodes.contains(where: \.hasLimitedLifetime) { addCaptives(to: &faults) }
        if hasRoots { addUnreachable(to: &faults) }
        var seen: Set<Locator.Finding> = []
        let unique = faults.filter { seen.insert($0.finding).inserted }
        return unique.enumerated().sorted { left, right in
            let (first, second) = (left.element.nodes.first ?? -1, right.element.nodes.first ?? -1)
            return (first, left.offset) < (second, right.offset)
        }
        .map(\.element)
    }

    /// - Parameters:
    ///   - path: The nodes from the service at fault to the dependency.
    private func fault(
        _ kind: Locator.Finding.Kind,
        _ entry: Entry,
        _ dependency: Locator.Identity? = nil,
        _ other: Entry? = nil,
        path: [Int] = [],
        fix: String,
        _ message: String
    ) -> Fault {
        let names = path.map { nodes[$0].entry.identity.description }
        let finding = Locator.Finding(
            kind: kind,
            message: message,
            service: entry.identity.description,
            location: entry.record.location.description,
            dependency: dependency?.description,
            dependencyLocation: other?.record.location.description,
            path: names,
            fix: fix
        )
        return Fault(finding: finding, identity: entry.identity, nodes: path)
    }

    // MARK: Of a registration

    private func addRegistrationFaults(of entry: Entry, to faults: inout [Fault]) {
        let record = entry.record
        if entry.canNeverProvideItsType {
            let type = spelled(record.serviceType)
            let message = "\(entry.identity) is registered as a type that \(type) does not have."
            let fix = "let \(type) conform or inherit, or remove `.as(\(reference(entry.identity.type)))`"
            faults.append(fault(.wrongType, entry, path: path(to: entry), fix: fix, message))
        }
        if let callers = record.mainActorCallers?.all, !callers.isEmpty {
            let count = callers.count == 1 ? "a caller" : "\(callers.count) callers"
            let message = "The closure of \(entry.identity) hops to the main actor at each creation, from \(count)."
            let fix = """
                register it where no actor is, as in a nonisolated function, or by `.anywhere`; if it needs the main actor, \
                resolve it there, and not in \(callers.prefix(3).joined(separator: ", "))
                """
            faults.append(fault(.mainActorHop, entry, path: path(to: entry), fix: fix, message))
        }
        guard let parent = entry.core.parent, !entry.identity.isContribution else { return }
        guard let hidden = parent.find(entry.identity, byKeyAlone: false), hidden.record.isFinal else { return }
        let message = "\(entry.identity) of \(entry.core.title) hides a final registration of \(hidden.core.title)."
        let fix = "use another key or type, or remove `.final()`"
        faults.append(fault(.finalReplaced, entry, hidden.identity, hidden, path: path(to: entry), fix: fix, message))
    }

    private func path(to entry: Entry) -> [Int] { position(of: entry, for: core).map { [$0] } ?? [] }

    // MARK: Of a dependency

    private func addDependencyFaults(of position: Int, to faults: inout [Fault]) {
        if !nodes[position].isAsynchronous {
            for index in nodes[position].edges where edges[index].kind.isImmediate {
                let target = edges[index].target
                if nodes[target].isIsolated { addIsolation(position, edges[index], to: &faults) }
                if nodes[target].isAsynchronous { addAsynchronous(position, edges[index], to: &faults) }
            }
        }
        if nodes[position].isRecorded, nodes[position].record.declaresDependencies {
            addDifferences(position, to: &faults)
        }
        if nodes[position].isUndeclared, !nodes[position].isRecorded {
            let entry = nodes[position].entry
            let message = "The closure of \(entry.identity) does not declare its dependencies, so they are not checked."
            let fix = "add `.depending(on: …)`, or use `.initializer`"
            faults.append(fault(.undeclared, entry, path: [position], fix: fix, message))
        }
    }

    private func addAsynchronous(_ position: Int, _ edge: Edge, to faults: inout [Fault]) {
        if nodes[edge.target].record.startsAutomatically { return }
        let message = """
            \(nodes[position].entry.identity) is created synchronously, and \(edge.entry.identity) is async and not created \
            at the start.
            """
        let fix = "resolve it in an async closure, or cache it and create it at the start: `.lazy`, `.atStart()`"
        faults.append(edgeFault(.requiresAsync, position, edge, fix: fix, message))
    }

    private func edgeFault(
        _ kind: Locator.Finding.Kind,
        _ position: Int,
        _ edge: Edge,
        fix: String,
        _ message: String
    ) -> Fault {
        let path = [position, edge.target]
        return fault(kind, nodes[position].entry, edge.entry.identity, edge.entry, path: path, fix: fix, message)
    }

    private func fault(of failure: Failure, _ position: Int) -> Fault {
        let (node, dependency) = (nodes[position], failure.dependency)
        var path = [node.entry.identity.description, dependency.description]
        if node.entry.identity == dependency { path.removeLast() }
        let (kind, message): (Locator.Finding.Kind, String) =
            switch failure.error.kind {
            case .wrongType:
                (
                    .wrongType,
                    """
                    \(node.entry.identity) needs \(dependency), and the registration with that key is of \
                    \(failure.found.map { spelled($0.record.serviceType) } ?? "another type").
                    """
                )
            case .wrongArguments:
                (.missing, "\(node.entry.identity) needs \(dependency), which is registered for other arguments.")
            default:
                (.missing, "\(node.entry.identity) needs \(dependency), which is not registered.")
            }
        let finding = Locator.Finding(
            kind: kind,
            message: message,
            service: node.entry.identity.description,
            location: node.record.location.description,
            dependency: dependency.description,
            dependencyLocation: failure.found?.record.location.description,
            path: path,
            fix: fix(of: failure, in: node.creator)
        )
        return Fault(finding: finding, identity: node.entry.identity, nodes: [position])
    }

    /// The first fix that the error of a resolve names.
    private func fix(of failure: Failure, in core: LocatorCore) -> String {
        switch failure.error.kind {
        case .wrongType:
            return "use another key, or register \(failure.dependency) with it"
        case .wrongArguments:
            return "register it without arguments, or resolve it in a closure"
        default:
            var report = InjectleError.Report(path: [], identity: failure.dependency)
            report.addSimilar(in: core, nil, createdFor: nil, orOwn: nil)
            let facts = report.facts.filter { $0.label == "fix" || $0.label == "or" }
            return facts.map(\.text).joined(separator: ", or ")
        }
    }

    fileprivate func missingRoot(_ failure: Failure) -> Fault {
        let finding = Locator.Finding(
            kind: .missing,
            message: "\(failure.dependency) is a root, and is not registered.",
            service: failure.dependency.description,
            location: core.title,
            dependency: nil,
            dependencyLocation: nil,
            path: [],
            fix: fix(of: failure, in: core)
        )
        return Fault(finding: finding, identity: failure.dependency, nodes: [])
    }

    private func addIsolation(_ position: Int, _ edge: Edge, to faults: inout [Fault]) {
        let (node, target) = (nodes[position], nodes[edge.target])
        if node.record.isolation.isSameActor(as: target.record.isolation) || target.record.isPreconstructed { return }
        // Created ahead, it is returned to any caller.
        if target.record.startsAutomatically { return }
        let (actor, place) = (target.record.isolation.name, node.record.isolation.name)
        let message = """
            \(node.entry.identity) is created on \(place), and needs \(edge.entry.identity), which is isolated to \(actor).
            """
        let own = target.record.isolation.isMainActor ? "`.lazy(.main)`" : "an async closure"
        let fix = "register \(node.entry.identity) by \(own), or add `.atStart()` to \(edge.entry.identity)"
        faults.append(edgeFault(.wrongIsolation, position, edge, fix: fix, message))
    }

    private func addDifferences(_ position: Int, to faults: inout [Fault]) {
        let node = nodes[position]
        for edge in edges(of: position) where edge.isRecorded && !edge.isDeclared {
            let verb = edge.kind == .property ? "has a property of" : "resolves"
            let message = "\(node.entry.identity) \(verb) \(edge.entry.identity), which it does not declare."
            let fix = "add `.depending(on: \(reference(edge.entry.identity)))`"
            faults.append(edgeFault(.dependenciesDiffer, position, edge, fix: fix, message))
        }
        for edge in edges(of: position) where edge.kind == .required && edge.isByModifier && !edge.isRecorded {
            let message =
                "\(node.entry.identity) declares \(edge.entry.identity), and was created without resolving it."
            let fix = "remove it from `.depending(on: …)`, or declare the optional type"
            faults.append(edgeFault(.dependenciesDiffer, position, edge, fix: fix, message))
        }
    }

    // MARK: Of several services

    /// A circle for each dependency that leads back to a service on the way to it.
    private func addCycles(to faults: inout [Fault]) {
        var isFinished = [Bool](repeating: false, count: nodes.count)
        /// The place of a node on the way, or -1.
        var places = [Int](repeating: -1, count: nodes.count)
        var way: [(node: Int, edge: Int)] = []
        for start in nodes.indices where !isFinished[start] {
            // Not recursive, since a chain of dependencies can be longer than the stack.
            way.append((start, nodes[start].edges.lowerBound))
            places[start] = 0
            while let (node, edge) = way.last {
                guard edge < nodes[node].edges.upperBound else {
                    isFinished[node] = true
                    places[node] = -1
                    way.removeLast()
                    continue
                }
                way[way.count - 1].edge += 1
                let target = edges[edge].target
                guard edges[edge].kind.isImmediate, !isFinished[target] else { continue }
                if places[target] >= 0 {
                    let circle = way[places[target]...].map(\.node)
                    faults.append(cycle(circle))
                } else {
                    places[target] = way.count
                    way.append((target, nodes[target].edges.lowerBound))
                }
            }
        }
    }

    private func cycle(_ circle: [Int]) -> Fault {
        // From the service that was registered first.
        let first = circle.indices.min { circle[$0] < circle[$1] } ?? 0
        let path = Array(circle[first...] + circle[..<first] + [circle[first]])
        let (entry, last) = (nodes[path[0]].entry, nodes[path[path.count - 2]].entry)
        let names = path.map { nodes[$0].entry.identity.description }.joined(separator: " → ")
        let fix = "resolve one of them later, by `Locator.Lazy`, `Locator.Provider` or a property marked `@Inject`"
        return fault(.cycle, entry, last.identity, last, path: path, fix: fix, "Circular dependency: \(names)")
    }

    /// Services that keep others for longer than these live, directly or through services that are created with them.
    private func addCaptives(to faults: inout [Fault]) {
        for position in nodes.indices where nodes[position].keepsDependencies {
            let keeper = nodes[position]
            var seen: Set<Int> = [position]
            var paths = [[position]]
            while let path = paths.popLast() {
                for edge in edges(of: path[path.count - 1]) where edge.kind.isKept && seen.insert(edge.target).inserted
                {
                    let isShared = keeper.isForDescendants
                    if keeper.entry.captures(edge.entry, createdBy: keeper.creator, forDescendants: isShared) {
                        faults.append(captive(path + [edge.target], edge.entry))
                    } else if !nodes[edge.target].keepsDependencies {
                        paths.append(path + [edge.target])
                    }
                }
            }
        }
    }

    private func captive(_ path: [Int], _ dependency: Entry) -> Fault {
        let entry = nodes[path[0]].entry
        let (lifetime, shorter) = (entry.record.lifetime, dependency.record.lifetime)
        let (keeper, kept) = (entry.identity, dependency.identity)
        let message = "\(keeper) keeps \(kept), which lives shorter: \(lifetime) holds \(shorter)."
        let fix = "give \(keeper) the lifetime of \(kept), or resolve that at each use by `Locator.Provider`"
        return fault(.captive, entry, dependency.identity, dependency, path: path, fix: fix, message)
    }

    private func addUnreachable(to faults: inout [Fault]) {
        var isReached = [Bool](repeating: false, count: nodes.count)
        var reached = roots + nodes.indices.filter { nodes[$0].record.isAtStart }
        for position in reached { isReached[position] = true }
        while let position = reached.popLast() {
            for edge in edges(of: position) where !isReached[edge.target] {
                isReached[edge.target] = true
                reached.append(edge.target)
            }
        }
        // Another node of the registration may be reached.
        let records = Set(nodes.indices.filter { isReached[$0] }.map { ObjectIdentifier(nodes[$0].record) })
        for position in nodes.indices where !records.contains(ObjectIdentifier(nodes[position].record)) {
            let entry = nodes[position].entry
            let message = "No root leads to \(entry.identity)."
            let fix = "remove the registration, add a root, or declare the dependency that leads to it"
            faults.append(fault(.unreachable, entry, path: [position], fix: fix, message))
        }
    }
}

extension InjectleError {
    /// The registrations of a locator have faults.
    static func invalid(_ identity: Locator.Identity, _ findings: [Locator.Finding], in core: LocatorCore)
        -> InjectleError
    {
        InjectleError(.invalidRegistration, identity, findings: findings) { _ in
            let count = findings.count == 1 ? "a fault" : "\(findings.count) faults"
            let texts = findings.map(\.description).joined(separator: "\n")
            return "The registrations of \(core.title) have \(count).\n\(texts)"
        }
    }
}
