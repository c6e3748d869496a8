public import Injectle

extension Locator {
    /// A behavior that records which services the closures and properties of services resolve.
    ///
    /// ```swift
    /// locator.add(Locator.DependencyRecorder())
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// _ = try locator.resolve(Garage.self)
    /// print(locator.graph.dependencies.map(\.isRecorded))  // Prints "[true]"
    /// ```
    ///
    /// `graph` shows recorded dependencies, and `validate(roots:creating:)` compares them with the declared ones. They
    /// cover the locator that it was added to and its descendants, from then on. The recorder retains no service: all
    /// registrations of one source line, type and key have the same dependencies. It keeps each key that was resolved,
    /// so remove it from programs that make keys as they run.
    public final class DependencyRecorder: Behavior {
        /// A registration of the source code.
        private struct Source: Hashable {
            let location: String
            let serviceType: ObjectIdentifier
            let identity: Int

            init(_ registration: RegistrationFacts) {
                location = registration.location
                serviceType = ObjectIdentifier(registration.serviceType)
                identity = registration.identities[0].hashValue
            }
        }

        /// A dependency, compared without the `==` of its key, which is user code.
        struct Dependency: Hashable {
            let identity: Identity
            var isProperty = false
            /// Whether it is an element of a list that was resolved.
            var isList = false
            /// The file and line of a property.
            var location: String?
            /// Whether a hook has resolved it, and the closure has not.
            let isOfHook = Locator.isHookInProgress

            static func == (left: Dependency, right: Dependency) -> Bool {
                left.identity.type == right.identity.type && left.isList == right.isList
                    && left.identity.hashValue == right.identity.hashValue && left.isProperty == right.isProperty
            }

            func hash(into hasher: inout Hasher) { hasher.combine(identity) }
        }

        /// Dependencies, each once, in the order in which they were recorded.
        private struct Recording {
            private var known: Set<Dependency> = []
            private(set) var dependencies: [Dependency] = []

            mutating func insert(_ dependency: Dependency) {
                if known.insert(dependency).inserted { dependencies.append(dependency) }
            }
        }

        /// The kinds of events that it records.
        public let observedKinds: Set<Event.Kind> = [.didResolve, .didCreate]

        private let recorded = Mutex<[Source: Recording]>([:])
        /// The services that were resolved off the main actor, without the `==` of their keys.
        private let resolvedElsewhere = Mutex<Set<Dependency>>([])
        package let defersProperties: Bool

        /// Creates a recorder.
        ///
        /// ```swift
        /// let handle = locator.add(Locator.DependencyRecorder())
        /// handle.remove()
        /// ```
        public convenience init() { self.init(defersProperties: false) }

        /// - Parameter defersProperties: Whether `@Injected(resolve: .eager)` properties leave their resolve to the
        ///   first read.
        init(defersProperties: Bool) {
            self.defersProperties = defersProperties
        }

        /// Records a resolved service as a dependency of the service that requested it.
        ///
        /// ```swift
        /// locator.add(Locator.DependencyRecorder())
        /// locator.register(.lazy { Garage() })
        /// _ = try locator.resolve(Garage.self)
        /// print(locator.graph.dependencies.count)  // Prints "0"
        /// ```
        ///
        /// - Parameter event: The event, which is ignored if it is a failure.
        public func handle(_ event: Event) {
            if event.failure != nil { return }
            if event.kind == .didResolve, !event.isOnMainThread {
                let dependency = Dependency(identity: event.identity)
                resolvedElsewhere.withLock { _ = $0.insert(dependency) }
            }
            // The creation of a service without dependencies is recorded, too. A decorator declares the decorated
            // service.
            let isDependency = event.kind == .didResolve && !event.isOfDecorator
            record(isDependency ? Dependency(identity: event.identity, isList: event.isContribution) : nil)
        }

        fileprivate func record(_ dependency: Dependency?) {
            guard let registration = Locator.registrationInProgress else { return }
            let source = Source(registration)
            recorded.withLock { recorded in
                var recording = recorded[source] ?? Recording()
                if let dependency { recording.insert(dependency) }
                recorded[source] = recording
            }
        }

        /// Whether a service was resolved off the main actor, by one of its identities.
        func wasResolvedElsewhere(_ registration: RegistrationFacts) -> Bool {
            let dependencies = registration.identities.map { Dependency(identity: $0) }
            return resolvedElsewhere.withLock { resolved in dependencies.contains { resolved.contains($0) } }
        }

        /// Returns the recorded dependencies of a registration, or nil if no creation of its service was recorded.
        func dependencies(of registration: RegistrationFacts) -> [Dependency]? {
            let source = Source(registration)
            return recorded.withLock { $0[source]?.dependencies }
        }
    }
}

extension Locator.DependencyRecorder: PropertyObserver {
    package func didCreateProperty(of identity: Locator.Identity, at location: String) {
        record(Dependency(identity: identity, isProperty: true, location: location))
    }
}
