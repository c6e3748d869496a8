public import Injectle

extension Locator {
    /// Which registration answers a request, and why.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// print(locator.explain(Database.self))
    /// ```
    ///
    /// ```text
    /// App.Database is registered in the default locator for this type and key.
    ///   registered  in App/DatabaseModule.swift:12
    ///   lifetime    lazy, not created
    /// ```
    ///
    /// It contains texts only, and any thread can use it.
    public struct Explanation: Codable, Hashable, Sendable, CustomStringConvertible {
        /// A registration that could answer, and the reason why it does not.
        ///
        /// ```swift
        /// locator.register(.lazy { Garage() }, key: "second")
        /// for candidate in locator.explain(Garage.self).candidates { print(candidate.reason) }
        /// // Prints "it has the key "second""
        /// ```
        public struct Candidate: Codable, Hashable, Sendable {
            /// The type and key of the registration.
            public let identity: String
            /// The file and line of the registration.
            public let location: String
            /// The locator with the registration.
            public let locator: String
            /// Why another registration answers.
            public let reason: String
        }

        /// The rule by which a registration was found. Later versions can add rules.
        ///
        /// ```swift
        /// locator.register(.lazy { Garage() })
        /// print(locator.explain(Garage.self).rule == .registered)  // Prints "true"
        /// ```
        public struct Rule: Codable, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
            /// The name of the rule.
            public let rawValue: String

            /// Creates a rule with a name.
            ///
            /// ```swift
            /// print(Locator.Explanation.Rule(rawValue: "missing") == .missing)  // Prints "true"
            /// ```
            ///
            /// - Parameter rawValue: The name.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// The name of the rule.
            public var description: String { rawValue }

            /// The locator has a registration for the type and key.
            public static let registered = Rule(rawValue: "registered")
            /// The nearest ancestor with a registration for the type and key has it.
            public static let inherited = Rule(rawValue: "inherited")
            /// The latest registration with the key, whatever its type, in the nearest locator that has one.
            public static let keyAlone = Rule(rawValue: "keyAlone")
            /// The type is composed of registered services: `T?`, `[T]`, `Lazy`.
            public static let composed = Rule(rawValue: "composed")
            /// The registration declares arguments, which the request must pass.
            public static let arguments = Rule(rawValue: "arguments")
            /// No registration answers.
            public static let missing = Rule(rawValue: "missing")
        }

        /// The requested type and key.
        public let request: String
        /// The rule by which the registration was found.
        public let rule: Rule
        /// The rule in one sentence.
        public let reason: String
        /// The registration that answers, or the elements of a list.
        public let services: [Graph.Service]
        /// The registrations that do not answer, and why.
        public let candidates: [Candidate]
        /// The services that need one of the ``services``: declared or recorded dependencies.
        public let dependents: [Graph.Service]
        /// The services that the ``services`` need.
        public let dependencies: [Graph.Service]

        /// The findings about the ``services``, as `validate()` returns them.
        public let findings: [Finding]

        /// The sentence, and a list of facts.
        public var description: String {
            var facts: [(label: String, text: String)] = []
            for service in services {
                facts.append(("registered", "in \(service.location)"))
                facts.append(("lifetime", "\(service.lifetime), \(service.isCreated ? "created" : "not created")"))
                if let creator = service.creator { facts.append(("created by", creator)) }
            }
            for candidate in candidates {
                let place = "registered in \(candidate.location), in \(candidate.locator)"
                facts.append(("instead of", "\(candidate.identity), \(place): \(candidate.reason)"))
            }
            for service in dependencies { facts.append(("needs", "\(service.name), \(service.lifetime)")) }
            for service in dependents { facts.append(("needed by", "\(service.name), \(service.lifetime)")) }
            for finding in findings {
                facts.append(("finding", finding.message))
                facts.append(("fix", finding.fix))
            }
            return reportText(reason, facts)
        }
    }

    /// Returns which registration answers a request, and why, without creating a service.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.initializer(Garage.init(database:)))
    /// let explanation = locator.explain(Database.self)
    /// print(explanation.rule, explanation.dependents.map(\.type))  // Prints "registered ["App.Garage"]"
    /// ```
    ///
    /// That a service is not `Sendable`, was created on the main actor and was read elsewhere is a finding only where a
    /// ``DependencyRecorder`` has observed the reads.
    ///
    /// - Parameters:
    ///   - type: The type of the request, which can be composed: `T?`, `[T]`.
    ///   - key: The key of the request.
    /// - Returns: The registration, the rule by which a resolve finds it, the other candidates and the dependencies.
    /// - Complexity: The same as of `graph`.
    public func explain<Service>(_ type: Service.Type, key: AnyHashable? = nil) -> Explanation {
        DependencyGraph(of: facts).explanation(of: Identity(requesting: type, key: key))
    }
}

extension Locator.Graph.Service {
    /// The type and the key.
    var name: String { key.map { "\(type) under the key \($0)" } ?? type }
}
