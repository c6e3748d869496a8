import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Page: NSObject, NSCopying {
    let callLog: CallLog
    init(_ callLog: CallLog) {
        self.callLog = callLog
        callLog.record("+prototype")
    }
    func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Not `Sendable`.
@MainActor private final class Screen {
    init(_ callLog: CallLog) { callLog.record("+screen") }
}

/// What `start()` creates, and its order.
@Suite struct StartTests {
    private let locator = Locator("start", mainActorTimeout: .seconds(600))
    private let callLog = CallLog()

    private func loggedService(_ name: String, _ lifetime: Locator.Lifetime = .lazy)
        -> Locator.Registration<LoggedService>
    {
        .lazy(.anywhere) { [callLog] in LoggedService(name, callLog) }.lifetime(lifetime)
    }

    private func asyncLoggedService(_ name: String, _ lifetime: Locator.Lifetime = .lazy)
        -> Locator.Registration<LoggedService>
    {
        .lazy(.anywhere) { [callLog] in
            await Task.yield()
            return LoggedService(name, callLog)
        }.lifetime(lifetime)
    }

    // MARK: Created services

    @Test func `start creates marked and async services`() async throws {
        locator.register(loggedService("marked").atStart(), key: "marked")
        locator.register(asyncLoggedService("async"), key: "async")
        locator.register(asyncLoggedService("both").atStart(), key: "both")
        locator.register(loggedService("named", .perLocator(named: "start")).atStart(), key: "named")
        locator.register(loggedService("perArgument", .perArgument).atStart(), key: "perArgument")
        locator.register(loggedService("composite", .composite(.perLocator, .weak)).atStart(), key: "composite")
        locator.register(.factory(Page(callLog)).atStart())
        try await locator.start()
        let names = [
            "marked", "async", "both", "named", "perArgument", "composite", "prototype",
        ]
        #expect(callLog.drain().sorted() == names.map { "+\($0)" }.sorted())
        // Synchronous resolves succeed and create nothing.
        for key in names.dropLast() { #expect(try locator.resolve(LoggedService.self, key: key).name == key) }
        _ = try locator.resolve(Page.self)
        #expect(callLog.drain() == [])
    }

    @Test func `start of a named locator creates the services named for it`() async throws {
        locator.register(loggedService("marked", .perLocator(named: "session")).atStart(), key: "marked")
        locator.register(asyncLoggedService("async", .perLocator(named: "session")), key: "async")
        try await locator.start()
        #expect(callLog.drain() == [])
        let session = locator.child("session")
        let page = session.child("page")
        try await page.start()
        #expect(callLog.drain() == [])
        try await session.start()
        #expect(callLog.drain().sorted() == ["+async", "+marked"])
        #expect(
            try page.resolve(LoggedService.self, key: "async") === session.resolve(LoggedService.self, key: "async")
        )
        try await session.start()
        #expect(callLog.drain() == [])
    }

    @Test func `start creates nothing else`() async throws {
        locator.register(loggedService("lazy"), key: "lazy")
        locator.register(loggedService("perLocator", .perLocator), key: "perLocator")
        for (name, lifetime) in [("volatile", Locator.Lifetime.volatile), ("weak", .weak), ("graph", .graph)] {
            locator.register(loggedService(name, lifetime).atStart(), key: name)
            locator.register(asyncLoggedService(name, lifetime), key: "\(name) async")
        }
        locator.register(asyncLoggedService("perArgument", .perArgument), key: "perArgument")
        let registration: Locator.Registration<LoggedService> = .lazy(.anywhere) {
            [callLog] (_: Locator.Resolver, name: String) in
            await Task.yield()
            return LoggedService(name, callLog)
        }
        locator.register(registration.atStart(), key: "declared")
        try await locator.start()
        #expect(callLog.drain() == [])
    }

    @Test func `start of a child creates its own instances only`() async throws {
        let child = locator.child()
        locator.register(asyncLoggedService("per locator", .perLocator))
        locator.register(loggedService("marked per locator", .perLocator).atStart(), key: "marked")
        locator.register(asyncLoggedService("parent's"), key: "parent's")
        locator.register(asyncLoggedService("hidden", .perLocator), key: "hidden")
        child.register(asyncLoggedService("child's"), key: "hidden")
        try await child.start()
        #expect(callLog.drain().sorted() == ["+child's", "+marked per locator", "+per locator"])
        let service = try child.resolve(LoggedService.self)
        #expect(thrown { try locator.resolve(LoggedService.self) } == .requiresAsync)
        try await locator.start()
        #expect(callLog.drain() == ["+parent's"])
        #expect(try child.resolve(LoggedService.self) === service)
    }

    private static let perLocator: [Locator.Lifetime] = [
        .perLocator, .composite(.perLocator), .composite(.perLocator, .graph),
        .composite(.perLocator, .perLocator(named: "page")),
    ]

    @Test(arguments: perLocator)
    func `start leaves instances per locator to the descendants`(_ lifetime: Locator.Lifetime) async throws {
        let session = locator.child("session")
        let page = session.child()
        session.register(asyncLoggedService("async", lifetime), key: "async")
        session.register(loggedService("marked", lifetime).atStart(), key: "marked")
        // The registering locator, a parent and a descendant.
        try await session.start()
        try await locator.start()
        #expect(callLog.drain() == [])
        try await page.start()
        #expect(callLog.drain().contains("+marked"))
        #expect(try page.resolve(LoggedService.self, key: "marked").name == "marked")
        #expect(callLog.drain().isEmpty)
    }

    @Test func `A request's start creates services with its dependencies`() async throws {
        locator.register(
            .lazy(.anywhere) { locator in
                await Task.yield()
                return [try locator.resolve(String.self)]
            }.lifetime(.perLocator)
        )
        try await locator.start()
        for name in ["Ada", "Grace"] {
            let request = locator.child("request")
            request.register(.eager(name))
            try await request.start()
            #expect(try request.resolve([String].self) == [name])
        }
    }

    @Test func `The error of a locator without the dependencies names a child`() async throws {
        locator.register(
            .lazy(.anywhere) { locator async throws in [try locator.resolve(String.self)] }.lifetime(.perLocator)
        )
        let error = try #require(await thrown { try await locator.resolveAsync([String].self) })
        #expect(error == .missing)
        let fix = "fix           resolve or start Array<String>, which is per locator, in a child that has String"
        #expect(error.description.contains(fix))
    }

    @Test func `start of a child creates every inherited contribution`() async throws {
        for name in ["one", "two", "three"] {
            locator.register(asyncLoggedService(name, .perLocator(named: "page")).contributing(to: LoggedService.self))
        }
        let page = locator.child("page")
        try await page.start()
        #expect(callLog.drain().sorted() == ["+one", "+three", "+two"])
    }

    @Test func `start of a closed locator throws`() async throws {
        locator.register(asyncLoggedService("a"))
        await locator.close()
        let error = await thrown { try await locator.start() }
        #expect(error == .locatorClosed)
        #expect(
            try #require(error).description.contains("Nothing can be started in the locator \"start\", which is closed")
        )
        #expect(callLog.drain() == [])
    }

    // MARK: Order

    @Test func `start creates services concurrently`() async throws {
        let both = Barrier(2)
        for name in ["a", "b"] {
            // Each factory waits for the other.
            locator.register(
                .lazy(.anywhere) { [callLog] in
                    await both.arrive()
                    return LoggedService(name, callLog)
                },
                key: name
            )
        }
        try await locator.start()
        #expect(callLog.drain().sorted() == ["+a", "+b"])
    }

    @Test func `start creates a service after its dependencies`() async throws {
        locator.register(
            .lazy(.anywhere) { [callLog] locator in
                _ = try await locator.resolveAsync(LoggedService.self, key: "second")
                return LoggedService("third", callLog)
            },
            key: "third"
        )
        locator.register(
            .lazy(.anywhere) { [callLog] locator in
                _ = try locator.resolve(LoggedService.self, key: "first")
                return LoggedService("second", callLog)
            }.atStart(),
            key: "second"
        )
        locator.register(asyncLoggedService("first"), key: "first")
        try await locator.start()
        #expect(callLog.drain() == ["+first", "+second", "+third"])
    }

    @Test func `Concurrent starts create every service once`() async throws {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { [callLog] in
                hasBegun.set()
                await mayGoOn.reached()
                return LoggedService("slow", callLog)
            },
            key: "slow"
        )
        locator.register(loggedService("marked").atStart(), key: "marked")
        async let first: Void = locator.start()
        await hasBegun.reached()
        let second = await ProbeActor.startTask { [locator, callLog] _ in
            try await locator.start()
            callLog.record("started")
        }
        mayGoOn.set()
        try await first
        try await second.value
        #expect(callLog.drain().sorted() == ["+marked", "+slow", "started"])
    }

    // MARK: The main actor

    @MainActor @Test func `start on the main actor creates main actor services there`() async throws {
        locator.register(asyncLoggedService("needed"))
        locator.register(
            .lazy { [callLog] locator in
                MainActor.preconditionIsolated()
                _ = try locator.resolve(LoggedService.self)
                return Screen(callLog)
            }.atStart()
        )
        try await locator.start()
        _ = try locator.resolve(Screen.self)
        #expect(callLog.drain() == ["+needed", "+screen"])
    }

    @Test func `start elsewhere creates main actor services on the main actor`() async throws {
        @MainActor func register() {
            locator.register(
                .lazy { [callLog] in
                    MainActor.preconditionIsolated()
                    return Screen(callLog)
                }.atStart()
            )
        }
        await register()
        try await locator.start()
        #expect(callLog.drain() == ["+screen"])
        #expect(locator.registrations.map(\.isCreated) == [true])
    }
}
