internal import Dispatch
internal import Injectle

extension Row {
    /// Row 14: the scope of a request: a child with two given values, whose three services need each other, are resolved
    /// once, and go with the child.
    static let requests: [Row] = [
        Row("14a-request-scope") {
            let server = serverLocator()
            return (
                { count in repeated(count) { handlePlainly(&$0) } },
                { count in try repeated(count) { try handle(server, &$0) } }
            )
        },
        Row("14b-request-scope-on-two-threads-to-one") {
            let server = serverLocator()
            let loop: @Sendable (Int) throws -> Duration = { count in
                try repeated(count) { try handle(server, &$0) }
            }
            return (loop, { count in try onTwoThreads({ try loop(count) }, { try loop(count) }) })
        },
        Row("14c-request-scope-closed-to-released") {
            let server = serverLocator()
            return (
                { count in try inTask { try await repeatedAsync(count) { try handle(server, &$0) } } },
                { count in try inTask { try await repeatedAsync(count) { try await handleAndClose(server, &$0) } } }
            )
        },
        Row("14d-request-by-with-child-to-by-hand") {
            let server = serverLocator()
            return (
                { count in try inTask { try await repeatedAsync(count) { try await handleByHand(server, &$0) } } },
                { count in try inTask { try await repeatedAsync(count) { try await handleWithChild(server, &$0) } } }
            )
        },
        Row("14e-request-scope-by-name-to-any") {
            let (any, named) = (serverLocator(), serverLocator(.perLocator(named: "request")))
            return (
                { count in try repeated(count) { try handle(any, &$0) } },
                { count in try repeated(count) { try handle(named, &$0) } }
            )
        },
        Row("14f-request-by-hand-on-two-threads-to-one") {
            let loop: @Sendable (Int) throws -> Duration = { count in
                repeated(count) { handlePlainly(&$0) }
            }
            return (loop, { count in try onTwoThreads({ try loop(count) }, { try loop(count) }) })
        },
    ]
}

// The services of a request.

final class User: Sendable {}
final class Trace: Sendable {}

final class Store: Sendable {
    let user: User
    init(_ user: User) { self.user = user }
}

final class Planner: Sendable {
    let store: Store
    let trace: Trace
    init(_ store: Store, _ trace: Trace) {
        self.store = store
        self.trace = trace
    }
}

final class Handler: Sendable {
    let planner: Planner
    let store: Store
    init(_ planner: Planner, _ store: Store) {
        self.planner = planner
        self.store = store
    }
}

/// The scope of a request, by hand.
private final class PlainRequest {
    let user: User
    let trace: Trace
    lazy var store = Store(user)
    lazy var planner = Planner(store, trace)
    lazy var handler = Handler(planner, store)

    init(_ user: User, _ trace: Trace) {
        self.user = user
        self.trace = trace
    }
}

/// The locator of a server, with the services of its requests.
func serverLocator(_ lifetime: Locator.Lifetime = .perLocator) -> Locator {
    Locator("server") { server in
        registerOthers(10, in: server)
        server.register(.lazy(.anywhere) { try Store($0.resolve()) }.lifetime(lifetime))
        server.register(.lazy(.anywhere) { try Planner($0.resolve(), $0.resolve()) }.lifetime(lifetime))
        server.register(.lazy(.anywhere) { try Handler($0.resolve(), $0.resolve()) }.lifetime(lifetime))
    }
}

@inline(never)
func handle(_ server: Locator, _ result: inout Handler?) throws {
    let child = server.child("request")
    try use(child, &result)
}

@inline(never)
private func handleAndClose(_ server: Locator, _ result: inout Handler?) async throws {
    let child = server.child("request")
    try use(child, &result)
    await child.close()
}

@inline(never)
private func handleByHand(_ server: Locator, _ result: inout Handler?) async throws {
    let child = server.child("request")
    do {
        result = try await Locator.$shared.withValue(child) { () async throws -> Handler? in
            var result: Handler?
            try use(child, &result)
            return result
        }
    } catch {
        await child.close()
        throw error
    }
    await child.close()
}

@inline(never)
private func handleWithChild(_ server: Locator, _ result: inout Handler?) async throws {
    result = try await server.withChild("request") { child in
        var result: Handler?
        try use(child, &result)
        return result
    }
}

@inline(never)
private func use(_ child: Locator, _ result: inout Handler?) throws {
    child.register(.eager(User()))
    child.register(.eager(Trace()))
    let handler = try child.resolve(Handler.self)
    let planner = try child.resolve(Planner.self)
    let store = try child.resolve(Store.self)
    precondition(handler.planner === planner && planner.store === store)
    result = handler
}

@inline(never)
private func handlePlainly(_ result: inout Handler?) {
    let request = PlainRequest(User(), Trace())
    let handler = request.handler
    precondition(handler.planner === request.planner && handler.store === request.store)
    result = handler
}

/// Like `repeated`.
private func repeatedAsync<Result>(_ count: Int, _ operation: (inout Result?) async throws -> Void) async rethrows
    -> Duration
{
    var result: Result?
    let start = ContinuousClock.now
    for _ in 0..<count { try await operation(&result) }
    return start.duration(to: .now)
}

/// Runs a loop in a task, and waits for it.
func inTask(_ loop: @escaping @Sendable () async throws -> Duration) throws -> Duration {
    let ended = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var outcome: Result<Duration, any Error>?
    Task.detached {
        do { outcome = .success(try await loop()) } catch { outcome = .failure(error) }
        ended.signal()
    }
    ended.wait()
    return try outcome!.get()
}
