public import Injectle

extension Locator {
    /// The services that a locator can find and their dependencies, as a value.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.initializer(Garage.init(database:)))
    /// let graph = locator.graph
    /// for dependency in graph.dependencies {
    ///     print(graph.services[dependency.from].type, "needs", graph.services[dependency.to].type)
    /// }
    /// // Prints "App.Garage needs App.Database"
    /// ```
    ///
    /// It is the state at the time of the call, and contains texts and numbers only: any thread can use it. ``html``,
    /// ``mermaid``, ``dot`` and ``json`` export it: see ``InjectleDiagnostics``.
    public struct Graph: Codable, Hashable, Sendable {
        /// A registration, and the locator that creates its instance.
        ///
        /// ```swift
        /// locator.register(.lazy { Garage() }.lifetime(.weak))
        /// for service in locator.graph.services { print(service.type, service.lifetime) }  // Prints "App.Garage weak"
        /// ```
        public struct Service: Codable, Hashable, Sendable, Identifiable {
            /// The position in ``Graph/services``.
            public let id: Int
            /// The type by which the service is resolved, with its module.
            public let type: String
            /// The text of the key, if there is one.
            public let key: String?
            /// The types and keys of the registration after the first.
            public let otherIdentities: [String]
            /// The module with the registration, from its file.
            public let module: String
            /// The file and line of the registration.
            public let location: String
            /// The lifetime: "lazy", "per locator".
            public let lifetime: String
            /// The actor of the closure: "any thread", "the main actor".
            public let isolation: String
            /// Whether the closure is async.
            public let isAsync: Bool
            /// Whether the locator has an instance.
            public let isCreated: Bool
            /// Whether the registration states all of its dependencies, or its closure cannot resolve any.
            public let declaresDependencies: Bool
            /// The locator with the registration.
            public let locator: String
            /// The locator that creates the instance, if that is another one.
            public let creator: String?
            /// The positions of its faults in ``Graph/findings``.
            public let findings: [Int]
        }

        /// A dependency of one service on another.
        ///
        /// ```swift
        /// locator.register(.lazy { Database() })
        /// locator.register(.lazy { Garage() }.depending(on: Locator.Lazy<Database>.self))
        /// for dependency in locator.graph.dependencies { print(dependency.kind) }  // Prints "lazy"
        /// ```
        public struct Dependency: Codable, Hashable, Sendable {
            /// The position of the service that needs the other.
            public let from: Int
            /// The position of the service that it needs.
            public let to: Int
            /// How it is used: "required", "optional", "list", "lazy", "provider" or "property".
            public let kind: String
            /// Whether an initializer or a modifier declares it.
            public let isDeclared: Bool
            /// Whether a closure or a property has resolved it while a `Locator.DependencyRecorder` observed.
            public let isRecorded: Bool
        }

        /// The name of the locator.
        public let locator: String
        /// The services: the locator's own first, in order of registration.
        public let services: [Service]
        /// The dependencies, in the order of the services that have them.
        public let dependencies: [Dependency]
        /// The faults, as `validate()` returns them.
        public let findings: [Finding]
    }

    /// The services that this locator can find, and their dependencies.
    ///
    /// It shows registrations of this locator and of its parents, without hidden ones, and creates no service. It has
    /// the declared dependencies, and those that a ``DependencyRecorder`` of the locator or of a parent has recorded.
    ///
    /// - Complexity: The same as of `validate(roots:creating:)`, plus the texts.
    public var graph: Graph { DependencyGraph(of: facts).value }
}

extension DependencyGraph {
    /// The graph as a value.
    var value: Locator.Graph {
        let faults = faults
        var findings = [[Int]](repeating: [], count: nodes.count)
        for (index, fault) in faults.enumerated() {
            for node in Set(fault.nodes) { findings[node].append(index) }
        }
        return Locator.Graph(
            locator: locator.title,
            services: nodes.indices.map { service(at: $0, findings: findings[$0]) },
            dependencies: nodes.indices.flatMap { position in
                nodes[position].edges.map { edge in
                    Locator.Graph.Dependency(
                        from: position,
                        to: edge.target,
                        kind: edge.kind.rawValue,
                        isDeclared: edge.isDeclared,
                        isRecorded: edge.isRecorded
                    )
                }
            },
            findings: faults.map(\.finding)
        )
    }

    private func service(at position: Int, findings: [Int]) -> Locator.Graph.Service {
        let node = nodes[position]
        let registration = nodes[position].registration
        let name = registration.identity.description
        let location = registration.location
        return Locator.Graph.Service(
            id: position,
            type: Locator.Identity(registration.identity.type).description,
            key: registration.key,
            otherIdentities: registration.identities.map(\.description).filter { $0 != name },
            module: String(location.prefix { $0 != "/" }),
            location: location,
            lifetime: registration.lifetime.description,
            isolation: registration.isolation,
            isAsync: registration.isAsync,
            isCreated: node.creator.hasInstance(of: registration),
            declaresDependencies: registration.declaresDependencies || !registration.receivesResolver,
            locator: registration.locator.title,
            creator: node.creator.id == registration.locator.id ? nil : node.creator.title,
            findings: findings
        )
    }
}
