internal import Injectle

/// The services that requests to a locator can reach and their dependencies, determined without creating any.
///
/// A node is a registration and the locator that creates its instance, so a service that is created for each locator can be
/// several nodes. Each dependency that is declared, recorded or resolved by a property is looked up as a resolve does.
struct DependencyGraph {
    struct Node {
        let registration: RegistrationFacts
        let creator: LocatorFacts
        /// Whether the lifetime names a locator that no request to this one can reach. Its dependencies are then
        /// looked up in the registering locator, and a missing one is no fault.
        let isElsewhere: Bool
        var edges: [Edge] = []
        /// Whether a descendant of the creator requests it. That has an instance of its own of a service per locator.
        var isForDescendants = false
        /// Whether its creation was recorded.
        var isRecorded = false

        var identity: Locator.Identity { registration.identity }
        /// Whether a request for the service gets it, while it resolves a dependency.
        func exists(before edge: Int) -> Bool {
            [.declared(.injecting), .recording(ofHook: true)].contains(edges[edge].source)
                && registration.hasEarlyInstance
        }
    }

    struct Edge {
        /// The position of the dependency's node.
        let target: Int
        /// The registration under the identity by which it is found, with the requested type.
        let registration: RegistrationFacts
        let kind: Kind
        let source: Source
        /// Whether a closure or a property has resolved a declared one, too.
        var isAlsoRecorded = false

        var isRecorded: Bool { source.isRecording || isAlsoRecorded }
        var isDeclared: Bool { if case .declared = source { true } else { false } }
    }

    /// How a dependency is known.
    enum Source: Equatable {
        case declared(DependencySource), property, recording(ofHook: Bool)

        var isRecording: Bool { if case .recording = self { true } else { false } }
    }

    /// How a service uses a dependency.
    enum Kind: String {
        case required, optional, list
        /// `Lazy`, which keeps the service that it resolves later.
        case lazy
        /// `Provider` or a property, which resolves at each use.
        case provider, property

        /// Whether the creation of the service needs the dependency.
        var isImmediate: Bool { self == .required || self == .optional || self == .list }
        /// Whether the service keeps the instance.
        var isKept: Bool { isImmediate || self == .lazy }
    }

    /// A property that resolves a service, and the type that has it.
    typealias Property = (owner: Any.Type, name: String)

    /// A dependency that no registration provides.
    struct Failure {
        /// The node that has it, or nil for a root.
        let node: Int?
        let dependency: Locator.Identity
        let reason: Reason
        var property: Property?

        enum Reason {
            case missing, otherArguments
            /// A key alone has led to a registration of another type.
            case wrongType(RegistrationFacts)
            /// Only registrations with keys have the type of a property, whose key is unknown.
            case unknownKey([RegistrationFacts])
        }
    }

    private struct NodeID: Hashable {
        let registration: ObjectIdentifier
        let creator: ObjectIdentifier
    }

    let locator: LocatorFacts
    private(set) var nodes: [Node] = []
    private(set) var failures: [Failure] = []
    /// The registrations that the locator can find, nearest locator first, in order of registration.
    let registrations: [RegistrationFacts]
    /// The nodes of the roots.
    private(set) var roots: [Int] = []
    /// Whether there are roots, found or not.
    let hasRoots: Bool
    private var positions: [NodeID: Int] = [:]
    private(set) var properties: InjectedProperties
    /// The names of properties with a failure, by the type that has them.
    private var failing: [ObjectIdentifier: Set<String>] = [:]

    /// - Parameter recorder: The recorder of dependencies, if that is not a behavior of the locator.
    init(
        of locator: LocatorFacts,
        roots: [Locator.Identity] = [],
        recorder: Locator.DependencyRecorder? = nil,
        by reflection: TypeReflection? = .runtime
    ) {
        self.locator = locator
        properties = InjectedProperties(by: reflection)
        hasRoots = !roots.isEmpty
        registrations = locator.chain.flatMap { other in
            other.id == locator.id ? other.registrations : other.registrations.filter { locator.finds($0) }
        }
        nodes.reserveCapacity(registrations.count)
        positions.reserveCapacity(registrations.count)
        for registration in registrations { _ = add(registration, for: locator) }
        for root in roots { add(root: root) }
        let recorder = recorder ?? locator.behavior(as: Locator.DependencyRecorder.self)
        var position = 0
        while position < nodes.count {
            expand(position, recorder)
            position += 1
        }
    }

    /// The position of the node that creates a service for a request to `caller`.
    private mutating func add(_ registration: RegistrationFacts, for caller: LocatorFacts) -> Int {
        let reachable = registration.creator(for: caller)
        let creator = reachable ?? registration.locator
        let id = NodeID(registration: registration.id, creator: creator.id)
        let position = positions[id] ?? nodes.count
        if position == nodes.count {
            nodes.append(Node(registration: registration, creator: creator, isElsewhere: reachable == nil))
            positions[id] = position
        }
        if creator.id != caller.id { nodes[position].isForDescendants = true }
        return position
    }

    func position(of registration: RegistrationFacts) -> Int? {
        let creator = registration.creator(for: locator) ?? registration.locator
        return positions[NodeID(registration: registration.id, creator: creator.id)]
    }

    // MARK: Dependencies

    private mutating func expand(_ position: Int, _ recorder: Locator.DependencyRecorder?) {
        let registration = nodes[position].registration
        for dependency in registration.dependencies {
            add(dependency.identity, of: position, .required, .declared(dependency.source))
        }
        let recorded = recorder?.dependencies(of: registration)
        nodes[position].isRecorded = recorded != nil
        let type = registration.knownType
        let own = properties.properties(of: type)
        // Those with their keys, which the type of a property does not have.
        var exact = own.isEmpty ? [] : registration.dependencies.map { serviceType(of: $0.identity.type) }
        for dependency in recorded ?? [] {
            let service = serviceType(of: dependency.identity.type)
            let matching = dependency.isProperty ? own.filter { $0.service == service } : []
            if !matching.isEmpty { exact.append(service) }
            let kind = dependency.isProperty ? matching.first?.kind ?? .property : .optional
            let name = matching.count == 1 ? (type, matching[0].name) : nil
            let source = Source.recording(ofHook: dependency.isOfHook)
            add(dependency.identity, of: position, kind, source, name, isList: dependency.isContribution)
        }
        for property in own where !exact.contains(where: { $0 == property.service }) {
            add(property, of: type, at: position)
        }
    }

    private mutating func add(root: Locator.Identity) {
        let isMissing = find(root, in: locator, .required, acceptsArguments: true).failure != nil
        // An object that the program creates itself needs no registration.
        let own = isMissing && root.key == nil ? properties.properties(of: root.type) : []
        if own.isEmpty { add(root, of: nil, .required, .declared(.modifier)) }
        for property in own { add(property, of: root.type, at: nil) }
    }

    private mutating func add(_ property: InjectedProperties.Property, of owner: Any.Type, at position: Int?) {
        add(property.request, of: position, property.kind, .property, (owner, property.name))
    }

    /// Adds a dependency of a node, or of a root without one.
    private mutating func add(
        _ request: Locator.Identity,
        of position: Int?,
        _ kind: Kind,
        _ source: Source,
        _ property: Property? = nil,
        isList: Bool = false
    ) {
        let creator = position.map { nodes[$0].creator } ?? locator
        let accepts = source == .declared(.modifier) || source.isRecording
        let found = find(request, of: position, in: creator, kind, source, acceptsArguments: accepts, isList: isList)
        for (registration, kind) in found.targets {
            let target = add(registration, for: creator)
            guard let position else {
                roots.append(target)
                continue
            }
            connect(position, Edge(target: target, registration: registration, kind: kind, source: source))
            if registration.isFoundByKeyAlone, registration.neverHasItsType {
                let reason = Failure.Reason.wrongType(registration)
                failures.append(Failure(node: position, dependency: registration.identity, reason: reason))
            }
        }
        guard case (let dependency, var reason)? = found.failure else { return }
        if position.map({ nodes[$0].isElsewhere }) ?? false { return }
        // A locator that is none of these may have registered a service that was resolved once.
        let isOfClosure = source.isRecording && kind == .optional
        if isOfClosure, find(request, in: locator, kind, acceptsArguments: true).failure != nil { return }
        if source == .property, let property {
            // Once, however often the type is registered.
            if !failing[ObjectIdentifier(property.owner), default: []].insert(property.name).inserted { return }
            let keyed = candidates(for: dependency.type, in: creator)
            if case .missing = reason, !keyed.isEmpty { reason = .unknownKey(keyed) }
        }
        failures.append(Failure(node: position, dependency: dependency, reason: reason, property: property))
    }

    /// Returns the registrations that a dependency of a node leads to.
    private func find(
        _ request: Locator.Identity,
        of position: Int?,
        in creator: LocatorFacts,
        _ kind: Kind,
        _ source: Source,
        acceptsArguments: Bool,
        isList: Bool
    ) -> Found {
        if isList { return (creator.contributions(to: request).map { ($0, .list) }, nil) }
        // A decorator of an inherited service wraps what its parent has.
        if source == .declared(.inherited), let position {
            guard let parent = nodes[position].registration.locator.parent else { return ([], (request, .missing)) }
            return find(request, in: parent, kind, acceptsArguments: true)
        }
        return find(request, in: creator, kind, acceptsArguments: acceptsArguments)
    }

    /// The registrations that a property can resolve with a key.
    private func candidates(for type: Any.Type, in locator: LocatorFacts) -> [RegistrationFacts] {
        registrations.filter { registration in
            registration.identity.key != nil && registration.provides(type)
                && locator.chain.contains { $0.id == registration.locator.id }
        }
    }

    typealias Found = (
        targets: [(registration: RegistrationFacts, kind: Kind)],
        failure: (dependency: Locator.Identity, reason: Failure.Reason)?
    )

    /// Returns the registrations that a request leads to, by the lookup of a resolve.
    func find(
        _ request: Locator.Identity,
        in locator: LocatorFacts,
        _ kind: Kind,
        acceptsArguments: Bool,
        isOptional: Bool = false
    ) -> Found {
        switch locator.lookUp(request) {
        case .registration(let registration): return ([(registration, kind)], nil)
        case .list(let registrations): return (registrations.map { ($0, kind.isImmediate ? .list : kind) }, nil)
        case .optional(let part):
            let kind = kind == .required ? .optional : kind
            return find(part, in: locator, kind, acceptsArguments: acceptsArguments, isOptional: true)
        case .later(let part, let keepsFirst):
            // Arguments can be passed to a provider, and to the request that has returned a stored value.
            let accepts = acceptsArguments || !keepsFirst || kind == .property
            return find(part, in: locator, keepsFirst ? .lazy : .provider, acceptsArguments: accepts)
        case .nothing: return ([], nil)
        case .missing: return ([], isOptional ? nil : (request, .missing))
        case .otherArguments(let registrations):
            return acceptsArguments ? (registrations.map { ($0, kind) }, nil) : ([], (request, .otherArguments))
        }
    }

    private mutating func connect(_ position: Int, _ edge: Edge) {
        if edge.isRecorded, let index = nodes[position].edges.firstIndex(where: { $0.target == edge.target }) {
            nodes[position].edges[index].isAlsoRecorded = true
        } else {
            nodes[position].edges.append(edge)
        }
    }
}
