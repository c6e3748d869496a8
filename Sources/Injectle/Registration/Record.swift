/// A registration as a locator keeps it: without the service's type in its own, so that all share one class.
///
/// Invariant: immutable once it is in a table, but for what that table's core guards by its lock: `slots`, which counts the
/// slots that lead here, and, for what a locator keeps, `make` and `given`, which are let go of when the one instance has
/// been made and when the last slot goes. The `make` of a volatile registration stays, and is read freely.
final class Record: @unchecked Sendable {
    // Sound to share: see the invariant. The closures are called where `place` says; what they capture is their author's
    // to protect.

    /// Initializes memory for a value of `serviceType`.
    typealias Make = (Locator.Resolver, UnsafeMutableRawPointer) throws -> Void
    /// Initializes memory for a value of `serviceType` from another such value.
    typealias Copy = (UnsafeRawPointer, UnsafeMutableRawPointer) throws -> Void

    let serviceType: Any.Type
    let isSendable: Bool
    let lifetime: Locator.Lifetime
    let place: Place
    let identities: [ServiceKey]
    let isFinal: Bool
    let site: Site
    /// The instance of an eager registration.
    private(set) var given: Instance?
    private(set) var make: Make?
    let copy: Copy?
    var slots = 0
    /// The place in its locator's order of registration.
    var serial = 0

    init(
        serviceType: Any.Type,
        isSendable: Bool,
        lifetime: Locator.Lifetime,
        place: Place,
        identities: [ServiceKey],
        isFinal: Bool,
        site: Site,
        given: Instance?,
        make: Make?,
        copy: Copy?
    ) {
        self.serviceType = serviceType
        self.isSendable = isSendable
        self.lifetime = lifetime
        self.place = place
        self.identities = identities
        self.isFinal = isFinal
        self.site = site
        self.given = given
        self.make = make
        self.copy = copy
    }

    /// Takes away what makes the one instance, with all that it captures. The core's lock is held.
    func release(_ garbage: inout Garbage) {
        guard lifetime.isKept else { return }
        garbage.add(closure: make)
        garbage.add(given)
        make = nil
        given = nil
    }
}

/// Where a registration's closure runs.
enum Place {
    /// On whichever thread asks.
    case anywhere
    /// On the actor it was written on.
    case on(Home)

    /// An actor, without keeping it alive. A closure that is isolated to one captures it, so as long as the closure can be
    /// called, nothing else has its address.
    struct Home {
        let actor: ObjectIdentifier
        let isMain: Bool
        let type: Any.Type

        init(_ actor: any Actor) {
            self.actor = ObjectIdentifier(actor)
            isMain = actor === MainActor.shared
            type = Swift.type(of: actor)
        }

        var name: String { isMain ? "the main actor" : "the actor \(spelled(type))" }
    }

    /// The place of a closure that was written in the given isolation.
    init(_ isolation: (any Actor)?) {
        guard let isolation else {
            self = .anywhere
            return
        }
        self = .on(Home(isolation))
    }

    static var main: Place { .on(Home(MainActor.shared)) }

    /// Whether code that runs in `isolation`, as far as that is known, is already there.
    func isHere(_ isolation: (any Actor)?) -> Bool {
        switch self {
        case .anywhere: true
        case .on(let home) where home.isMain: MainActorDesk.isMainThread
        case .on(let home): isolation.map(ObjectIdentifier.init) == home.actor
        }
    }
}

/// A place in the source, as errors name it.
struct Site: Sendable, CustomStringConvertible {
    private let file: StaticString
    private let line: UInt32

    init(_ file: StaticString, _ line: UInt) {
        self.file = file
        self.line = UInt32(truncatingIfNeeded: line)
    }

    var description: String { "\(file):\(line)" }
}
