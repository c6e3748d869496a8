extension Locator {
    /// An event of a locator, which its behaviors observe.
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
    /// It contains no instances, and any thread can use it.
    public struct Event: Sendable, CustomStringConvertible {
        /// The kind of the event.
        public let kind: Kind

        /// The identity of the service: of a registration that is inserted or removed, its first one; else the requested
        /// one.
        public let identity: ServiceKey

        /// All identities of the registration, in their order.
        public let identities: [ServiceKey]

        /// The lifetime of the registration.
        public let lifetime: Lifetime

        /// Whether a resolve was by ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``; false for a wait;
        /// for other events, whether the closure of the registration is async.
        public let isAsynchronous: Bool

        /// The name of the locator that has the registration, creates or created the service, or was called.
        ///
        /// Nil if the locator has no name.
        public let locatorName: String?

        /// The same locator as the text of errors names it.
        public let locator: String

        /// The services that were being created, from the outermost to this one.
        public let path: [ServiceKey]

        /// The start of a creation, a resolve, a wait or a disposal; the moment of other events.
        public let began: ContinuousClock.Instant

        /// The duration of a ``Kind/didCreate``, ``Kind/didResolve``, ``Kind/didWait`` or ``Kind/didDispose``, in wall
        /// time, which includes dependencies, waits and suspensions.
        ///
        /// Nil for other events.
        public let duration: Duration?

        /// The number of the thread, as debuggers show it.
        ///
        /// Another thread can have the same number later.
        public let thread: UInt64

        /// Whether the thread is the one of the main actor.
        public let isOnMainThread: Bool

        /// The error of the closure or of a hook, or of a wait that timed out.
        ///
        /// Nil on success.
        public let failure: (any Error)?

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
            /// The name of the function of ``Behavior``.
            public let description: String

            /// A registration was inserted under all its identities.
            public static let didRegister = Kind(description: "didRegister")
            /// A closure is about to run.
            public static let willCreate = Kind(description: "willCreate")
            /// A service was created, or the closure or a hook threw.
            public static let didCreate = Kind(description: "didCreate")
            /// A service was returned.
            public static let didResolve = Kind(description: "didResolve")
            /// A registration has lost its last identity.
            public static let didUnregister = Kind(description: "didUnregister")
            /// An instance was disposed of, or an `onDispose` hook threw.
            public static let didDispose = Kind(description: "didDispose")
            /// A thread has waited for the main actor, or the wait timed out.
            public static let didWait = Kind(description: "didWait")

            /// All kinds.
            public static var all: Set<Kind> {
                [didRegister, willCreate, didCreate, didResolve, didUnregister, didDispose, didWait]
            }
        }

        /// The event in one line: "created Garage (lazy) in the default locator in 1.250 ms, for Trip".
        public var description: String {
            let also = identities.filter { $0 != identity }.map(\.description)
            var line = "\(verb) \(identity)\(kind == .didWait ? " on the main actor" : "") (\(lifetime)) in \(locator)"
            if let duration { line += " in \(duration.inMilliseconds) ms" }
            if kind == .didRegister, !also.isEmpty { line += ", also as \(also.joined(separator: ", "))" }
            if path.count > 1 { line += ", for \(path.dropLast().map(\.description).joined(separator: " → "))" }
            if let failure { line += ": \(failure)" }
            // An identity or an error can have several lines.
            return line.split(whereSeparator: \.isNewline).joined(separator: " ")
        }

        private var verb: String {
            switch kind {
            case .didRegister: "registered"
            case .willCreate: "creating"
            case .didCreate: failure == nil ? "created" : "failed to create"
            case .didResolve: "resolved"
            case .didUnregister: "unregistered"
            case .didDispose: failure == nil ? "disposed of" : "failed to dispose of"
            default: failure == nil ? "waited for" : "timed out waiting for"
            }
        }
    }
}

extension Duration {
    /// In nanoseconds.
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }

    /// In milliseconds, with three decimals.
    var inMilliseconds: String {
        let count = nanoseconds / 1_000
        let decimals = String(1_000 + count.magnitude % 1_000).dropFirst()
        return "\(count < 0 ? "-" : "")\(count.magnitude / 1_000).\(decimals)"
    }
}
