internal import Injectle

// From the registrations and roots to the edges of the graph.

extension DependencyGraph {
    /// A dependency of a service or a root, before its lookup.
    struct Requirement {
        let identity: Locator.Identity
        let kind: Kind
        let source: Source
        var property: Property?
        var isList = false
        /// Whether the type of the owner shows it, without a recording.
        var isVisible = false
        /// Whether it is the property of a view, which can create the service itself, or pass arguments.
        var isOfView = false

        /// Whether a closure or a view can pass arguments.
        var mayPassArguments: Bool {
            source == .declared(.modifier) || source.isRecording && property == nil || isOfView
        }
    }

    // MARK: Of a registration

    /// Adds the dependencies that a registration declares, that a recorder has seen, and that properties resolve.
    mutating func addDependencies(ofNode position: Int, _ recorder: Locator.DependencyRecorder?) {
        let registration = nodes[position].registration
        for dependency in registration.dependencies {
            let identity = dependency.identity
            let source = dependency.source
            let isPassed = source != .modifier && identity.key == nil && registration.passesArgument(for: identity.type)
            if isPassed { continue }
            addEdges(for: Requirement(identity: identity, kind: .required, source: .declared(source)), of: position)
        }
        let recorded = recorder?.dependencies(of: registration)
        nodes[position].isRecorded = recorded != nil
        nodes[position].wasResolvedElsewhere = recorder?.wasResolvedElsewhere(registration) ?? false
        // A property of one of these types needs no second edge: this one can have a key, which its type does not tell.
        let declared = registration.dependencies.map { serviceType(of: $0.identity.type) }
        let ofObjects = roots.objects.filter { $0.type == registration.knownType }.flatMap(\.dependencies)
        let seen = recorded ?? ofObjects.filter(\.isProperty)
        addDependencies(seen, of: registration.knownType, known: declared, at: position) { service in
            registration.passesArgument(for: service)
        }
    }

    /// Adds what the creation of an object has resolved, and the properties of its type.
    ///
    /// - Parameters:
    ///   - known: The types of dependencies that are known otherwise.
    ///   - ofView: The properties of a view whose services the view creates, or passes arguments to.
    ///   - isPassed: Whether an argument takes the place of a service.
    private mutating func addDependencies(
        _ recorded: [Locator.DependencyRecorder.Dependency],
        of type: Any.Type,
        known: [Any.Type],
        at position: Int?,
        ofView: Set<String> = [],
        unless isPassed: (Any.Type) -> Bool = { _ in false }
    ) {
        let own = properties.properties(of: type)
        var known = own.isEmpty ? [] : known
        for dependency in recorded {
            let service = serviceType(of: dependency.identity.type)
            let matching = dependency.isProperty ? own.filter { $0.service == service } : []
            // The initializer of the view has replaced it.
            let isCreatedByView = !matching.isEmpty && matching.allSatisfy { ofView.contains($0.name) }
            if dependency.identity.key == nil, isCreatedByView { continue }
            if !matching.isEmpty { known.append(service) }
            var requirement = Requirement(
                identity: dependency.identity,
                kind: dependency.isProperty ? matching.first?.kind ?? .property : .optional,
                source: .recording(ofHook: dependency.isOfHook),
                isList: dependency.isList,
                isVisible: own.contains { $0.service == service }
            )
            if dependency.isProperty {
                if dependency.identity.key == nil, isPassed(service) { continue }
                let name = matching.count == 1 ? matching[0].name : nil
                let isRead = matching.first?.isRead ?? true
                requirement.property = Property(owner: type, name: name, location: dependency.location, isRead: isRead)
            }
            addEdges(for: requirement, of: position)
        }
        for property in own where !known.contains(where: { $0 == property.service }) && !isPassed(property.service) {
            addDependency(property, of: type, at: position)
        }
    }

    private mutating func addDependency(_ property: InjectedProperties.Property, of owner: Any.Type, at position: Int?)
    {
        let origin = Property(owner: owner, name: property.name, isRead: property.isRead)
        var requirement = Requirement(
            identity: property.request,
            kind: property.kind,
            source: .property,
            property: origin
        )
        requirement.isOfView = property.isOfView
        addEdges(for: requirement, of: position)
    }

    // MARK: Of a root

    mutating func addRoot(_ root: Locator.Identity) {
        let isMissing = find(root, in: locator, .required, mayPassArguments: true).failure != nil
        // An object that the program creates itself needs no registration.
        let own = isMissing && root.key == nil ? properties.properties(of: root.type) : []
        for property in own { addDependency(property, of: root.type, at: nil) }
        if !own.isEmpty { return }
        if isMissing, root.key == nil, !root.isOfProtocol {
            failures.append(Failure(node: nil, dependency: root, reason: .unknownRoot))
        } else {
            addEdges(for: Requirement(identity: root, kind: .required, source: .declared(.modifier)), of: nil)
        }
    }

    /// Adds an object that the program creates: as what its registrations create, if its type has some.
    mutating func addRoot(_ object: CreatedObject) {
        let own = nodes.indices.filter { nodes[$0].registration.knownType == object.type }
        rootNodes.formUnion(own)
        if own.isEmpty {
            addDependencies(object.dependencies, of: object.type, known: [], at: nil, ofView: object.ofView)
        }
    }

    // MARK: Of a dependency

    /// Adds an edge to each service that a requirement of a node, or of a root without one, leads to; or a failure.
    private mutating func addEdges(for requirement: Requirement, of position: Int?) {
        let creator = position.map { nodes[$0].creator } ?? locator
        var found = LookupResult(failure: LookupResult.FailedLookup(dependency: requirement.identity, reason: .missing))
        if let searched = locator(searchedFor: requirement, of: position, by: creator) {
            found = find(requirement, in: searched)
        }
        for found in found.targets { addEdge(to: found, for: requirement, of: position, by: creator) }
        guard let failed = found.failure else { return addUnknownKey(of: requirement, at: position, creator) }
        let isOfObject = roots.objects.contains { $0.type == requirement.property?.owner }
        if requirement.isOfView, isOfObject { return }
        // A locator that is none of these may have registered a service that was resolved once.
        let isOfClosure = requirement.source.isRecording && requirement.property == nil
        if isOfClosure, find(requirement, in: locator).failure != nil { return }
        if let position, nodes[position].isElsewhere {
            nodes[position].unfound.append(failed.dependency)
            return
        }
        var reason = failed.reason
        if requirement.source == .property, case .missing = reason {
            let keyed = candidates(for: failed.dependency.type, in: creator)
            if !keyed.isEmpty {
                reason = .unknownKey(keyed)
            } else if requirement.isOfView {
                reason = .unknownState
            }
        }
        addFailure(of: requirement, to: failed.dependency, reason, at: position)
    }

    /// Notes a property of which only the type is known, and whose key can lead to another service than its type alone.
    private mutating func addUnknownKey(of requirement: Requirement, at position: Int?, _ creator: LocatorFacts) {
        if requirement.source != .property { return }
        let type = serviceType(of: requirement.identity.type)
        let keyed = candidates(for: type, in: creator).filter { $0.identity.type == type }
        if !keyed.isEmpty { addFailure(of: requirement, to: Locator.Identity(type), .unknownKey(keyed), at: position) }
    }

    /// The locator in which a creation looks a dependency up. A decorator of an inherited service wraps what its parent
    /// has.
    private func locator(searchedFor requirement: Requirement, of position: Int?, by creator: LocatorFacts)
        -> LocatorFacts?
    {
        guard let position, case .declared(.inherited) = requirement.source else { return creator }
        return nodes[position].registration.locator.parent
    }

    private mutating func addFailure(
        of requirement: Requirement,
        to dependency: Locator.Identity,
        _ reason: Failure.Reason,
        at position: Int?
    ) {
        if let property = requirement.property {
            // Once, however often the type is registered.
            let name = property.name ?? "\(dependency), \(property.location ?? "")"
            if !failedProperties[ObjectIdentifier(property.owner), default: []].insert(name).inserted { return }
        }
        var failure = Failure(node: position, dependency: dependency, reason: reason, property: requirement.property)
        failure.isParameter =
            requirement.source == .declared(.initializer) && dependency.type == requirement.identity.type
        failures.append(failure)
    }

    private mutating func addEdge(
        to found: LookupResult.Target,
        for requirement: Requirement,
        of position: Int?,
        by creator: LocatorFacts
    ) {
        let registration = found.registration
        let target = node(of: registration, requestedFrom: creator)
        if requirement.property?.isRead ?? false, registration.isAsync, !registration.isCached {
            addFailure(of: requirement, to: registration.identity, .requiresAsync(registration), at: position)
        }
        if registration.isFoundByKeyAlone, registration.neverHasItsType {
            addFailure(of: requirement, to: registration.identity, .wrongType(registration), at: position)
        }
        addEndedRead(requirement, of: registration, by: creator, position)
        guard let position else {
            rootNodes.insert(target)
            if nodes[target].isElsewhere {
                addFailure(of: requirement, to: registration.identity, .locatorNotFound(registration), at: nil)
            }
            return
        }
        var edge = Edge(target: target, registration: registration, kind: found.kind, source: requirement.source)
        edge.isVisible = requirement.isVisible
        edge.isKeptByProperty = found.kind == .lazy && requirement.property?.isRead ?? false
        add(edge, of: position)
    }

    private mutating func add(_ edge: Edge, of position: Int) {
        if edge.isRecorded, let index = nodes[position].edges.firstIndex(where: { $0.target == edge.target }) {
            nodes[position].edges[index].isAlsoRecorded = true
        } else {
            nodes[position].edges.append(edge)
        }
    }

    /// The registrations that a property can resolve with a key.
    private func candidates(for type: Any.Type, in locator: LocatorFacts) -> [RegistrationFacts] {
        registrations.filter { registration in
            registration.identity.key != nil && registration.provides(type)
                && locator.chain.contains { $0.id == registration.locator.id }
        }
    }
}
