internal import Injectle

// The faults of lifetimes: services that are kept too long, and locators that do not exist.

extension DependencyGraph {
    /// Services that keep others for longer than these live, directly or through services that are created with them.
    func addCaptives(to faults: inout [Fault]) {
        guard nodes.contains(where: { $0.registration.isPerOwner }) else { return }
        for (position, node) in nodes.enumerated() where node.registration.keepsDependencies {
            // Most services have shared dependencies only, which need no search.
            if node.edges.allSatisfy({ nodes[$0.target].registration.lifetime.isShared }) { continue }
            forEachKept(by: position) { edge, path in
                if node.captures(edge.registration) {
                    faults.append(captive(edge.registration, path))
                    return false
                }
                if !nodes[edge.target].registration.keepsDependencies { return true }
                if node.isOfOtherScope(than: edge.registration) { faults.append(otherScope(edge.registration, path)) }
                return false
            }
        }
    }

    /// Calls `visit` with each service that a node keeps, once, and with the path to it. It returns whether the node
    /// also keeps what that service keeps.
    private func forEachKept(by position: Int, _ visit: (Edge, _ path: [Int]) -> Bool) {
        var seen: Set<Int> = [position]
        var paths = [[position]]
        while let path = paths.popLast() {
            for edge in nodes[path[path.count - 1]].edges where edge.kind.isKept {
                if !seen.insert(edge.target).inserted { continue }
                let path = path + [edge.target]
                if visit(edge, path) { paths.append(path) }
            }
        }
    }

    private func captive(_ dependency: RegistrationFacts, _ path: [Int]) -> Fault {
        let registration = nodes[path[0]].registration
        let service = registration.identity
        let other = dependency.identity
        // A `Provider` resolves from the locator of its owner, and finds the current scope.
        let isOfScope = dependency.lifetimeParts.contains(where: \.isCustom)
        let isOfTime = dependency.lifetimeParts.contains { $0.maximumAge != nil }
        let owners = isOfTime ? "times" : isOfScope ? "scopes" : "children and requests"
        let source = isOfScope ? "`Locator.Provider`" : "`Locator.shared.resolve` in a method"
        let lifetimes = "\(registration.lifetime) holds \(dependency.lifetime)"
        let message = "\(service) keeps one \(other) for all \(owners), although each has its own: \(lifetimes)."
        let fix = "give \(service) the lifetime of \(other), or resolve that at each use by \(source)"
        return fault(.captive, path, on: dependency, message, fix: fix)
    }

    private func otherScope(_ dependency: RegistrationFacts, _ path: [Int]) -> Fault {
        let registration = nodes[path[0]].registration
        let lifetimes = "\(registration.lifetime) holds \(dependency.lifetime)"
        let message =
            "\(registration.identity) keeps \(dependency.identity), and the check does not know which scope ends first: "
            + "\(lifetimes)."
        let fix = "give both one lifetime, or resolve \(dependency.identity) at each use by `Locator.Provider`"
        return fault(.unchecked, path, on: dependency, message, fix: fix)
    }

    /// Notes of services of an ancestor that keep its instance of what the checked child is given for itself, directly
    /// or through services that are created with them.
    var keptInsteadOfGiven: [Fault] {
        let given = registrations.filter(isPlaceholder).map(\.identity)
        if given.isEmpty { return [] }
        var faults: [Fault] = []
        for (position, node) in nodes.enumerated()
        where node.creator.id != locator.id && node.registration.keepsDependencies {
            forEachKept(by: position) { edge, path in
                if given.contains(edge.registration.identity) {
                    faults.append(kept(edge.registration, path))
                    return false
                }
                return !nodes[edge.target].registration.keepsDependencies
            }
        }
        return faults
    }

    private func kept(_ dependency: RegistrationFacts, _ path: [Int]) -> Fault {
        let node = nodes[path[0]]
        let other = dependency.identity
        let name = locator.name.map { "(named: \"\($0)\")" } ?? ""
        let message = "\(node.identity) keeps the \(other) of \(node.creator.title), and \(locator.title) has its own."
        let fix =
            "if each child needs its own, give \(node.identity) the lifetime `.perLocator\(name)`, or register "
            + "\(other) only in children"
        return fault(.captive, path, on: dependency, message, fix: fix, isNote: true)
    }

    /// Services of named locators that their requesters are not in.
    func addUnreachableNames(to faults: inout [Fault]) {
        let reached = reachedNodes
        let isOfChild = locator.chain.count > 1
        for (position, node) in nodes.enumerated() where !node.isElsewhere {
            // A service of the checked locator can belong to one of its children, unless a root needs it.
            let isDetermined = node.creator.id != locator.id || isOfChild || reached.contains(position)
            guard isDetermined else { continue }
            for edge in node.edges where nodes[edge.target].isElsewhere && !edge.isRecorded {
                // A captive dependency has a finding of its own.
                if edge.kind.isKept, node.captures(edge.registration) { continue }
                guard let name = edge.registration.lifetime.locatorName else { continue }
                let message =
                    "\(node.identity) needs \(edge.registration.identity), which is cached by a locator named "
                    + "\"\(name)\", and \(node.creator.title) is in none."
                // A shared service resolves from its own locator, whoever requests it.
                let fix =
                    node.registration.isSharedWithDescendants
                    ? "give \(node.identity) the lifetime of \(edge.registration.identity)"
                    : nameFix(for: name, in: node.creator, isOuter: true)
                faults.append(
                    fault(.locatorNotFound, [position, edge.target], on: edge.registration, message, fix: fix)
                )
            }
        }
        addMisspelledNames(to: &faults)
    }

    /// Notes of lifetimes whose locator has a similar name.
    private func addMisspelledNames(to faults: inout [Fault]) {
        let names = Set(locator.chain.compactMap(\.name))
        let known = registrations.compactMap(\.lifetime.locatorName)
        for (position, node) in nodes.enumerated() where node.isElsewhere {
            guard let name = node.registration.lifetime.locatorName else { continue }
            // The rarer name is the misspelled one.
            let count = known.count { $0 == name }
            let similar =
                names.first { isSimilar($0, to: name) }
                ?? known.first { other in isSimilar(other, to: name) && known.count { $0 == other } > count }
            guard let similar else { continue }
            let message = "\(node.identity) is cached by a locator named \"\(name)\", and there is \"\(similar)\"."
            faults.append(fault(.unknownName, [position], message, fix: nameFix(for: name, in: locator)))
        }
    }
}

extension DependencyGraph.ServiceNode {
    /// Whether the service keeps an instance of a dependency for longer than that one lives: a captive dependency.
    func captures(_ dependency: RegistrationFacts) -> Bool {
        guard registration.keepsDependencies else { return false }
        let parts = registration.lifetimeParts
        let isShared = registration.isSharedWithDescendants
        return dependency.lifetimeParts.contains { part in
            if let name = part.locatorName { return isShared && !creator.chain.contains { $0.isNamed(name) } }
            if let age = part.maximumAge { return isShared && !parts.contains { $0.ends(within: age) } }
            if part.isCustom { return isShared && !parts.contains { $0.isCustom || $0.isWeak } }
            guard part.isPerLocator, !parts.allSatisfy(\.isPerLocator) else { return false }
            // A named locator shares the service with its descendants.
            if parts.contains(where: { $0.locatorName != nil }) { return true }
            // A child that registers a service for itself has its own instance of what its parent registers per
            // locator.
            return isForDescendants || isShared && dependency.locator.id == registration.locator.id
        }
    }

    /// Whether both have scopes, of lifetimes of different types.
    func isOfOtherScope(than dependency: RegistrationFacts) -> Bool {
        let scopes = registration.lifetimeParts.filter { $0.isCustom && $0.maximumAge == nil }
        let others = dependency.lifetimeParts.filter { $0.isCustom && $0.maximumAge == nil }
        return !scopes.isEmpty && !others.isEmpty && !others.contains { scopes.contains($0) }
    }
}

extension Locator.Lifetime {
    /// Whether an instance is replaced before it is older than an age.
    fileprivate func ends(within age: Duration) -> Bool {
        if let maximumAge { return maximumAge <= age }
        return isCustom || isWeak
    }
}
