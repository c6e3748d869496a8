public import Injectle

extension Locator {
    /// A fault in the registrations of a locator, found without creating a service.
    ///
    /// ```swift
    /// locator.register(.initializer(Garage.init(database:)))
    /// for finding in locator.validate() {
    ///     print(finding.kind, finding.service, finding.dependency ?? "")  // Prints "missing App.Garage App.Database"
    /// }
    /// ```
    ///
    /// It contains texts only, and any thread can use it.
    public struct Finding: Codable, Hashable, Sendable, CustomStringConvertible {
        /// The kind of fault.
        public let kind: Kind
        /// One sentence.
        public let message: String
        /// The type and key of the registration at fault.
        public let service: String
        /// The file and line of that registration; of a property that the check has created, its own; or, of what is
        /// not registered, the locator.
        public let location: String
        /// What the location is of, in the text.
        let label: String
        /// The type and key of the other registration, or of the missing service.
        public let dependency: String?
        /// The file and line of the other registration, if there is one.
        public let dependencyLocation: String?
        /// The services from the one at fault to its dependency; for a ``Kind/cycle``, the whole circle.
        public let path: [String]
        /// The change that removes the fault.
        public let fix: String
        /// Whether `check()` accepts it: a note states what the check does not see.
        public let isNote: Bool

        init(
            _ kind: Kind,
            of service: String,
            in location: String,
            label: String = "registered",
            _ message: String,
            fix: String,
            on dependency: (name: String, location: String?)? = nil,
            path: [String] = [],
            isNote: Bool = false
        ) {
            self.kind = kind
            self.service = service
            self.location = location
            self.label = label
            self.message = message
            self.fix = fix
            self.dependency = dependency?.name
            dependencyLocation = dependency?.location
            self.path = path
            self.isNote = isNote || Kind.notes.contains(kind)
        }

        /// The sentence, and a list of facts.
        public var description: String {
            var facts = [(label, "in \(location)")]
            if let dependency, let dependencyLocation {
                facts.append(("dependency", "\(dependency), registered in \(dependencyLocation)"))
            }
            if path.count > 1 { facts.append(("path", path.joined(separator: " → "))) }
            facts.append(("fix", fix))
            return reportText(message, facts)
        }

        /// A kind of fault. Later versions can add kinds, so a `switch` needs a default case.
        ///
        /// ```swift
        /// let findings = locator.validate().filter { $0.kind == .captive }
        /// print(findings.isEmpty)  // Prints "true"
        /// ```
        public struct Kind: Codable, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
            /// The name of the kind.
            public let rawValue: String

            /// Creates a kind with a name.
            ///
            /// ```swift
            /// print(Locator.Finding.Kind(rawValue: "captive") == .captive)  // Prints "true"
            /// ```
            ///
            /// - Parameter rawValue: The name.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// The name of the kind.
            public var description: String { rawValue }

            /// A dependency is not registered, or only for other arguments.
            public static let missing = Kind(rawValue: "missing")
            /// A service is not of the type that it is registered or requested as.
            public static let wrongType = Kind(rawValue: "wrongType")
            /// A service depends on itself, directly or through others.
            public static let cycle = Kind(rawValue: "cycle")
            /// A service keeps an instance of which each child, request or scope should have its own, such as a
            /// singleton that holds a request's user.
            ///
            /// A singleton of a parent, for example, has the parent's own instance of a service per locator, and shares
            /// it with all children.
            public static let captive = Kind(rawValue: "captive")
            /// A synchronous closure needs a service of an actor on which it does not run.
            public static let wrongIsolation = Kind(rawValue: "wrongIsolation")
            /// A synchronous closure needs an async service that a start of the locator does not create. It is a note
            /// if a start of the checked child creates it, since the check does not see whether the program calls that.
            public static let requiresAsync = Kind(rawValue: "requiresAsync")
            /// A service belongs to a named locator, and its requester is in no locator of that name.
            public static let locatorNotFound = Kind(rawValue: "locatorNotFound")
            /// No root leads to a registration. It is a note if a root leads to something whose dependencies are not
            /// known.
            public static let unreachable = Kind(rawValue: "unreachable")
            /// A registration hides a `final()` one of a parent.
            public static let finalReplaced = Kind(rawValue: "finalReplaced")
            /// A service has resolved other dependencies than it declares.
            public static let dependenciesDiffer = Kind(rawValue: "dependenciesDiffer")
            /// A closure receives a resolver, declares no dependencies, and none were recorded: a note.
            public static let undeclared = Kind(rawValue: "undeclared")
            /// A property resolves a type that is registered under keys: a note, since the type of a property has no
            /// key.
            public static let unknownKey = Kind(rawValue: "unknownKey")
            /// A service is shared and not `Sendable`: a note, since the compiler does not see that two tasks use it.
            public static let notSendable = Kind(rawValue: "notSendable")
            /// A lifetime names a locator that does not exist, and a similar name does: a note.
            public static let unknownName = Kind(rawValue: "unknownName")
            /// A property reads what ends with the checked child, and ends the process after that: a note of a strict
            /// check.
            public static let endsWithLocator = Kind(rawValue: "endsWithLocator")
            /// Nothing needs a type that a check was given: a note.
            public static let unneeded = Kind(rawValue: "unneeded")
            /// Something was not checked, as the message says, such as the properties behind a protocol: a note.
            public static let unchecked = Kind(rawValue: "unchecked")
            /// A service is created with arguments and then shared, so that later arguments are ignored.
            public static let ignoredArguments = Kind(rawValue: "ignoredArguments")
            /// `checkByCreating()` could not create a service.
            public static let creationFailed = Kind(rawValue: "creationFailed")

            fileprivate static let notes: [Kind] = [
                .undeclared, .unknownKey, .unknownName, .notSendable, .endsWithLocator, .unneeded, .unchecked,
            ]
        }
    }
}
