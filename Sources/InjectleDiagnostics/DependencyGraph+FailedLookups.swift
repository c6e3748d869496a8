internal import Injectle

// The faults of requests that fail, and their fixes.

extension DependencyGraph {
    /// What a failed lookup says: the end of the message, and the fix that the error of a resolve names first.
    private struct Description {
        var kind = Locator.Finding.Kind.missing
        let text: String
        let fix: String
    }

    /// A fault, or one for each singleton that leads to a service that only children can create.
    func faults(of failure: Failure) -> [Fault] {
        let paths = sharedPaths(to: failure)
        if paths.isEmpty { return [fault(of: failure, by: failure.node.map { [$0] } ?? [])] }
        return paths.map { fault(of: failure, by: $0) }
    }

    /// The shortest ways from singletons to a service that misses what only a nearer locator has: whatever a singleton
    /// needs is created from its own locator.
    private func sharedPaths(to failure: Failure) -> [[Int]] {
        guard let position = failure.node, failure.isOfMissing,
            nearerRegistration(of: failure.dependency, than: nodes[position].creator) != nil
        else { return [] }
        var paths = [[position]]
        var seen: Set<Int> = [position]
        var index = 0
        while index < paths.count {
            let path = paths[index]
            index += 1
            if nodes[path[0]].registration.isSharedWithDescendants { continue }
            for (other, node) in nodes.enumerated()
            where node.creator.id == nodes[position].creator.id && node.edges.contains(where: { $0.target == path[0] })
                && seen.insert(other).inserted
            {
                paths.append([other] + path)
            }
        }
        return paths.filter { nodes[$0[0]].registration.isSharedWithDescendants }
    }

    /// The registration of a missing service in a descendant of the locator that searches for it.
    private func nearerRegistration(of missing: Locator.Identity, than locator: LocatorFacts) -> RegistrationFacts? {
        registrations.first { found in
            let isNearer = found.locator.chain.dropFirst().contains { $0.id == locator.id }
            return isNearer && !found.isContribution && found.identity == missing
        }
    }

    /// - Parameter path: The nodes from the service at fault to the one with the failure. None for a root.
    private func fault(of failure: Failure, by path: [Int]) -> Fault {
        let node = path.first.map { nodes[$0] }
        let owner = failure.property.map { Locator.Identity($0.owner) }
        let service = node?.identity ?? owner ?? failure.dependency
        let dependency = failure.dependency
        let subject = failure.property.map { $0.name.map { "The property `\($0)` of " } ?? "A property of " } ?? ""
        // With a path, the finding is about its first service.
        let property = path.count > 1 ? nil : failure.property
        let description = describe(failure, of: node?.registration, in: node?.creator ?? locator)
        let isRoot = node == nil && owner == nil
        let services = path.isEmpty ? [service] : path.map { nodes[$0].identity }
        let names = services.last == dependency ? services : services + [dependency]
        let verb = failure.isOfRead ? "reads" : "needs"
        let finding = Locator.Finding(
            description.kind,
            of: service.description,
            in: property?.location ?? node?.registration.location ?? locator.title,
            label: property?.location != nil ? "property" : node == nil ? "checked" : "registered",
            isRoot
                ? "\(service) is a root, \(description.text)"
                : "\(subject)\(owner ?? service) \(verb) \(dependency), \(description.text)",
            fix: description.fix,
            on: isRoot ? nil : (dependency.description, failure.found?.location),
            path: isRoot ? [] : names.map(\.description)
        )
        let missing = description.kind == .missing && !failure.isUnknownRoot ? dependency : nil
        return Fault(
            finding: finding,
            nodes: path,
            missing: missing,
            childChecks: missing == nil ? [] : childChecks(for: failure),
            isKeyUnknown: failure.isKeyUnknown
        )
    }

    /// The fault of a root that could not be created.
    func failedCreation(of object: CreatedObject) -> Fault? {
        guard let failure = object.failure else { return nil }
        let name = Locator.Identity(object.type)
        let finding = Locator.Finding(
            .creationFailed,
            of: name.description,
            in: locator.title,
            label: "checked",
            "\(name) cannot be created. \(failure)",
            fix: "let its initializer resolve nothing, or check it by `checkByCreating`"
        )
        return Fault(finding: finding, nodes: [])
    }

    private func describe(
        _ failure: Failure,
        of owner: RegistrationFacts?,
        in locator: LocatorFacts
    ) -> Description {
        let dependency = failure.dependency
        switch failure.reason {
        case .missing:
            let isRoot = failure.node == nil && failure.property == nil
            let nearer = nearerRegistration(of: dependency, than: locator)?.locator.title
            let state = nearer.map { "is registered only in \($0), a child." } ?? "is not registered."
            let text = "\(isRoot ? "and" : "which") \(state)"
            return Description(text: text, fix: fixes(for: failure, of: owner, in: locator).joined(separator: ", or "))
        case .otherArguments(let found):
            let fix = "pass its arguments: `\(found[0].callWithArguments)`; or register it without"
            return Description(text: "which is registered for other arguments.", fix: fix)
        case .wrongType(let found):
            let text = "and the registration with that key is of \(Locator.Identity(found.serviceType))."
            return Description(kind: .wrongType, text: text, fix: "use another key, or register \(dependency) with it")
        case .unknownKey(let found):
            let keys = found.prefix(5).compactMap(\.key).joined(separator: ", ")
            let isOnly = find(dependency, in: locator, .required, mayPassArguments: true).failure != nil
            let text =
                "which is registered \(isOnly ? "only" : "also") under keys (\(keys)), and the key of a property is not known."
            return Description(kind: .unknownKey, text: text, fix: keyFix(for: failure))
        case .requiresAsync:
            let fix = "register it by `.lazy`, so that a start creates it; or let a method await `resolveAsync`"
            let text = "which is async, and created for each request: no synchronous read returns it."
            return Description(kind: .requiresAsync, text: text, fix: fix)
        case .locatorNotFound(let found):
            let name = found.lifetime.locatorName ?? ""
            let isRoot = failure.node == nil && failure.property == nil
            let text = "\(isRoot ? "and" : "which") is cached by a locator named \"\(name)\", and the check is of none."
            let fix = nameFix(for: name, in: locator, isOuter: failure.node != nil)
            return Description(kind: .locatorNotFound, text: text, fix: fix)
        case .unknownState:
            let text = "which is not registered; maybe the view creates it."
            return Description(kind: .unchecked, text: text, fix: "register it; or \(keyFix(for: failure))")
        case .unknownRoot:
            let text = "and is not registered, and has no properties that the check sees."
            let fix = "register it; or, if the program creates it, check the object: `check { \(dependency)(…) }`"
            return Description(text: text, fix: fix)
        }
    }

    /// The fixes of a missing service.
    private func fixes(for failure: Failure, of owner: RegistrationFacts?, in locator: LocatorFacts) -> [String] {
        let dependency = failure.dependency
        let creator = owner.flatMap { $0.isSharedWithDescendants ? $0 : nil }
        var fixes = namesakes(of: dependency).map { "\($0), which the check was given, has another type of this name" }
        fixes += childChecks(for: failure)
        let isGiven = registrations.contains { isPlaceholder($0) && $0.identity == dependency }
        fixes += locator.fixes(forMissing: dependency, of: creator, inChild: isGiven ? self.locator.name : nil)
        // Callers pass nothing to what a singleton needs.
        if failure.isParameter, dependency.key == nil, nearerRegistration(of: dependency, than: locator) == nil {
            fixes.append("if callers pass it, add `.arguments(\(dependency.sourceText))` to the registration")
        }
        if failure.isKeyUnknown {
            let fix = "if the property has a key, also one with a default, " + keyFix(for: failure)
            fixes.insert(fix, at: isOfStandardLibrary(dependency.type) ? 0 : fixes.count)
        }
        return fixes
    }

    /// The fixes of a service that children of some name probably have.
    private func childChecks(for failure: Failure) -> [String] {
        names(thatNeed: failure).map { name in
            let check = checkText(as: name, given: [failure.dependency])
            return "if a child named \"\(name)\" has it, check that: \(check)"
        }
    }

    /// Whether programs register a type under keys: a value or a function, of which they have several.
    func isOfStandardLibrary(_ type: Any.Type) -> Bool {
        moduleName(of: type) == "Swift" || String(reflecting: type).contains("->")
    }

    /// The types of other modules with the name of a missing one, which a check was given.
    private func namesakes(of missing: Locator.Identity) -> [Locator.Identity] {
        func name(_ identity: Locator.Identity) -> Substring? { identity.description.split(separator: ".").last }
        return registrations.filter(isPlaceholder).map(\.identity).filter {
            $0.type != missing.type && name($0) == name(missing)
        }
    }

    /// How a check sees the key of a property.
    private func keyFix(for failure: Failure) -> String {
        guard let owner = failure.property?.owner else { return "create the service: `checkByCreating()`" }
        let check = roots.isOfTrait ? ".checking" : "check"
        return "check an object, which shows its keys: `\(check) { \(Locator.Identity(owner))(…) }`"
    }

    /// How a request gets into a named locator, or names an existing one.
    ///
    /// - Parameter isOuter: Whether the checked locator, if it is a child, has to be a child of the named one, and not
    ///   the other way round.
    func nameFix(for name: String, in locator: LocatorFacts, isOuter: Bool = false) -> String {
        let similar = locator.chain.compactMap(\.name).filter { isSimilar($0, to: name) }
        let names = similar.map { "name the locator \"\($0)\" in its lifetime" }
        var check = checkText(as: name, given: needs(ofLocatorsNamed: name))
        if let own = self.locator.name, roots.hasPlaceholders, similar.contains(own) {
            // Either of the two can be misspelled.
            return (["\"\(own)\" is similar to \"\(name)\": \(check)"] + names).joined(separator: ", or ")
        }
        if self.locator.parent != nil, let own = self.locator.name, own != name {
            check = "`locator.child(\"\(isOuter ? name : own)\").check(as: \"\(isOuter ? own : name)\")`"
        }
        return (names + ["resolve it from a child named \"\(name)\", and check that: \(check)"])
            .joined(separator: ", or ")
    }
}

extension DependencyGraph.Failure {
    /// The registration that was found, and does not fit.
    fileprivate var found: RegistrationFacts? {
        switch reason {
        case .wrongType(let found), .requiresAsync(let found), .locatorNotFound(let found): found
        case .missing, .otherArguments, .unknownKey, .unknownState, .unknownRoot: nil
        }
    }

    /// Whether it is a root that is not registered and shows nothing to check.
    var isUnknownRoot: Bool { if case .unknownRoot = reason { true } else { false } }

    fileprivate var isOfMissing: Bool { if case .missing = reason { true } else { false } }

    fileprivate var isOfRead: Bool { if case .requiresAsync = reason { true } else { false } }
}
