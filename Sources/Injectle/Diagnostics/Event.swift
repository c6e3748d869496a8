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
        public var identities: [Locator.Identity] { allIdentities ?? [identity] }

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
        public var began: ContinuousClock.Instant { .eventEpoch + start }

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

        // The parts of the properties above that cost more to build than an event: most behaviors read a few of them.

        /// The identities of the registration, unless `identity` is the only one.
        let allIdentities: [Locator.Identity]?
        let member: LocatorCore.Member?
        let callers: CallerPath?
        /// Since `eventEpoch`, since optional instants are slow to copy.
        let start: Duration
        /// The closure that a thread has waited for.
        var hop: Hop? = nil
        /// The request of a resolve, where it is known.
        var source: Source? = nil

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
        public var description: String {
            var line = Line()
            line.append(unbroken: verb)
            line.append(unbroken: " ")
            line.append(identity)
            if kind == .didWait { line.append(unbroken: " on the main actor") }
            line.append(unbroken: " (")
            line.append(lifetime.description)
            line.append(unbroken: ") in ")
            if member == nil, let locatorName {
                line.append(unbroken: "the locator \"")
                line.append(locatorName)
                line.append(unbroken: "\"")
            } else {
                line.append(locator)
            }
            if let duration {
                line.append(unbroken: " in ")
                line.append(milliseconds: duration)
                line.append(unbroken: " ms")
            }
            if kind == .didRegister {
                line.append(identities.filter { $0 != identity }, after: ", also as ", separator: ", ")
            }
            unsafe callers?.withKeys { unsafe line.append($0, after: ", for ", separator: " → ") }
            if let hop {
                line.append(hop.callers == 1 ? ", from one caller so far" : ", from \(hop.callers) callers so far")
                line.append("; its closure is on the main actor in \(hop.location)")
            }
            if let failure { line.append(": \(failure)") }
            return line.text
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

/// The services that were being created, from the outermost to the innermost, in one allocation: an array costs several
/// times more.
@safe
struct CallerPath: @unchecked Sendable {
    // Sound to share: the buffer is immutable once it is initialized.

    private final class Buffer: ManagedBuffer<Int, Locator.Identity> {
        deinit {
            unsafe withUnsafeMutablePointers { count, keys in _ = unsafe keys.deinitialize(count: count.pointee) }
        }
    }

    private let buffer: ManagedBuffer<Int, Locator.Identity>

    /// - Parameter initialize: Initializes memory for the keys.
    init(count: Int, _ initialize: (UnsafeMutablePointer<Locator.Identity>) -> Void) {
        buffer = Buffer.create(minimumCapacity: count) { _ in count }
        unsafe buffer.withUnsafeMutablePointerToElements(initialize)
    }

    var keys: [Locator.Identity] { unsafe withKeys { unsafe Array($0) } }

    func withKeys<Value>(_ body: (UnsafeBufferPointer<Locator.Identity>) -> Value) -> Value {
        unsafe buffer.withUnsafeMutablePointers { count, keys in
            unsafe body(UnsafeBufferPointer(start: keys, count: count.pointee))
        }
    }
}

extension ContinuousClock.Instant {
    /// The instant from which events count.
    static let eventEpoch = ContinuousClock.now

    /// The time since then.
    static var eventTime: Duration { eventEpoch.duration(to: ContinuousClock.now) }
}

/// A set of kinds, as bits.
struct EventKinds: OptionSet {
    let rawValue: UInt

    static var didRegister: EventKinds { EventKinds(.didRegister) }
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
        if identity.keyPart == nil { append(unbroken: spelled(identity.type)) } else { append(identity.description) }
    }

    /// Appends identities, if there are any.
    fileprivate mutating func append(
        _ identities: some Collection<Locator.Identity>,
        after prefix: String,
        separator: String
    ) {
        var separatorOrPrefix = prefix
        for identity in identities {
            append(unbroken: separatorOrPrefix)
            append(identity)
            separatorOrPrefix = separator
        }
    }
}
