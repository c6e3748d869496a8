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
        public let identity: Locator.Identity

        /// All identities of the registration, in their order.
        public var identities: [Locator.Identity] { rareParts?.allIdentities ?? [identity] }

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
        public var locator: String { LocatorCore.title(of: locatorName, member: member) }

        /// The services that were being created, from the outermost to this one.
        public var path: [Locator.Identity] { (callers?.keys ?? []) + [identity] }

        /// The start of a creation, a resolve, a wait or a disposal; the moment of other events.
        public var began: ContinuousClock.Instant { start.instant }

        /// The duration of a ``Kind/didCreate``, ``Kind/didResolve``, ``Kind/didWait`` or ``Kind/didDispose``, in wall
        /// time, which includes dependencies, waits and suspensions.
        ///
        /// Nil for other events.
        public var duration: Duration? { end.map { start.duration(to: $0) } }

        /// The number of the thread, as debuggers show it.
        ///
        /// Another thread can have the same number later.
        public let thread: UInt64

        /// Whether the thread is the one of the main actor.
        public let isOnMainThread: Bool

        /// The error of the closure or of a hook, or of a wait that timed out.
        ///
        /// Nil on success.
        public var failure: (any Error)? { rareParts?.failure }

        // The parts of the properties above that cost more to build than an event: most behaviors read a few of them.

        let member: LocatorCore.Member?
        let callers: CallerPath?
        let start: EventTime
        let end: EventTime?
        /// The request of a resolve, where it is known.
        var source: Source? = nil
        var rareParts: RareParts? = nil

        /// What few events have, so that the others are faster to copy.
        final class RareParts: Sendable {
            let failure: (any Error)?
            /// The identities of the registration, unless the event's is the only one.
            let allIdentities: [Locator.Identity]?
            /// The closure that a thread has waited for.
            let hop: Hop?

            private init(_ failure: (any Error)?, _ allIdentities: [Locator.Identity]?, _ hop: Hop?) {
                (self.failure, self.allIdentities, self.hop) = (failure, allIdentities, hop)
            }

            /// Nil if there are none. An initializer would allocate an object before it fails.
            static func make(failure: (any Error)?, allIdentities: [Locator.Identity]? = nil, hop: Hop? = nil)
                -> RareParts?
            {
                failure == nil && allIdentities == nil && hop == nil ? nil : RareParts(failure, allIdentities, hop)
            }
        }

        /// A closure of the main actor that creates several instances, and for which callers elsewhere wait.
        final class Hop: Sendable {
            let location: SourceLocation
            let callers: Int

            init?(of record: RegistrationRecord) {
                guard let callers = record.mainActorCallers?.count, callers > 0 else { return nil }
                (location, self.callers) = (record.location, callers)
            }
        }

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
            /// The position of its bit in `EventKinds`.
            let number: UInt8

            /// A registration was inserted under all its identities.
            public static let didRegister = Kind(number: 0)
            /// A closure is about to run.
            public static let willCreate = Kind(number: 1)
            /// A service was created, or the closure or a hook threw.
            public static let didCreate = Kind(number: 2)
            /// A service was returned.
            public static let didResolve = Kind(number: 3)
            /// A registration has lost its last identity.
            public static let didUnregister = Kind(number: 4)
            /// An instance was disposed of, or an `onDispose` hook threw.
            public static let didDispose = Kind(number: 5)
            /// A thread has waited for the main actor, or the wait timed out.
            public static let didWait = Kind(number: 6)

            /// All kinds.
            public static var all: Set<Kind> {
                [didRegister, willCreate, didCreate, didResolve, didUnregister, didDispose, didWait]
            }

            /// The name of the function of ``Behavior``.
            public var description: String {
                switch self {
                case .didRegister: "didRegister"
                case .willCreate: "willCreate"
                case .didCreate: "didCreate"
                case .didResolve: "didResolve"
                case .didUnregister: "didUnregister"
                case .didDispose: "didDispose"
                default: "didWait"
                }
            }
        }

        /// The event in one line: "created Garage (lazy) in the default locator in 1.250 ms, for Trip".
        public var description: String { Line.text(of: self) { $0.append(to: &$1) } }

        private func append(to line: inout Line) {
            line.append(unbroken: verb)
            line.append(identity)
            line.append(unbroken: kind == .didWait ? " on the main actor (" : " (")
            if let name = lifetime.fixedName { line.append(unbroken: name) } else { line.append(lifetime.description) }
            if member == nil, let locatorName {
                line.append(unbroken: ") in the locator \"")
                line.append(locatorName)
                line.append(unbroken: end == nil ? "\"" : "\" in ")
            } else {
                line.append(unbroken: ") in ")
                line.append(locator)
                if end != nil { line.append(unbroken: " in ") }
            }
            if let end {
                line.append(asMilliseconds: start.nanoseconds(to: end))
                line.append(unbroken: callers == nil ? " ms" : " ms, for ")
            }
            var isFirst = true
            if kind == .didRegister {
                for other in rareParts?.allIdentities ?? [] where other != identity {
                    line.append(unbroken: isFirst ? ", also as " : ", ")
                    line.append(other)
                    isFirst = false
                }
            }
            if callers != nil, end == nil { line.append(unbroken: ", for ") }
            isFirst = true
            callers?.forEach { caller in
                if !isFirst { line.append(unbroken: " → ") }
                line.append(caller)
                isFirst = false
            }
            if let hop = rareParts?.hop {
                line.append(hop.callers == 1 ? ", from one caller so far" : ", from \(hop.callers) callers so far")
                line.append("; its closure is on the main actor in \(hop.location)")
            }
            if let failure { line.append(": \(failure)") }
        }

        private var verb: StaticString {
            switch kind {
            case .didRegister: "registered "
            case .willCreate: "creating "
            case .didCreate: failure == nil ? "created " : "failed to create "
            case .didResolve: "resolved "
            case .didUnregister: "unregistered "
            case .didDispose: failure == nil ? "disposed of " : "failed to dispose of "
            default: failure == nil ? "waited for " : "timed out waiting for "
            }
        }
    }
}

/// The services that were being created, from the outermost to the innermost. Most paths are short, and need no memory of
/// their own.
struct CallerPath {
    private let first: Locator.Identity
    private let second: Locator.Identity?
    private let rest: [Locator.Identity]

    /// - Parameters:
    ///   - count: The number of services, at least one.
    ///   - next: Returns them, from the innermost to the outermost.
    init(count: Int, next: () -> Locator.Identity) {
        if count < 3 {
            second = count == 2 ? next() : nil
            first = next()
            rest = []
        } else {
            let all = (0..<count).map { _ in next() }
            (first, second, rest) = (all[count - 1], all[count - 2], all[..<(count - 2)].reversed())
        }
    }

    var keys: [Locator.Identity] {
        var keys: [Locator.Identity] = []
        forEach { keys.append($0) }
        return keys
    }

    /// Calls `body` with each service.
    func forEach(_ body: (Locator.Identity) -> Void) {
        body(first)
        if let second { body(second) }
        rest.forEach(body)
    }
}

/// A set of kinds, as bits.
struct EventKinds: OptionSet {
    let rawValue: UInt

    static var didRegister: EventKinds { EventKinds(.didRegister) }
    static var willCreate: EventKinds { EventKinds(.willCreate) }
    static var creation: EventKinds { EventKinds(.willCreate).union(EventKinds(.didCreate)) }
    static var didResolve: EventKinds { EventKinds(.didResolve) }
    static var didUnregister: EventKinds { EventKinds(.didUnregister) }
    static var didDispose: EventKinds { EventKinds(.didDispose) }
    static var didWait: EventKinds { EventKinds(.didWait) }

    init(rawValue: UInt) { self.rawValue = rawValue }

    init(_ kind: Locator.Event.Kind) { rawValue = 1 << UInt(kind.number) }

    init(_ kinds: Set<Locator.Event.Kind>) { rawValue = kinds.reduce(0) { $0 | EventKinds($1).rawValue } }

    func contains(_ kind: Locator.Event.Kind) -> Bool { !isDisjoint(with: EventKinds(kind)) }
}

extension Line {
    /// Appends an identity. Only its key may have line breaks.
    fileprivate mutating func append(_ identity: Locator.Identity) {
        if identity.keyPart == nil {
            unsafe append(TypeName.of(identity.type).pointee.utf8)
        } else {
            append(identity.description)
        }
    }
}
