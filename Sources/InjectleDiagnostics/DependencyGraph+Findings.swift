internal import Injectle

// The faults of a graph, each once: a registration can be several nodes.

extension DependencyGraph {
    struct Fault {
        let finding: Locator.Finding
        /// The nodes of the services that the finding names.
        let nodes: [Int]
        /// The service that is not registered, if that is the fault.
        var missing: Locator.Identity?
        /// How to check the children that probably have it.
        var childChecks: [String] = []
        /// Whether the key of the property that needs the service is not known.
        var isKeyUnknown = false
    }

    var findings: [Locator.Finding] { faults.map(\.finding) }

    /// The findings that a check fails on.
    func findings(_ mode: Locator.CheckMode) -> [Locator.Finding] {
        mode == .strict
            ? findings + strictNotes
            : faults(includingNotes: false).map(\.finding).filter { !$0.isNote }
    }

    /// The findings on which a check fails before it creates the services, which shows the keys of their properties.
    var findingsBeforeCreation: [Locator.Finding] {
        faults(includingNotes: false).filter { !$0.finding.isNote && !$0.isKeyUnknown }.map(\.finding)
    }

    var faults: [Fault] { faults(includingNotes: true) }

    /// The notes, apart from those that come with a fault of the same function.
    private var notes: [Fault] {
        undeclared + unneeded + readElsewhere + keptInsteadOfGiven + uncheckedNames + unstarted
    }

    /// The notes of strict checks only.
    private var strictNotes: [Locator.Finding] {
        untyped + nilable + notSendable + isolatedConformances + readsAfterEnd
    }

    /// All faults, in order of registration of the service at fault; of one service, in the order of this function.
    private func faults(includingNotes: Bool) -> [Fault] {
        var faults = failures.flatMap(faults) + roots.objects.compactMap(failedCreation)
        for registration in registrations { addRegistrationFaults(of: registration, to: &faults) }
        for position in nodes.indices { addDependencyFaults(of: position, to: &faults) }
        if includingNotes { faults += notes }
        addCycles(to: &faults)
        addCaptives(to: &faults)
        addUnreachableNames(to: &faults)
        if !roots.isEmpty, roots.areAll { addUnreachable(to: &faults) }
        if !properties.canBeListed { faults.append(unchecked) }
        var seen: Set<Locator.Finding> = []
        let unique = faults.filter { fault in
            let isSkipped = fault.nodes.first.map { nodes[$0].registration.isSkipped } ?? false
            return !isSkipped && seen.insert(fault.finding).inserted
        }
        let places = unique.enumerated().map { (place: ($1.nodes.first ?? -1, $0), fault: $1) }
        return places.sorted { $0.place < $1.place }.map(\.fault)
    }

    /// - Parameters:
    ///   - path: The nodes from the service at fault to the dependency.
    ///   - registration: The registration at fault, if the first node has been found under another identity.
    func fault(
        _ kind: Locator.Finding.Kind,
        _ path: [Int],
        of registration: RegistrationFacts? = nil,
        on dependency: RegistrationFacts? = nil,
        _ message: String,
        fix: String,
        isNote: Bool = false
    ) -> Fault {
        let registration = registration ?? nodes[path[0]].registration
        let finding = Locator.Finding(
            kind,
            of: registration.title,
            in: registration.location,
            message,
            fix: fix,
            on: dependency.map { ($0.title, $0.location) },
            path: path.map { nodes[$0].registration.title },
            isNote: isNote
        )
        return Fault(finding: finding, nodes: path)
    }

    // MARK: Unseen dependencies

    private var unchecked: Fault {
        let message = "The properties of services are not checked, since this runtime does not list them."
        let fix = "link the standard library dynamically, or create the services in a test: `checkByCreating()`"
        let finding = Locator.Finding(
            .unchecked,
            of: locator.title,
            in: locator.title,
            label: "checked",
            message,
            fix: fix
        )
        return Fault(finding: finding, nodes: [])
    }

    /// Notes of a strict check: the closures whose static type is a protocol, so that the service can have any
    /// properties.
    private var untyped: [Locator.Finding] {
        nodes.indices.compactMap { position in
            let node = nodes[position]
            let registration = nodes[position].registration
            let isDeclared = registration.declaresDependencies || registration.receivesResolver || node.isRecorded
            if isDeclared || registration.isSkipped || !registration.hasUnknownType || isPlaceholder(registration) {
                return nil
            }
            let name = node.identity
            let source = node.identity.sourceText
            let message = "Only the protocol of \(name) is known, so the properties of the service are not checked."
            let fix = "register it with the type of the service: `.lazy { … }.as(\(source))`, and not `for:`"
            // The default of a typed key has the type of the key.
            let isTyped = source.hasPrefix(".")
            let ofDefault = isTyped ? "; or, if it is the default of the key, add `.depending(on: …)`" : ""
            return fault(.unchecked, [position], message, fix: fix + ofDefault).finding
        }
    }

    /// Notes of a strict check: the closures that can return nil, which no request accepts.
    private var nilable: [Locator.Finding] {
        registrations.filter { $0.canBeNil && !$0.isSkipped }.compactMap { registration in
            guard let position = position(of: registration) else { return nil }
            let name = registration.identity
            let message =
                "The closure of \(name) can return nil, and then each request fails, also that of an `@Optject` property."
            let fix =
                "return a service or throw; register what can be absent only if there is one: "
                + "`if let service { locator.register(.eager(service)) }`"
            return fault(.wrongType, [position], message, fix: fix, isNote: true).finding
        }
    }

    // MARK: Of a registration

    private func addRegistrationFaults(of registration: RegistrationFacts, to faults: inout [Fault]) {
        let identity = registration.identity
        let title = registration.title
        func path() -> [Int] { position(of: registration).map { [$0] } ?? [] }
        if registration.neverHasItsType {
            let type = Locator.Identity(registration.serviceType)
            let message = "\(identity) is registered as a type that \(type) does not have."
            let modifier = registration.isContribution ? "contributing(to: " : "as("
            let fix = "let \(type) conform or inherit, or remove `.\(modifier)\(identity.sourceText))`"
            faults.append(fault(.wrongType, path(), of: registration, message, fix: fix))
        }
        if registration.ignoresArguments {
            let message = "\(title) ignores the arguments of all requests but the first: \(registration.lifetime)."
            let fix = "add `.lifetime(.perArgument)` or `.lifetime(.volatile)`, or register the argument as a service"
            faults.append(fault(.ignoredArguments, path(), of: registration, message, fix: fix))
        }
        guard !registration.isContribution, let shadowed = registration.shadowed, shadowed.isFinal else { return }
        let place = registration.locator.title
        let other = shadowed.locator.title
        let message = "\(identity) of \(place) hides a final registration of \(other)."
        let fix = "use another key or type, or remove `.final()`"
        faults.append(fault(.finalReplaced, path(), of: registration, on: shadowed, message, fix: fix))
    }

    // MARK: Of a dependency

    private func addDependencyFaults(of position: Int, to faults: inout [Fault]) {
        let node = nodes[position]
        let registration = nodes[position].registration
        if !registration.isAsync {
            for edge in node.edges where edge.kind.isImmediate {
                addIsolationFault(position, edge, to: &faults)
                addAsyncFault(position, edge, to: &faults)
            }
        }
        if node.isRecorded, registration.declaresDependencies { addDifferences(position, to: &faults) }
    }

    /// Notes about the closures whose dependencies are not known.
    private var undeclared: [Fault] {
        nodes.indices.compactMap { position in
            let node = nodes[position]
            if node.hasKnownDependencies { return nil }
            let isDecorator = node.registration.isDecorator
            let closure = isDecorator ? "decorator" : "closure"
            let message =
                "The \(closure) of \(node.identity) does not declare its dependencies, so they are not checked."
            let change =
                isDecorator
                ? "add `.depending(on: …)` to the decorated registration"
                : "add `.depending(on: …)`, use `.initializer`"
            let fix = "\(change), or create it in a test: `checkByCreating()`"
            return fault(.undeclared, [position], message, fix: fix)
        }
    }

    /// Notes of the async services that each child creates, where synchronous code needs them: only a start of the
    /// child creates them first, and the check does not know whether the program starts it.
    private var unstarted: [Fault] {
        var notes: [Fault] = []
        for (position, node) in nodes.enumerated() where roots.hasPlaceholders {
            for edge in node.edges {
                let target = nodes[edge.target]
                let registration = target.registration
                let isCreatedByStart = registration.startsAutomatically && !registration.isAtStart
                let isNeeded = edge.kind == .property || edge.kind.isImmediate && !node.registration.isAsync
                if !isNeeded || !registration.isAsync || !isCreatedByStart || target.creator.id != locator.id {
                    continue
                }
                let verb = edge.kind == .property ? "reads" : "is created synchronously, and needs"
                let message =
                    "\(node.identity) \(verb) \(edge.registration.identity), which is async: only a start of "
                    + "\(locator.title) creates it."
                let fix =
                    "call `try await child.start()` first, which `withChild` does not, and add `.atStart()` to state "
                    + "that; or register \(node.identity) by an async closure"
                let path = [position, edge.target]
                notes.append(fault(.requiresAsync, path, on: edge.registration, message, fix: fix, isNote: true))
            }
        }
        return notes
    }

    private func addIsolationFault(_ position: Int, _ edge: Edge, to faults: inout [Fault]) {
        let registration = nodes[position].registration
        let target = nodes[edge.target].registration
        // Once created, a service is returned to any caller.
        if !target.isIsolated || target.isSupplied || target.startsAutomatically { return }
        if registration.isOnSameActor(as: target) { return }
        let service = registration.identity
        let dependency = edge.registration.identity
        let here = registration.isolation
        let there = target.isolation
        let message = "\(service) is created on \(here), and needs \(dependency), which is isolated to \(there)."
        let own = target.isOnMainActor ? "`.lazy(.main)`" : "an async closure"
        let isNeededThere = nodes.contains { node in
            node.registration.isOnSameActor(as: target) && node.edges.contains { $0.target == edge.target }
        }
        let first = isNeededThere ? "" : "register \(dependency) in a nonisolated function, or by `.anywhere`; or "
        let fix = first + "register \(service) by \(own), or add `.atStart()` to \(dependency)"
        faults.append(fault(.wrongIsolation, [position, edge.target], on: edge.registration, message, fix: fix))
    }

    private func addAsyncFault(_ position: Int, _ edge: Edge, to faults: inout [Fault]) {
        let target = nodes[edge.target].registration
        if !target.isAsync || target.startsAutomatically { return }
        let service = nodes[position].identity
        let dependency = edge.registration.identity
        let message = "\(service) is created synchronously, and \(dependency) is async and not created at the start."
        let fix = "resolve it in an async closure, or cache it and create it at the start: `.lazy`, `.atStart()`"
        faults.append(fault(.requiresAsync, [position, edge.target], on: edge.registration, message, fix: fix))
    }

    private func addDifferences(_ position: Int, to faults: inout [Fault]) {
        let service = nodes[position].identity
        for edge in nodes[position].edges {
            let dependency = edge.registration.identity
            let path = [position, edge.target]
            if edge.isRecorded, !edge.isDeclared, !edge.isVisible {
                let verb = edge.kind == .property ? "has a property of" : "resolves"
                let message = "\(service) \(verb) \(dependency), which it does not declare."
                let fix = "add `.depending(on: \(dependency.sourceText))`"
                faults.append(fault(.dependenciesDiffer, path, on: edge.registration, message, fix: fix))
            } else if edge.kind == .required, edge.source == .declared(.modifier), !edge.isRecorded {
                let message = "\(service) declares \(dependency), and was created without resolving it."
                let later = "Locator.Lazy<\(Locator.Identity(dependency.type))>"
                let fix =
                    "remove it from `.depending(on: …)`; or, if it is resolved only at times, declare it as "
                    + "`\(later)`, or as an optional type if it can be missing"
                faults.append(fault(.dependenciesDiffer, path, on: edge.registration, message, fix: fix))
            }
        }
    }
}
