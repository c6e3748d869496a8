internal import Injectle

// The faults of several services: circles, captive dependencies, and services that no root reaches.

extension DependencyGraph {
    /// A circle for each dependency that leads back to a service on the way to it, unless each service of the circle exists
    /// when it resolves the next.
    func addCycles(to faults: inout [Fault]) {
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
                    let circle = way[places[target]...]
                    if circle.allSatisfy({ nodes[$0.node].exists(before: $0.edge - 1) }) { continue }
                    faults.append(cycle(circle.map(\.node)))
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
        let last = nodes[path[path.count - 2]].registration
        return fault(.cycle, path, on: last, "Circular dependency: \(names)", fix: fix)
    }

    /// Services that keep others for longer than these live, directly or through services that are created with them.
    func addCaptives(to faults: inout [Fault]) {
        guard nodes.contains(where: { $0.registration.isOfOneOwner }) else { return }
        for (position, node) in nodes.enumerated() where node.registration.keepsDependencies {
            // Most services have shared dependencies only, which need no search.
            if node.edges.allSatisfy({ nodes[$0.target].registration.lifetime.isShared }) { continue }
            var seen: Set<Int> = [position]
            var paths = [[position]]
            while let path = paths.popLast() {
                for edge in nodes[path[path.count - 1]].edges where edge.kind.isKept {
                    if !seen.insert(edge.target).inserted { continue }
                    let path = path + [edge.target]
                    if node.captures(edge.registration) {
                        faults.append(captive(edge.registration, path))
                    } else if !nodes[edge.target].registration.keepsDependencies {
                        paths.append(path)
                    }
                }
            }
        }
    }

    private func captive(_ dependency: RegistrationFacts, _ path: [Int]) -> Fault {
        let registration = nodes[path[0]].registration
        let (service, other) = (registration.identity, dependency.identity)
        // A `Provider` resolves from the locator of its owner, and finds the current scope.
        let isOfScope = dependency.lifetimeParts.contains(where: \.isCustom)
        let owners = isOfScope ? "scopes" : "children and requests"
        let source = isOfScope ? "`Locator.Provider`" : "`Locator.shared.resolve` in a method"
        let lifetimes = "\(registration.lifetime) holds \(dependency.lifetime)"
        let message = "\(service) keeps one \(other) for all \(owners), although each has its own: \(lifetimes)."
        let fix = "give \(service) the lifetime of \(other), or resolve that at each use by \(source)"
        return fault(.captive, path, on: dependency, message, fix: fix)
    }

    func addUnreachable(to faults: inout [Fault]) {
        var reached = roots + nodes.indices.filter { nodes[$0].registration.isAtStart }
        // A property may resolve any of its candidates.
        for case .unknownKey(let found) in failures.map(\.reason) { reached += found.compactMap(position) }
        var isReached = Set(reached)
        while let position = reached.popLast() {
            reached += nodes[position].edges.map(\.target).filter { isReached.insert($0).inserted }
        }
        // Another node of the registration may be reached.
        let registrations = Set(isReached.map { nodes[$0].registration.id })
        for (position, node) in nodes.enumerated() where !registrations.contains(node.registration.id) {
            let message = "No root leads to \(node.identity)."
            let fix = "remove the registration, add a root, or declare the dependency that leads to it"
            faults.append(fault(.unreachable, [position], message, fix: fix))
        }
    }
}
