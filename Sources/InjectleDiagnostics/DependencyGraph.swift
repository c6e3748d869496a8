internal import Injectle

/// The services that requests to a locator can reach and their dependencies, determined without creating any.
///
/// A node is a registration and the locator that creates its instance, so a service that is created for each locator can be
/// several nodes. Each declared or recorded dependency is looked up as a resolve of the closure does.
struct DependencyGraph {
    struct Node {
        let registration: RegistrationFacts
        let creator: LocatorFacts
        /// Whether the lifetime names a locator that no request to this one can reach. Its dependencies are then
        /// looked up in the registering locator, and a missing one is no fault.
        let isElsewhere: Bool
        var edges: [Edge] = []
        /// Whether a descendant of the creator requests it.
        var isForDescendants = false
        /// Whether its creation was recorded.
        var isRecorded = false

        var identity: Locator.Identity { registration.identity }
    }

    struct Edge {
        /// The position of the dependency's node.
        let target: Int
        /// The registration under the identity by which it is found, with the requested type.
        let registration: RegistrationFacts
        let kind: Kind
        /// Whether a modifier or an initializer declares it.
        let isDeclared: Bool
        /// Whether a modifier declares it, so that the closure may not resolve it.
        let isByModifier: Bool
        /// Whether a closure or a property has resolved it.
        var isRecorded: Bool
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

    /// A dependency that no registration provides.
    struct Failure {
        /// The node that has it, or nil for a root.
        let node: Int?
        let dependency: Locator.Identity
        let reason: Reason

        enum Reason {
            case missing, otherArguments
            /// A key alone has led to a registration of another type.
            case wrongType(RegistrationFacts)
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

    init(of locator: LocatorFacts, roots: [Locator.Identity] = []) {
        self.locator = locator
        hasRoots = !roots.isEmpty
        registrations = locator.chain.flatMap { other in
            other.registrations.filter { other.id == locator.id || locator.finds($0) }
        }
        for registration in registrations { _ = add(registration, for: locator) }
        for root in roots { add(root: root) }
        let recorder = locator.behavior(as: Locator.DependencyRecorder.self)
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
            add(dependency.identity, of: position, .required, isByModifier: dependency.isByModifier)
        }
        guard let recorded = recorder?.dependencies(of: registration) else { return }
        nodes[position].isRecorded = true
        for dependency in recorded {
            let kind: Kind = dependency.isProperty ? .property : .optional
            add(dependency.identity, of: position, kind, isByModifier: true, isRecorded: true)
        }
    }

    private mutating func add(root: Locator.Identity) {
        let found = find(root, in: locator, .required, acceptsArguments: true)
        if let (dependency, reason) = found.failure {
            failures.append(Failure(node: nil, dependency: dependency, reason: reason))
        } else {
            roots += found.targets.map { add($0.registration, for: locator) }
        }
    }

    private mutating func add(
        _ request: Locator.Identity,
        of position: Int,
        _ kind: Kind,
        isByModifier: Bool,
        isRecorded: Bool = false
    ) {
        let found = find(request, in: nodes[position].creator, kind, acceptsArguments: isByModifier)
        if let (dependency, reason) = found.failure {
            // Another locator may have registered a service that was resolved once.
            if isRecorded && kind != .property || nodes[position].isElsewhere { return }
            failures.append(Failure(node: position, dependency: dependency, reason: reason))
        }
        for (registration, kind) in found.targets {
            connect(position, to: registration, kind, isByModifier: isByModifier, isRecorded: isRecorded)
            if registration.isFoundByKeyAlone, registration.neverHasItsType {
                let reason = Failure.Reason.wrongType(registration)
                failures.append(Failure(node: position, dependency: registration.identity, reason: reason))
            }
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
            // Arguments can be passed to a provider.
            let accepts = acceptsArguments || !keepsFirst
            return find(part, in: locator, keepsFirst ? .lazy : .provider, acceptsArguments: accepts)
        case .nothing: return ([], nil)
        case .missing: return ([], isOptional ? nil : (request, .missing))
        case .otherArguments(let registrations):
            return acceptsArguments ? (registrations.map { ($0, kind) }, nil) : ([], (request, .otherArguments))
        }
    }

    private mutating func connect(
        _ position: Int,
        to registration: RegistrationFacts,
        _ kind: Kind,
        isByModifier: Bool,
        isRecorded: Bool
    ) {
        let target = add(registration, for: nodes[position].creator)
        if isRecorded, let index = nodes[position].edges.firstIndex(where: { $0.target == target }) {
            nodes[position].edges[index].isRecorded = true
            return
        }
        nodes[position].edges.append(
            Edge(
                target: target,
                registration: registration,
                kind: kind,
                isDeclared: !isRecorded,
                isByModifier: isByModifier && !isRecorded,
                isRecorded: isRecorded
            )
        )
    }
}

// What a lifetime decides before any instance exists.

extension RegistrationFacts {
    /// The locator that creates the instance for a request to `caller`. Nil if the lifetime names a locator that the
    /// request cannot reach. A custom lifetime is taken to determine a scope.
    func creator(for caller: LocatorFacts) -> LocatorFacts? {
        let parts = lifetimeParts
        var creator = caller
        for part in parts {
            var other: LocatorFacts?
            switch part {
            case .perRequest, .perLocator: other = caller
            case .perNamedLocator(let name): other = caller.chain.first { $0.isNamed(name) }
            case .shared, .weak, .custom: other = locator
            }
            guard let other else {
                if parts.count == 1 { return nil }
                continue
            }
            // The locator nearest to the root.
            if creator.chain.contains(where: { $0.id == other.id }) { creator = other }
        }
        return creator
    }

    /// Whether a cache keeps the instance after the resolve, so that it may only hold services that live as long. A service
    /// that is created for each request is held by its requester.
    var keepsDependencies: Bool { lifetimeParts.contains { $0 != .perRequest } }

    /// Whether the locator of the registration creates the instance, whichever of its descendants requests it.
    private var isSharedWithDescendants: Bool {
        lifetimeParts.contains { $0 == .shared || $0 == .weak || $0 == .custom }
    }

    /// Whether the service keeps an instance of a dependency for longer than that one lives: a captive dependency.
    ///
    /// - Parameters:
    ///   - creator: The locator that creates the service.
    ///   - isForDescendants: Whether a descendant of the creator requests the service. Its own instance of the dependency
    ///     would be another one.
    func captures(_ dependency: RegistrationFacts, createdBy creator: LocatorFacts, isForDescendants: Bool) -> Bool {
        guard keepsDependencies else { return false }
        let parts = lifetimeParts
        return dependency.lifetimeParts.contains { part in
            switch part {
            case .perLocator:
                // A child that registers a service for itself has its own instance of what its parent registers per locator.
                parts != [.perLocator]
                    && (isForDescendants || isSharedWithDescendants && dependency.locator.id == locator.id)
            case .perNamedLocator(let name): isSharedWithDescendants && !creator.chain.contains { $0.isNamed(name) }
            case .custom: isSharedWithDescendants && !parts.contains(.custom) && !parts.contains(.weak)
            case .perRequest, .shared, .weak: false
            }
        }
    }
}
