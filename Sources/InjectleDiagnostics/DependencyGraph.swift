internal import Injectle

/// The services that requests to a locator can reach and their dependencies, determined without creating any.
///
/// A node is a registration and the locator that creates its instance, so a service that is created for each locator
/// can be several nodes. Each dependency that is declared, recorded or resolved by a property is looked up as a resolve
/// does.
struct DependencyGraph {
    /// A registration, and the locator that creates its instance.
    struct ServiceNode {
        let registration: RegistrationFacts
        let creator: LocatorFacts
        /// Whether the lifetime names a locator that no request to this one can reach. Its dependencies are then
        /// looked up in the registering locator, and a missing one is no fault.
        let isElsewhere: Bool
        var edges: [Edge] = []
        /// What was not found, if the lifetime names a locator that has it, maybe.
        var unfound: [Locator.Identity] = []
        /// Whether a descendant of the creator requests it. If the lifetime is per locator, that has an instance of its
        /// own.
        var isForDescendants = false
        /// Whether its creation was recorded.
        var isRecorded = false
        /// Whether it was resolved off the main actor, while a recorder observed.
        var wasResolvedElsewhere = false

        var identity: Locator.Identity { registration.identity }
        /// Whether the registration states all dependencies, or a recorder has seen them.
        var hasKnownDependencies: Bool {
            isRecorded || !registration.receivesResolver || registration.declaresDependencies
        }

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
        /// Whether an `@Injected` property has it, which resolves when it is created or when it is read.
        var isKeptByProperty = false
        /// Whether the type of the service shows it, so that no registration has to declare it.
        var isVisible = false
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

    /// A property that resolves a service.
    struct Property {
        /// The type that has it.
        let owner: Any.Type
        /// Nil if the owner has none, or several, with the service.
        var name: String?
        /// Its file and line, if it was created.
        var location: String?
        /// Whether a read resolves the service, synchronously.
        var isRead = false
    }

    /// A dependency that no registration provides, or that always fails.
    struct Failure {
        /// The node that has it, or nil for a root.
        let node: Int?
        let dependency: Locator.Identity
        let reason: Reason
        var property: Property?
        /// Whether an argument can take its place.
        var isParameter = false

        /// Whether a property needs the service, and its key is not known.
        var isKeyUnknown: Bool { property.map { $0.location == nil } ?? false }

        enum Reason {
            case missing
            /// There are registrations, for other arguments.
            case otherArguments([RegistrationFacts])
            /// A key alone has led to a registration of another type.
            case wrongType(RegistrationFacts)
            /// Registrations with keys have the type of a property, whose key is unknown.
            case unknownKey([RegistrationFacts])
            /// An async service without a cache, so that no synchronous read can return it.
            case requiresAsync(RegistrationFacts)
            /// A service of a named locator, which the requesting locator is not in.
            case locatorNotFound(RegistrationFacts)
            /// The service of a view, of which only the type is known, is not registered: maybe the view creates it.
            case unknownState
            /// A root that is not registered and has no properties, so that nothing of it can be checked.
            case unknownRoot
        }
    }

    private struct NodeID: Hashable {
        let registration: ObjectIdentifier
        let creator: ObjectIdentifier
    }

    let locator: LocatorFacts
    var nodes: [ServiceNode] = []
    var failures: [Failure] = []
    var endedReads: [EndedRead] = []
    /// The registrations that the locator can find, nearest locator first, in order of registration.
    let registrations: [RegistrationFacts]
    var roots: Roots
    /// The nodes that roots request.
    var rootNodes: Set<Int> = []
    private var positions: [NodeID: Int] = [:]
    var properties: InjectedProperties
    /// The names or requests of properties with a failure, by the type that has them.
    var failedProperties: [ObjectIdentifier: Set<String>] = [:]

    /// - Parameter recorder: The recorder of dependencies, if that is not a behavior of the locator.
    init(
        of locator: LocatorFacts,
        roots: Roots = Roots(),
        recorder: Locator.DependencyRecorder? = nil,
        listsProperties: Bool = StoredProperty.canBeListed
    ) {
        self.locator = locator
        self.roots = roots
        properties = InjectedProperties(canBeListed: listsProperties)
        registrations = locator.chain.flatMap { other in
            other.id == locator.id ? other.registrations : other.registrations.filter { locator.finds($0) }
        }
        nodes.reserveCapacity(registrations.count)
        positions.reserveCapacity(registrations.count)
        for registration in registrations { _ = node(of: registration, requestedFrom: locator) }
        for root in roots.types { addRoot(root) }
        for object in roots.objects { addRoot(object) }
        let recorder = recorder ?? locator.behavior(as: Locator.DependencyRecorder.self)
        var position = 0
        while position < nodes.count {
            addDependencies(ofNode: position, recorder)
            position += 1
        }
    }

    /// The position of the node that creates a service for a request to `caller`. Adds the node if there is none.
    mutating func node(of registration: RegistrationFacts, requestedFrom caller: LocatorFacts) -> Int {
        let reachable = registration.creator(for: caller)
        let creator = reachable ?? registration.locator
        let id = NodeID(registration: registration.id, creator: creator.id)
        let position = positions[id] ?? nodes.count
        if position == nodes.count {
            nodes.append(ServiceNode(registration: registration, creator: creator, isElsewhere: reachable == nil))
            positions[id] = position
        }
        if creator.id != caller.id { nodes[position].isForDescendants = true }
        return position
    }

    func position(of registration: RegistrationFacts) -> Int? {
        let creator = registration.creator(for: locator) ?? registration.locator
        return positions[NodeID(registration: registration.id, creator: creator.id)]
    }

    /// Whether a check was given the type of a registration, and no instance.
    func isPlaceholder(_ registration: RegistrationFacts) -> Bool {
        roots.hasPlaceholders && registration.locator.id == locator.id
    }
}
