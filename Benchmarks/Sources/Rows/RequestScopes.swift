internal import Injectle

extension Row {
    /// Child locators, such as a server has for its requests.
    static let requests: [Row] = [
        Row("9 a child with one override, one resolve", must: 14) {
            let parent = try filledLocator()
            return (
                { count in repeated(count) { overrideByHand(&$0) } },
                { count in try repeated(count) { try overrideInChild(parent, &$0) } }
            )
        },
        Row("10a a request: child, two given, three created, released", must: 38) {
            let server = serverLocator()
            return (
                { count in repeated(count) { handleByHand(&$0) } },
                { count in try repeated(count) { try handle(server, &$0) } }
            )
        },
        Row("10b the same on two threads, over one", must: 1.8) {
            let server = serverLocator()
            let loop: Loop = { count in try repeated(count) { try handle(server, &$0) } }
            return (loop, { count in try onTwoThreads({ try loop(count) }, { try loop(count) }) })
        },
    ]
}

/// A child locator by hand.
private final class Overrides: Sendable {
    let services: [ObjectIdentifier: any Sendable]
    init(_ services: [ObjectIdentifier: any Sendable]) { self.services = services }
}

@inline(never)
private func overrideByHand(_ result: inout (any Store)?) {
    let overrides = Overrides([ObjectIdentifier((any Store).self): Singletons.store])
    result = overrides.services[ObjectIdentifier((any Store).self)] as? any Store
}

@inline(never)
private func overrideInChild(_ parent: Locator, _ result: inout (any Store)?) throws {
    let child = parent.child()
    child.register(.eager(Singletons.store), for: (any Store).self)
    result = try child.resolve((any Store).self)
}

// The services of a request, as a server has them.

protocol User: Sendable {}
protocol Trace: Sendable {}
protocol Session: Sendable {}
protocol Planner: Sendable {}
protocol Handler: Sendable {}

struct SignedInUser: User { let id: Int }
final class LiveTrace: Trace {}

final class LiveSession: Session {
    let user: any User
    init(_ user: any User) { self.user = user }
}

final class LivePlanner: Planner {
    let (session, trace): (any Session, any Trace)
    init(_ session: any Session, _ trace: any Trace) { (self.session, self.trace) = (session, trace) }
}

final class LiveHandler: Handler {
    let (planner, session): (any Planner, any Session)
    init(_ planner: any Planner, _ session: any Session) { (self.planner, self.session) = (planner, session) }
}

/// The scope of a request by hand.
private final class RequestByHand {
    let (user, trace): (any User, any Trace)
    lazy var session: any Session = LiveSession(user)
    lazy var planner: any Planner = LivePlanner(session, trace)
    lazy var handler: any Handler = LiveHandler(planner, session)
    init(_ user: any User, _ trace: any Trace) { (self.user, self.trace) = (user, trace) }
}

private func serverLocator() -> Locator {
    Locator("server") { server in
        server.register(
            .lazy(.anywhere) { try LiveSession($0.resolve()) }.lifetime(.perLocator),
            for: (any Session).self
        )
        server.register(
            .lazy(.anywhere) { try LivePlanner($0.resolve(), $0.resolve()) }.lifetime(.perLocator),
            for: (any Planner).self
        )
        server.register(
            .lazy(.anywhere) { try LiveHandler($0.resolve(), $0.resolve()) }.lifetime(.perLocator),
            for: (any Handler).self
        )
    }
}

@inline(never)
private func handle(_ server: Locator, _ result: inout (any Handler)?) throws {
    let request = server.child("request")
    request.register(.eager(SignedInUser(id: 1)), for: (any User).self)
    request.register(.eager(LiveTrace()), for: (any Trace).self)
    result = try request.resolve((any Handler).self)
}

@inline(never)
private func handleByHand(_ result: inout (any Handler)?) {
    result = RequestByHand(SignedInUser(id: 1), LiveTrace()).handler
}
