extension Locator {
    /// An event of a locator, which its behaviors observe.
    ///
    /// ```swift
    /// struct Slow: Locator.Behavior {
    ///     let observedKinds: Set<Locator.Event.Kind> = [.didCreate]
    ///     func handle(_ event: Locator.Event) { print(event) }
    /// }
    /// locator.add(Slow())
    /// locator.register(.lazy { Garage() })
    /// _ = try locator.resolve(Garage.self)  // Prints "created App.Garage (lazy) in the locator "app" in … ms"
    /// ```
    ///
    /// It contains no instances, and any thread can use it.
    public struct Event: Sendable, CustomStringConvertible {
        /// The kind of the event.
        public let kind: Kind

        /// The identity of the service: of a registration that is inserted or removed, its first one; else the
        /// requested one.
        public let identity: Locator.Identity

        /// All identities of the registration, in their order.
        public let identities: [Locator.Identity]

        /// The lifetime of the registration.
        public let lifetime: Lifetime

        /// Whether a resolve was by ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``; for other
        /// events, whether the closure of the registration is async.
        public let isAsynchronous: Bool

        /// The name of the locator that has the registration, creates or created the service, or was called.
        ///
        /// Nil if the locator has no name.
        public let locatorName: String?

        /// The same locator as the text of errors names it.
        public let locator: String

        /// The services that were being created, from the outermost to this one.
        public var path: [Locator.Identity] { callers + [identity] }

        /// The start of a creation, a resolve or a disposal; the moment of other events.
        public let began: ContinuousClock.Instant

        /// The duration of a ``Kind/didCreate``, ``Kind/didResolve`` or ``Kind/didDispose``, in wall time, which
        /// includes dependencies, waits and suspensions.
        ///
        /// Nil for other events.
        public let duration: Duration?

        /// The number of the thread, as debuggers show it.
        ///
        /// Another thread can have the same number later.
        public let thread: UInt64

        /// Whether the thread is the one of the main actor.
        public let isOnMainThread: Bool

        /// The error of the closure or of a hook.
        ///
        /// Nil on success.
        public let failure: (any Error)?

        /// The identity, and the arguments that the closure declares.
        let title: String
        /// The services that were being created, without this one.
        let callers: [Locator.Identity]
        /// The request of a resolve, where it is known.
        let source: Source?

        /// The kind of an event. Later versions can add kinds.
        ///
        /// ```swift
        /// let endings: Set<Locator.Event.Kind> = [.didUnregister, .didDispose]
        /// locator.add(Locator.Log(endings) { print($0) })
        /// let lamp = locator.register(.eager(Lamp()))
        /// lamp.remove()  // Prints "unregistered App.Lamp (eager) in the locator "app""
        /// ```
        ///
        /// It is a value, and any thread can use it.
        public struct Kind: Hashable, Sendable, CustomStringConvertible {
            /// The kinds of this version. Their raw values are bits of a `UInt8`, so there are eight at most: more need
            /// wider fields in `LocatorCore+Flags.swift`.
            enum Case: UInt8, CaseIterable {
                case didRegister = 1
                case willCreate = 2
                case didCreate = 4
                case didResolve = 8
                case didUnregister = 16
                case didDispose = 32
            }

            let value: Case
            /// Its bit in a set of kinds.
            var bit: UInt8 { value.rawValue }
            /// The name.
            public var description: String { "\(value)" }

            /// Whether behaviors get the event in the frame of the service, which is no caller of itself.
            var isInOwnFrame: Bool {
                switch value {
                case .willCreate, .didCreate: true
                case .didRegister, .didResolve, .didUnregister, .didDispose: false
                }
            }

            /// A registration was inserted under all its identities.
            public static let didRegister = Kind(value: .didRegister)
            /// A closure is about to run.
            public static let willCreate = Kind(value: .willCreate)
            /// A service was created, or the closure or a hook threw.
            public static let didCreate = Kind(value: .didCreate)
            /// A service was returned.
            public static let didResolve = Kind(value: .didResolve)
            /// A registration has lost its last identity.
            public static let didUnregister = Kind(value: .didUnregister)
            /// An instance was disposed of, or an `onDispose` hook threw.
            public static let didDispose = Kind(value: .didDispose)

            /// All kinds.
            public static var all: Set<Kind> {
                Set(Case.allCases.map(Kind.init))
            }
        }

        /// The event in one line: "created Garage (lazy) in the default locator in 1.250 ms, for Trip".
        public var description: String {
            var line = "\(verb) \(title) (\(lifetime)) in \(locator)"
            if let duration { line += " in \(duration.inMilliseconds) ms" }
            let others = kind == .didRegister ? identities.filter { $0 != identity } : []
            if !others.isEmpty { line += ", also as \(others.map(\.description).joined(separator: ", "))" }
            if !callers.isEmpty { line += ", for \(callers.map(\.description).joined(separator: " → "))" }
            if let failure { line += ": \(failure)" }
            return line.split(whereSeparator: \.isNewline).joined(separator: " ")
        }

        private var verb: String {
            switch kind.value {
            case .didResolve: "resolved"
            case .didCreate: failure == nil ? "created" : "failed to create"
            case .willCreate: "creating"
            case .didRegister: "registered"
            case .didUnregister: "unregistered"
            case .didDispose: failure == nil ? "disposed of" : "failed to dispose of"
            }
        }
    }
}

extension Locator.Event {
    /// Where a resolved service comes from.
    struct Source: Sendable {
        /// The request.
        let origin: Request.Origin
        /// The locator that has the registration.
        let registrant: ObjectIdentifier
        /// Whether the service is an element of a list.
        let isContribution: Bool
    }

    /// Whether a resolved service is an element of a list.
    package var isContribution: Bool { source?.isContribution ?? false }

    /// Whether a decorator has resolved the service that it wraps.
    package var isOfDecorator: Bool { source?.origin.kind == .decorator }
}
