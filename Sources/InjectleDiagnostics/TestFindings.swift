package import Injectle

// What `InjectleTesting` needs from this module beside public symbols.

extension Locator {
    /// Returns the faults that a test meets, each with a fix that the test can contain.
    ///
    /// - Parameters:
    ///   - roots: The types that the test resolves or creates. Faults of services that none of them reaches are left out,
    ///     since a module has services for other tests, too. With no root, all faults are returned.
    ///   - fix: Returns the code that registers a missing service, from its type and key in source code.
    package func findings(forTestOf roots: [Any.Type], fix: (String) -> String) -> [Finding] {
        let faults = DependencyGraph(of: facts, roots: Roots(types: roots.map { Identity($0) })).faults
        let unreached = Set(faults.filter { $0.finding.kind == .unreachable }.compactMap(\.nodes.first))
        return faults.filter { fault in
            !fault.finding.isNote && fault.nodes.first.map { !unreached.contains($0) } ?? true
        }.map { fault in
            guard let missing = fault.missing else { return fault.finding }
            var fixes = [fix(missing.sourceText)]
            if fault.isKeyUnknown { fixes.append("if the property has a key, \(fix("\(missing.sourceText), key: …"))") }
            return fault.finding.with(fix: fixes.joined(separator: ", or "))
        }
    }
}

extension Locator.Finding {
    fileprivate func with(fix: String) -> Self {
        let dependency = dependency.map { (name: $0, location: dependencyLocation) }
        return Self(kind, of: service, in: location, message, fix: fix, on: dependency, path: path)
    }
}
