internal import Injectle

// Services of named locators that the checked one is not in. Only a check of such a child finds what they need.

extension DependencyGraph {
    /// Notes of the names whose services need what the checked locator does not have. A check of a child says nothing
    /// of the names that its parents register.
    var uncheckedNames: [Fault] {
        let unchecked = nodes.indices.filter { position in
            let registration = nodes[position].registration
            return registration.locator.id == locator.id && !registration.isSkipped && !needs(of: position).isEmpty
        }
        return names(of: unchecked).map { name in
            let positions = unchecked.filter { nodes[$0].registration.lifetime.locatorName == name }
            let subject =
                positions.count == 1
                ? "A service of \"\(name)\" is not checked here, since it needs"
                : "\(positions.count) services of \"\(name)\" are not checked here, since they need"
            let message = "\(subject) what is not found here: \(list(needs(of: positions)))."
            let fix = "check them in such a child: `locator.check(as: \"\(name)\", given: …)`"
            return fault(.unchecked, [positions[0]], message, fix: fix)
        }
    }

    /// The names of locators whose services need a missing one, too, or have the same owner as it.
    func names(thatNeed failure: Failure) -> [String] {
        if roots.hasPlaceholders { return [] }
        let dependency = failure.dependency
        let needing = names(of: nodes.indices.filter { nodes[$0].unfound.contains(dependency) })
        if !needing.isEmpty { return needing }
        guard let owner = failure.property?.owner else { return [] }
        var names: [String] = []
        for other in failures where other.property?.owner == owner {
            guard case .locatorNotFound(let found) = other.reason, let name = found.lifetime.locatorName,
                !names.contains(name)
            else { continue }
            names.append(name)
        }
        return names
    }

    /// The check of a child, as a program or a trait spells it.
    func checkText(as name: String, given: [Locator.Identity]) -> String {
        if roots.isOfCreation { return "`locator.child(\"\(name)\") { … }.checkByCreating()`" }
        let types = list(given.filter { $0.key == nil }.map(\.sourceText))
        let arguments = "as: \"\(name)\"" + (types.isEmpty ? "" : ", given: \(types)")
        return roots.isOfTrait ? "`.checking(…, \(arguments))`" : "`check(\(arguments))`"
    }

    /// What the services of a named locator need, and the checked locator does not have.
    func needs(ofLocatorsNamed name: String) -> [Locator.Identity] {
        needs(of: nodes.indices.filter { nodes[$0].registration.lifetime.locatorName == name })
    }

    private func needs(of positions: [Int]) -> [Locator.Identity] {
        var needs: [Locator.Identity] = []
        for need in positions.flatMap({ self.needs(of: $0) }) where !needs.contains(need) { needs.append(need) }
        return needs
    }

    /// What the service of a named locator needs, and is not found, or belongs to another name.
    private func needs(of position: Int) -> [Locator.Identity] {
        let node = nodes[position]
        if !node.isElsewhere { return [] }
        let name = node.registration.lifetime.locatorName
        let others = node.edges.filter { edge in
            nodes[edge.target].isElsewhere && !edge.isRecorded && edge.registration.lifetime.locatorName != name
        }
        return node.unfound + others.map(\.registration.identity)
    }

    private func names(of positions: [Int]) -> [String] {
        var names: [String] = []
        for name in positions.compactMap({ nodes[$0].registration.lifetime.locatorName }) where !names.contains(name) {
            names.append(name)
        }
        return names
    }

    private func list(_ items: [some CustomStringConvertible]) -> String {
        let more = items.count > 5 ? ", …" : ""
        return items.prefix(5).map(\.description).joined(separator: ", ") + more
    }
}
