extension Locator {
    /// Something that has happened in a locator, as its behaviors are told.
    ///
    /// ```swift
    /// struct Slow: Locator.Behavior {
    ///     func didCreate(_ event: Locator.Event) { print(event) }
    /// }
    /// locator.add(Slow())
    /// locator.register(.lazy { Garage() })
    /// _ = try locator.resolve(Garage.self)  // Prints "created App.Garage (lazy) in the locator "app" in … ms"
    /// ```
    ///
    /// It has no service in it, so it can be kept, and handed to any thread.
    public struct Event: Sendable, CustomStringConvertible {
        /// What has happened.
        public let kind: Kind

        /// What it is about.
        ///
        /// For a registration that comes or goes, it is what that is known as first; else what the service was asked
        /// for as.
        public let identity: ServiceKey

        /// All that the registration is known as, in the order they are listed.
        public let identities: [ServiceKey]

        /// The lifetime of the registration.
        public let lifetime: Lifetime

        /// Whether what is told of awaits: for a resolve, whether it was one by
        /// ``Locator/resolveAsync(_:key:isolation:fileID:line:)->Service``; for a wait, no; for all others, whether the
        /// registration's closure does.
        public let isAsynchronous: Bool

        /// The name of the locator where it happens, or nil if that has none.
        ///
        /// It is the one that has the registration, the one that makes, or the one that was asked.
        public let locatorName: String?

        /// That locator, as errors call it.
        public let locator: String

        /// What was being made, from the outermost to this one, which comes last.
        public let path: [ServiceKey]

        /// When it began: for what lasts, the creation, the resolve or the wait; for all others, the moment of the event.
        public let began: ContinuousClock.Instant

        /// How long it took, for what lasts: ``Kind/didCreate``, ``Kind/didResolve``, ``Kind/didWait`` and
        /// ``Kind/didDispose``.
        ///
        /// Nil for all others.
        public let duration: Duration?

        /// The number of the thread where it happens, as debuggers show it.
        ///
        /// Another thread may have it later.
        public let thread: UInt64

        /// Whether that is the thread of the main actor.
        public let isOnMainThread: Bool

        /// What the closure, a hook or a disposer threw, or why a wait was given up.
        ///
        /// Nil if it went well.
        public let failure: (any Error)?

        /// What kind of event it is: a list that can grow.
        ///
        /// ```swift
        /// let endings: Set<Locator.Event.Kind> = [.didUnregister, .didDispose]
        /// locator.add(Locator.Log(endings) { print($0) })
        /// let lamp = locator.register(.eager(Lamp()))
        /// lamp.remove()  // Prints "unregistered App.Lamp (eager) in the locator "app""
        /// ```
        ///
        /// It is a value, and can be shared by all threads.
        public struct Kind: Hashable, Sendable, CustomStringConvertible {
            /// The name of the function of ``Behavior`` that is called.
            public var description: String { name.rawValue }

            /// A registration is in, with all its identities.
            public static let didRegister = Kind(name: .didRegister)
            /// A closure is about to run.
            public static let willCreate = Kind(name: .willCreate)
            /// A service was made, or the closure or a hook threw.
            public static let didCreate = Kind(name: .didCreate)
            /// A service was handed out.
            public static let didResolve = Kind(name: .didResolve)
            /// A registration has lost its last identity.
            public static let didUnregister = Kind(name: .didUnregister)
            /// An instance was ended, or what was to end it threw.
            public static let didDispose = Kind(name: .didDispose)
            /// A thread has waited for the main actor, or gave that up.
            public static let didWait = Kind(name: .didWait)

            /// All kinds.
            public static var all: Set<Kind> { Set(Name.allCases.map(Kind.init)) }

            private enum Name: String, CaseIterable {
                case didRegister, willCreate, didCreate, didResolve, didUnregister, didDispose, didWait
            }

            private let name: Name

            private init(name: Name) {
                self.name = name
            }

            /// Calls the function of a behavior.
            func send(_ event: Event, to behavior: any Behavior) {
                switch name {
                case .didRegister: behavior.didRegister(event)
                case .willCreate: behavior.willCreate(event)
                case .didCreate: behavior.didCreate(event)
                case .didResolve: behavior.didResolve(event)
                case .didUnregister: behavior.didUnregister(event)
                case .didDispose: behavior.didDispose(event)
                case .didWait: behavior.didWait(event)
                }
            }

            /// The words before and after the identity in a description.
            fileprivate func words(hasFailed: Bool) -> (before: String, after: String) {
                switch name {
                case .didRegister: ("registered", "")
                case .willCreate: ("creating", "")
                case .didCreate: (hasFailed ? "failed to create" : "created", "")
                case .didResolve: ("resolved", "")
                case .didUnregister: ("unregistered", "")
                case .didDispose: (hasFailed ? "failed to dispose of" : "disposed of", "")
                case .didWait: (hasFailed ? "timed out waiting for" : "waited for", " on the main actor")
                }
            }
        }

        /// The event in one line: "created Garage (lazy) in the default locator in 1.250 ms, for Trip".
        public var description: String {
            let words = kind.words(hasFailed: failure != nil)
            let also = identities.filter { $0 != identity }.map(\.description)
            var line = "\(words.before) \(identity)\(words.after) (\(lifetime)) in \(locator)"
            if let duration { line += " in \(duration.inMilliseconds) ms" }
            if kind == .didRegister, !also.isEmpty { line += ", also as \(also.joined(separator: ", "))" }
            if path.count > 1 { line += ", for \(path.dropLast().map(\.description).joined(separator: " → "))" }
            if let failure { line += ": \(failure)" }
            // What is in it may have more than one.
            return line.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
    }
}

extension Duration {
    /// In nanoseconds.
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }

    /// In milliseconds, with three digits behind the point.
    var inMilliseconds: String { Duration.thousandths(of: nanoseconds / 1_000) }

    /// A number of thousandths with three digits behind the point.
    static func thousandths(of count: Int64) -> String {
        let digits = String(count.magnitude % 1_000)
        let padded = String(repeating: "0", count: 3 - digits.count) + digits
        return "\(count < 0 ? "-" : "")\(count.magnitude / 1_000).\(padded)"
    }
}
