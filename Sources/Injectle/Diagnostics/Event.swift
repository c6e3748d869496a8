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
        public var identity: Locator.Identity { rareParts?.identity ?? Locator.Identity(type: type, keyPart: nil) }

        /// All identities of the registration, in their order.
        public var identities: [Locator.Identity] { rareParts?.allIdentities ?? [identity] }

        /// The lifetime of the registration.
        public var lifetime: Lifetime { Lifetime(lifetimeKind, rareParts?.lifetimeDetails) }

        /// Whether a resolve was by ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``; false for a wait;
        /// for other events, whether the closure of the registration is async.
        public let isAsynchronous: Bool

        /// The name of the locator that has the registration, creates or created the service, or was called.
        ///
        /// Nil if the locator has no name.
        public var locatorName: String? { shortName.isEmpty ? rareParts?.locatorName : shortName.text }

        /// The same locator as the text of errors names it.
        public var locator: String { LocatorCore.title(of: locatorName, member: member) }

        /// The services that were being created, from the outermost to this one.
        public var path: [Locator.Identity] { callers.identities + [identity] }

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

        // The parts of the properties above, most of which few behaviors read. Only one is a reference, since each costs
        // every event a retain and a release.

        let type: Any.Type
        /// The name of the locator, if it is known as a short text.
        private let shortName: ShortText
        let lifetimeKind: Lifetime.Kind
        let member: LocatorCore.Member?
        private let callerTypes: CallerPath.Types?
        let start: EventTime
        let end: EventTime?
        /// The request of a resolve, where it is known.
        let source: Source?
        private let rareParts: RareParts?

        /// Created in a locator, for a registration.
        init(
            _ kind: Kind,
            of record: RegistrationRecord,
            as identity: Locator.Identity,
            in core: LocatorCore,
            for callers: CallerPath,
            isAsynchronous: Bool,
            threadNumber: UInt64,
            isOnMainThread: Bool,
            start: EventTime,
            end: EventTime?,
            failure: (any Error)?,
            source: Source?
        ) {
            // First, since it can call a function, which the other values would have to outlast.
            rareParts = RareParts.make(kind, of: record, as: identity, in: core, for: callers, failure)
            self.kind = kind
            type = identity.type
            lifetimeKind = record.lifetimeKind
            self.isAsynchronous = isAsynchronous
            shortName = core.shortName
            member = core.member
            thread = threadNumber
            self.isOnMainThread = isOnMainThread
            self.start = start
            self.end = end
            self.source = source
            callerTypes = callers.types
        }

        /// The services that were being created, without this one.
        var callers: CallerPath { CallerPath(types: callerTypes, others: rareParts?.callers) }

        /// What few events have.
        final class RareParts: Sendable {
            /// The identity, if it is not the type alone.
            let identity: Locator.Identity?
            let lifetimeDetails: Lifetime.Details?
            /// The name of the locator, if it is not known as a short text.
            let locatorName: String?
            /// A path that is longer than three services, or has keys.
            let callers: [Locator.Identity]?
            let failure: (any Error)?
            /// The identities of the registration, unless the event's is the only one.
            let allIdentities: [Locator.Identity]?
            /// The closure that a thread has waited for.
            let hop: Hop?

            @inline(never)
            private init(
                _ kind: Kind,
                of record: RegistrationRecord,
                as identity: Locator.Identity,
                in core: LocatorCore,
                for callers: CallerPath,
                _ failure: (any Error)?
            ) {
                self.identity = identity.keyPart == nil ? nil : identity
                lifetimeDetails = record.lifetimeDetails
                locatorName = core.shortName.isEmpty ? core.name : nil
                self.callers = callers.others
                self.failure = failure
                allIdentities = record.hasOnly(identity) ? nil : record.identities
                hop = kind == .didWait ? Hop(of: record) : nil
            }

            /// Of events that have nothing rare but the name.
            init(locatorName: String) {
                self.locatorName = locatorName
                (identity, lifetimeDetails, callers, failure, allIdentities, hop) = (nil, nil, nil, nil, nil, nil)
            }

            /// Nil if there are none. An initializer would allocate an object before it fails.
            @inline(__always)
            static func make(
                _ kind: Kind,
                of record: RegistrationRecord,
                as identity: Locator.Identity,
                in core: LocatorCore,
                for callers: CallerPath,
                _ failure: (any Error)?
            ) -> RareParts? {
                let areNone =
                    kind != .didWait && failure == nil && identity.keyPart == nil && callers.others == nil
                    && record.lifetimeDetails == nil && record.hasOnly(identity)
                if areNone {
                    if !core.shortName.isEmpty || core.name == nil { return nil }
                    if let parts = core.longNameParts { return parts }
                }
                return RareParts(kind, of: record, as: identity, in: core, for: callers, failure)
            }

            fileprivate func appendOtherIdentities(than identity: Locator.Identity, to line: inout Line) {
                var separator: StaticString = ", also as "
                for other in allIdentities ?? [] where other != identity {
                    line.append(unbroken: separator)
                    line.append(other)
                    separator = ", "
                }
            }

            /// Appends the callers, the hop and the failure.
            fileprivate func appendEnd(to line: inout Line) {
                var separator: StaticString = ""
                for caller in callers ?? [] {
                    line.append(unbroken: separator)
                    line.append(caller)
                    separator = " → "
                }
                if let hop {
                    line.append(hop.callers == 1 ? ", from one caller so far" : ", from \(hop.callers) callers so far")
                    line.append("; its closure is on the main actor in \(hop.location)")
                }
                if let failure { line.append(": \(failure)") }
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
        public var description: String { Line.text(of: self) { $0.append($0.rareParts, to: &$1) } }

        /// The rare parts are a parameter, since each look at the property would retain them.
        private func append(_ rareParts: RareParts?, to line: inout Line) {
            let hasCallers = callerTypes != nil || rareParts?.callers != nil
            appendVerb(hasFailed: rareParts?.failure != nil, to: &line)
            if let identity = rareParts?.identity { line.append(identity) } else { line.append(nameOf: type) }
            if kind == .didWait { line.append(unbroken: " on the main actor (") } else { line.append(unbroken: " (") }
            if Lifetime.withFixedName(of: lifetimeKind, { line.append(unbroken: $0) }) == nil {
                line.append(Lifetime(lifetimeKind, rareParts?.lifetimeDetails).description)
            }
            if member == nil, !shortName.isEmpty {
                line.append(unbroken: ") in the locator \"")
                line.append(shortName)
                if end == nil { line.append(unbroken: "\"") } else { line.append(unbroken: "\" in ") }
            } else {
                appendLocator(rareParts, to: &line)
                if end != nil { line.append(unbroken: " in ") }
            }
            if let end {
                line.append(asMilliseconds: start.nanoseconds(to: end))
                if hasCallers { line.append(unbroken: " ms, for ") } else { line.append(unbroken: " ms") }
            }
            if kind == .didRegister, let rareParts { rareParts.appendOtherIdentities(than: identity, to: &line) }
            if hasCallers, end == nil { line.append(unbroken: ", for ") }
            if let callerTypes {
                line.append(nameOf: callerTypes.first)
                if let second = callerTypes.second { line.append(nextCaller: second) }
                if let third = callerTypes.third { line.append(nextCaller: third) }
            }
            if let rareParts { rareParts.appendEnd(to: &line) }
        }

        /// Appends the locator, unless its name is a short text.
        @inline(never)
        private func appendLocator(_ rareParts: RareParts?, to line: inout Line) {
            guard member == nil, let name = rareParts?.locatorName else {
                line.append(unbroken: ") in ")
                return line.append(locator)
            }
            line.append(unbroken: ") in the locator \"")
            line.append(name)
            line.append(unbroken: "\"")
        }

        /// Appends literals, which are copied in words.
        @inline(__always)
        private func appendVerb(hasFailed: Bool, to line: inout Line) {
            switch kind {
            case .didResolve: line.append(unbroken: "resolved ")
            case .didCreate where hasFailed: line.append(unbroken: "failed to create ")
            case .didCreate: line.append(unbroken: "created ")
            case .willCreate: line.append(unbroken: "creating ")
            case .didRegister: line.append(unbroken: "registered ")
            case .didUnregister: line.append(unbroken: "unregistered ")
            case .didDispose where hasFailed: line.append(unbroken: "failed to dispose of ")
            case .didDispose: line.append(unbroken: "disposed of ")
            default: line.append(unbroken: hasFailed ? "timed out waiting for " : "waited for ")
            }
        }
    }
}

/// The services that were being created, from the outermost to the innermost. Most paths are of one to three types, and
/// need no memory of their own.
struct CallerPath {
    typealias Types = (first: Any.Type, second: Any.Type?, third: Any.Type?)

    var types: Types?
    var others: [Locator.Identity]?

    var isEmpty: Bool { types == nil && others == nil }

    var identities: [Locator.Identity] {
        var identities: [Locator.Identity] = []
        forEach { identities.append($0) }
        return identities
    }

    /// Calls `body` with each service.
    func forEach(_ body: (Locator.Identity) -> Void) {
        if let types {
            body(Locator.Identity(type: types.first, keyPart: nil))
            if let second = types.second { body(Locator.Identity(type: second, keyPart: nil)) }
            if let third = types.third { body(Locator.Identity(type: third, keyPart: nil)) }
        }
        others?.forEach(body)
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

    @inline(__always)
    init(_ kind: Locator.Event.Kind) { rawValue = 1 &<< UInt(kind.number) }

    init(_ kinds: Set<Locator.Event.Kind>) { rawValue = kinds.reduce(0) { $0 | EventKinds($1).rawValue } }

    @inline(__always)
    func contains(_ kind: Locator.Event.Kind) -> Bool { !isDisjoint(with: EventKinds(kind)) }
}

extension Line {
    /// Appends an identity. Only its key may have line breaks.
    fileprivate mutating func append(_ identity: Locator.Identity) {
        if identity.keyPart == nil { append(nameOf: identity.type) } else { append(identity.description) }
    }

    fileprivate mutating func append(nextCaller type: Any.Type) {
        append(unbroken: " → ")
        append(nameOf: type)
    }

    /// The rare cases are out of line, so that the usual one keeps no registers for their calls.
    fileprivate mutating func append(nameOf type: Any.Type) {
        if let name = unsafe TypeName.known(type), unsafe append(padded: name.pointee.utf8) { return }
        appendRare(nameOf: type)
    }

    @inline(never)
    private mutating func appendRare(nameOf type: Any.Type) { unsafe append(TypeName.of(type).pointee.utf8) }
}
