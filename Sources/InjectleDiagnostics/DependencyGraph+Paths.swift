internal import Injectle

// Circles of dependencies, and services that no root reaches.

extension DependencyGraph {
    /// A circle for each dependency that is needed before its owner exists and leads back to the owner, unless a
    /// reported circle has it.
    func addCycles(to faults: inout [Fault]) {
        let circles = circles { $0.kind.isImmediate }
        faults += circles.map(cycle)
        // The strategy of an `@Injected` property is not known.
        let known = Set(circles.map(Set.init))
        let possible = self.circles { $0.kind.isImmediate || $0.isKeptByProperty }
        faults += possible.filter { !known.contains(Set($0)) && hasKeptProperty($0) }.map(possibleCycle)
    }

    /// The circles of some edges. A circle is none if each of its services exists when it resolves the next.
    private func circles(of isIncluded: (Edge) -> Bool) -> [[Int]] {
        let components = Components(of: self, by: isIncluded)
        var covered: Set<[Int]> = []
        var circles: [[Int]] = []
        for node in nodes.indices {
            for (index, edge) in nodes[node].edges.enumerated() {
                guard isIncluded(edge), components.areConnected(node, edge.target), !nodes[node].exists(before: index),
                    !covered.contains([node, edge.target])
                else { continue }
                let circle = way(from: edge.target, to: node) {
                    isIncluded($0) && components.areConnected(node, $0.target)
                }
                for (from, to) in zip(circle, circle.dropFirst() + [circle[0]]) { covered.insert([from, to]) }
                circles.append(circle)
            }
        }
        return circles
    }

    /// The shortest way from one node to another, with both.
    private func way(from start: Int, to end: Int, by isIncluded: (Edge) -> Bool) -> [Int] {
        var previous = [start: start]
        var next = [start]
        var index = 0
        while previous[end] == nil, index < next.count {
            for edge in nodes[next[index]].edges where isIncluded(edge) && previous[edge.target] == nil {
                previous[edge.target] = next[index]
                next.append(edge.target)
            }
            index += 1
        }
        var way = [end]
        while let last = way.last, last != start, let node = previous[last] { way.append(node) }
        return way.reversed()
    }

    private func hasKeptProperty(_ circle: [Int]) -> Bool {
        zip(circle, circle.dropFirst() + [circle[0]]).contains { from, to in
            nodes[from].edges.contains { $0.target == to && $0.isKeptByProperty }
        }
    }

    /// A circle from the service that was registered first, and back to it.
    private func closed(_ circle: [Int]) -> [Int] {
        let first = circle.indices.min { circle[$0] < circle[$1] } ?? 0
        return Array(circle[first...] + circle[..<first] + [circle[first]])
    }

    private func names(_ path: [Int]) -> String { path.map { nodes[$0].identity.description }.joined(separator: " → ") }

    private func cycle(_ circle: [Int]) -> Fault {
        let path = closed(circle)
        let fix = "resolve one of them later, by `Locator.Lazy`, `Locator.Provider` or a property marked `@Inject`"
        let last = nodes[path[path.count - 2]].registration
        return fault(.cycle, path, on: last, "Circular dependency: \(names(path))", fix: fix)
    }

    private func possibleCycle(_ circle: [Int]) -> Fault {
        let path = closed(circle)
        let message = "Circular dependency if the `@Injected` properties are `.eager`: \(names(path))"
        let last = nodes[path[path.count - 2]].registration
        return fault(.unchecked, path, on: last, message, fix: "use `@Inject` for one of these properties")
    }

    // MARK: Reached services

    /// The nodes that the roots and the start of the locator reach.
    var reachedNodes: Set<Int> {
        var next = rootNodes + nodes.indices.filter { nodes[$0].registration.isAtStart }
        // A property may resolve any of its candidates.
        for case .unknownKey(let found) in failures.map(\.reason) { next += found.compactMap(position) }
        return reached(from: next)
    }

    /// A declared request can have any arguments: it reaches the registrations of its identity that declare others,
    /// too.
    private func reached(from start: [Int]) -> Set<Int> {
        let declaring = nodes.indices.filter { nodes[$0].registration.declaresArguments }
        var next = start
        var reached = Set(next)
        while let position = next.popLast() {
            let identity = nodes[position].registration.identity
            let others = declaring.filter { nodes[$0].registration.identity == identity }
            next += (nodes[position].edges.map(\.target) + others).filter { reached.insert($0).inserted }
        }
        return reached
    }

    func addUnreachable(to faults: inout [Fault]) {
        // Children have the services of named locators, which the roots of this one do not reach.
        let reached = reached(from: reachedNodes + nodes.indices.filter { nodes[$0].isElsewhere })
        // What an unknown closure or object resolves may be any of the others.
        let hasUnknownRoot = failures.contains(where: \.isUnknownRoot)
        let isNote = hasUnknownRoot || reached.contains { !nodes[$0].hasKnownDependencies }
        // Another node of the registration may be reached.
        let registrations = Set(reached.map { nodes[$0].registration.id })
        for (position, node) in nodes.enumerated()
        where !registrations.contains(node.registration.id) && !isPlaceholder(node.registration) {
            let exception = isNote ? ", unless a closure or an object that declares nothing resolves it" : ""
            let message = "No root leads to \(node.identity)\(exception)."
            let fix = "remove the registration, add a root, or declare the dependency that leads to it"
            faults.append(fault(.unreachable, [position], message, fix: fix, isNote: isNote))
        }
    }

    /// Notes of the types that a check was given and that nothing needs.
    var unneeded: [Fault] {
        let needed = Set(nodes.flatMap { $0.edges.map(\.target) }).union(rootNodes)
        let missing = failures.map(\.dependency)
        if !roots.hasPlaceholders || nodes.contains(where: { !$0.hasKnownDependencies }) { return [] }
        // What an ancestor's service lacks is needed, although it does not find the one of the child.
        let unneeded = nodes.indices.filter { position in
            isPlaceholder(nodes[position].registration) && !needed.contains(position)
                && !missing.contains(nodes[position].identity)
        }
        return unneeded.map { position in
            let name = nodes[position].identity
            let message = "The check was given \(name), which no service and no root needs."
            let fix = "leave it out, or name it as a root if the program resolves it: `roots: \(name.sourceText)`"
            return fault(.unneeded, [position], message, fix: fix)
        }
    }
}
