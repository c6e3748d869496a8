package import Injectle

// What `InjectleTesting` needs from this module beside public symbols.

/// What a test checks before it runs.
package struct CheckedTypes: Sendable {
    /// The types that the test resolves or creates. With none, all registrations are checked.
    let roots: [Any.Type]
    /// The name of the child that creates them.
    let name: Locator.Name?
    /// The types that only this child has.
    let given: [Any.Type]
    /// Creates the objects that the test creates.
    package let objects: (@MainActor @Sendable () throws -> [Locator.Root])?
    /// Whether a trait names them.
    let isOfTrait: Bool

    package init(
        roots: [Any.Type],
        name: Locator.Name? = nil,
        given: [Any.Type] = [],
        objects: (@MainActor @Sendable () throws -> [Locator.Root])? = nil,
        isOfTrait: Bool = false
    ) {
        self.roots = roots
        self.objects = objects
        self.isOfTrait = isOfTrait
        self.name = name
        self.given = given
    }
}

extension Locator {
    /// Returns the faults that a test meets, each with a fix that the test can contain. Faults of services that no root
    /// reaches are left out, since a module has services for other tests, too.
    ///
    /// - Parameters:
    ///   - objects: Creates the objects that the test creates.
    ///   - fix: Returns the code that registers a missing service, from its type and key in source code.
    package func findings(
        forTestOf checked: CheckedTypes,
        creating objects: () throws -> [Root] = { [] },
        fix: (String) -> String
    ) -> [Finding] {
        let roots = checked.roots.map { Identity($0) }
        let isOfChild = checked.name != nil || !checked.given.isEmpty
        let child =
            isOfChild ? PlannedChild(name: checked.name, checked.given.map { Identity($0) }, in: "the test") : nil
        var graph =
            child.map { self.graph(of: $0, roots: roots, objects) }
            ?? DependencyGraph(of: facts, roots: Roots(types: roots, objects: create(objects)))
        graph.roots.isOfTrait = checked.isOfTrait
        let reached = Set(graph.reachedNodes.map { graph.nodes[$0].registration.id })
        return graph.faults.filter { fault in
            if fault.finding.isNote { return false }
            guard !graph.roots.isEmpty, let node = fault.nodes.first else { return true }
            return reached.contains(graph.nodes[node].registration.id)
        }.map { fault in
            guard let missing = fault.missing else { return fault.finding }
            var fixes = [fix(missing.sourceText)]
            if fault.isKeyUnknown {
                let keyed = "if the property has a key, \(fix("\(missing.sourceText), key: …"))"
                fixes.insert(keyed, at: graph.isOfStandardLibrary(missing.type) ? 0 : 1)
            }
            return fault.finding.with(fix: (fault.childChecks + fixes).joined(separator: ", or "))
        }
    }
}

extension Locator.Finding {
    fileprivate func with(fix: String) -> Self {
        let dependency = dependency.map { (name: $0, location: dependencyLocation) }
        return Self(kind, of: service, in: location, label: label, message, fix: fix, on: dependency, path: path)
    }
}
