/// The services that requests to a locator can reach and their dependencies, determined without creating any.
///
/// A node is a registration and the locator that creates its instance, so a service that is created for each locator can be
/// several nodes. Each declared or recorded dependency is looked up by `Resolution.find`, as a resolve of the closure does.
final class DependencyGraph {
    struct Node {
        let entry: Entry
        let creator: LocatorCore
        /// Whether the lifetime names a locator that no request to this one can reach. Its dependencies are then
        /// looked up in the registering locator, and a missing one is no fault.
        let isElsewhere: Bool
        // Copies of facts of the record, so that a search retains no object of a node without faults.
        let isAsynchronous: Bool
        let isIsolated: Bool
        let keepsDependencies: Bool
        let hasLimitedLifetime: Bool
        /// Whether its closure can resolve services that it does not declare.
        let isUndeclared: Bool
        /// The positions of its edges.
        var edges = 0..<0
        /// Whether a descendant of the creator requests it.
        var isForDescendants = false
        /// Whether its creation was recorded.
        var isRecorded = false
        /// Whether the locator of the graph both requests it by this entry and creates it.
        var isOwn = false

        var record: RegistrationRecord { entry.record }

        init(_ entry: Entry, _ record: RegistrationRecord, createdBy creator: LocatorCore, isElsewhere: Bool) {
            (self.entry, self.creator, self.isElsewhere) = (entry, creator, isElsewhere)
            isAsynchronous = record.isAsynchronous
            isIsolated = record.isolation.isActor
            let lifetime = record.lifetime
            keepsDependencies = lifetime.keepsDependencies
            hasLimitedLifetime = lifetime.isLimited
            isUndeclared = record.receivesResolver && !record.declaresDependencies
        }
    }

    struct Edge {
        /// The position of the dependency's node.
        let target: Int
        /// The entry by which it is found, with the requested type.
        let entry: Entry
        let kind: Kind
        /// Whether a modifier or an initializer declares it.
        var isDeclared: Bool
        /// Whether a modifier declares it, so that the closure may not resolve it.
        var isByModifier: Bool
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
        let error: InjectleError
        /// The registration that was found, and does not fit.
        let found: Entry?
    }

    private struct NodeID: Hashable {
        let record: ObjectIdentifier
        let creator: ObjectIdentifier
    }

    let core: LocatorCore
    // Unchecked, since the checks would be a third of the cost of a validation: one thread builds the graph, and no code
    // that changes one of these calls other code before it is done.
    @safe @exclusivity(unchecked) private(set) var nodes: [Node] = []
    /// The edges of all nodes, in their order.
    @safe @exclusivity(unchecked) private(set) var edges: [Edge] = []
    private(set) var failures: [Failure] = []
    /// The registered entries that the locator can find, nearest locator first, in order of registration.
    @safe @exclusivity(unchecked) private(set) var entries: [Entry] = []
    /// The nodes of the roots.
    private(set) var roots: [Int] = []
    /// Whether there are roots, found or not.
    let hasRoots: Bool
    /// The nodes of the locator's own registrations, by the serial number of these. Most nodes are such.
    @safe @exclusivity(unchecked) private var ownPositions: [Int32]
    @safe @exclusivity(unchecked) private var positions: [NodeID: Int] = [:]
    private let recorder: DependencyRecorder?

    init(of core: LocatorCore, roots: [Locator.Identity] = []) {
        self.core = core
        hasRoots = !roots.isEmpty
        recorder = core.dependencyRecorder
        ownPositions = []
        for other in core.chain {
            for entry in other.ownEntries where other === core || core.isVisible(entry.record, as: entry.identity) {
                entries.append(entry)
            }
        }
        ownPositions = [Int32](repeating: -1, count: (entries.map { Int($0.record.serial) }.max() ?? 0) + 1)
        nodes.reserveCapacity(entries.count)
        edges.reserveCapacity(entries.count)
        for entry in entries { _ = add(entry, for: core) }
        for root in roots { add(root: root) }
        var position = 0
        var targets: [Target] = []
        while position < nodes.count {
            expand(position, &targets)
            position += 1
        }
    }

    /// The position of the node that creates an entry's service for a request to `caller`.
    private func add(_ entry: Entry, for caller: LocatorCore) -> Int {
        if caller === core, let position = ownPosition(of: entry) { return position }
        let (record, registrant) = (entry.record, entry.core)
        let reachable = record.lifetime.creator(registrant, for: caller)
        let creator = reachable ?? registrant
        let position = position(of: record, in: creator) ?? nodes.count
        if position == nodes.count {
            nodes.append(Node(entry, record, createdBy: creator, isElsewhere: reachable == nil))
            if creator === core, ownPositions.indices.contains(Int(record.serial)), ownPositions[Int(record.serial)] < 0
            {
                ownPositions[Int(record.serial)] = Int32(position)
                nodes[position].isOwn = caller === core
            } else {
                positions[NodeID(record: ObjectIdentifier(record), creator: ObjectIdentifier(creator))] = position
            }
        }
        if creator !== caller { nodes[position].isForDescendants = true }
        return position
    }

    func position(of entry: Entry, for caller: LocatorCore) -> Int? {
        position(of: entry.record, in: entry.creator(for: caller) ?? entry.core)
    }

    /// The position of the node that an earlier request for the same entry has added.
    private func ownPosition(of entry: Entry) -> Int? {
        let serial = entry.withRecord { Int($0.serial) }
        guard ownPositions.indices.contains(serial) else { return nil }
        let position = Int(ownPositions[serial])
        return position >= 0 && nodes[position].isOwn && nodes[position].entry === entry ? position : nil
    }

    private func position(of record: RegistrationRecord, in creator: LocatorCore) -> Int? {
        if creator === core, ownPositions.indices.contains(Int(record.serial)) {
            let position = Int(ownPositions[Int(record.serial)])
            // A registration of another locator can have the same number.
            if position >= 0, nodes[position].entry.leads(to: record) { return position }
        }
        if positions.isEmpty { return nil }
        return positions[NodeID(record: ObjectIdentifier(record), creator: ObjectIdentifier(creator))]
    }

    func edges(of position: Int) -> ArraySlice<Edge> { edges[nodes[position].edges] }

    // MARK: Dependencies

    private func expand(_ position: Int, _ targets: inout [Target]) {
        let (record, first) = (nodes[position].record, edges.count)
        nodes[position].edges = first..<first
        defer { nodes[position].edges = first..<edges.count }
        for dependency in record.dependencies {
            let request = request(dependency.type, dependency.keyPart, of: record)
            add(request, of: position, .required, isByModifier: dependency.isByModifier, &targets)
        }
        guard let recorder, let recorded = recorder.dependencies(of: record) else { return }
        nodes[position].isRecorded = true
        for dependency in recorded {
            let identity = dependency.identity
            let request = request(identity.type, identity.requestedPart, of: record)
            if identity.isContribution {
                for entry in nodes[position].creator.contributions(to: identity.type, userKey: identity.userKey) {
                    connect(position, to: (entry, .list), from: first, isByModifier: false, isRecorded: true)
                }
            } else {
                let kind: Kind = dependency.isProperty ? .property : .optional
                add(request, of: position, kind, isByModifier: true, isRecorded: true, &targets)
            }
        }
    }

    private func request(_ type: Any.Type, _ keyPart: Locator.Identity.KeyPart?, of record: RegistrationRecord)
        -> ResolveRequest
    {
        ResolveRequest(
            type: type,
            keyPart: keyPart,
            location: record.location,
            isOptional: false
        )
    }

    /// A request that no code makes.
    static func request(for identity: Locator.Identity) -> ResolveRequest {
        ResolveRequest(
            type: identity.type,
            keyPart: identity.keyPart,
            location: SourceLocation(#fileID, #line),
            isOptional: false
        )
    }

    private func add(root: Locator.Identity) {
        let request = DependencyGraph.request(for: root)
        do throws(InjectleError) {
            var targets: [Target] = []
            try find(request, in: core, .required, acceptsArguments: true, &targets)
            for target in targets { roots.append(add(target.entry, for: core)) }
        } catch {
            failures.append(Failure(node: nil, dependency: root, error: error, found: nil))
        }
    }

    private func add(
        _ request: ResolveRequest,
        of position: Int,
        _ kind: Kind,
        isByModifier: Bool,
        isRecorded: Bool = false,
        _ targets: inout [Target]
    ) {
        // Usually one. `removeAll(keepingCapacity:)` would replace a range of the array, which costs more.
        while targets.popLast() != nil {}
        do throws(InjectleError) {
            try find(request, in: nodes[position].creator, kind, acceptsArguments: isByModifier, &targets)
        } catch {
            // Another locator may have registered a service that was resolved once.
            if isRecorded && kind != .property || nodes[position].isElsewhere { return }
            failures.append(Failure(node: position, dependency: error.identity ?? request.identity, error: error, found: nil))
        }
        let first = nodes[position].edges.lowerBound
        for target in targets {
            connect(position, to: target, from: first, isByModifier: isByModifier, isRecorded: isRecorded)
            // A key alone can lead to a service of another type.
            let entry = target.entry
            if entry.role != .registered, entry.canNeverProvideItsType {
                let error = InjectleError.wrongType(entry.record, origin: entry.identity, request)
                failures.append(Failure(node: position, dependency: entry.identity, error: error, found: entry))
            }
        }
    }

    typealias Target = (entry: Entry, kind: Kind)

    /// Adds the entries that a request leads to, by the look-up of a resolve.
    func find(
        _ request: ResolveRequest,
        in core: LocatorCore,
        _ kind: Kind,
        acceptsArguments: Bool,
        _ targets: inout [Target]
    ) throws(InjectleError) {
        do throws(InjectleError) {
            let found = try Resolution.find(request, in: core)
            if let entry = found.entry { return targets.append((entry, kind)) }
            switch found.composed?.composition(of: request, in: core) {
            case .service(let part):
                let kind = kind == .required ? .optional : kind
                try find(part, in: core, kind, acceptsArguments: acceptsArguments, &targets)
            case .later(let part, let keepsFirst):
                let kind: Kind = keepsFirst ? .lazy : .provider
                // Arguments can be passed to a provider.
                try find(part, in: core, kind, acceptsArguments: acceptsArguments || !keepsFirst, &targets)
            case .list(let entries):
                targets += entries.map { ($0, kind.isImmediate ? .list : kind) }
            case .nothing, nil:
                break
            }
        } catch {
            guard error.kind == .wrongArguments, acceptsArguments else { throw error }
            targets += core.entriesDeclaringArguments(as: request.identity).map { ($0, kind) }
        }
    }

    /// - Parameter first: The position of the node's first edge.
    private func connect(
        _ position: Int,
        to target: Target,
        from first: Int,
        isByModifier: Bool,
        isRecorded: Bool
    ) {
        let node = add(target.entry, for: nodes[position].creator)
        if isRecorded, let index = edges[first...].firstIndex(where: { $0.target == node }) {
            edges[index].isRecorded = true
            return
        }
        edges.append(
            Edge(
                target: node,
                entry: target.entry,
                kind: target.kind,
                isDeclared: !isRecorded,
                isByModifier: isByModifier && !isRecorded,
                isRecorded: isRecorded
            )
        )
    }
}

extension Entry {
    /// Whether no instance of the registration can be of the identity's type, as far as that is known without one.
    var canNeverProvideItsType: Bool {
        let type = identity.type
        if type == record.serviceType { return false }
        if let given { return given.cast(to: type) == nil }
        return isKnownToDiffer(record.serviceType, from: type)
    }
}

/// Returns whether no value of a type can be cast to another one. False where that is not known without a value.
func isKnownToDiffer(_ type: Any.Type, from other: Any.Type) -> Bool {
    let (type, other) = (unwrapped(type), unwrapped(other))
    // The value of a protocol or of a function can be of any type that conforms.
    if type == other || isAbstract(type) && !(type is AnyClass) { return false }
    func isSubtype<Other>(of _: Other.Type) -> Bool { type is Other.Type }
    if _openExistential(other, do: isSubtype) { return false }
    if other is AnyClass || !isAbstract(other) { return true }
    // A protocol: the metatype of its conforming types is not its own metatype, and has no spelling in generic code.
    guard let name = _mangledTypeName(other), let metatype = _typeByName(name + "Xp") else { return false }
    func isConforming<Metatype>(to _: Metatype.Type) -> Bool { (type as Any) is Metatype }
    return !_openExistential(metatype, do: isConforming)
}
