import Injectle
import InjectleTestSupport
import Testing

private protocol API: Sendable { var path: String { get } }
private final class LiveAPI: API {
    let path = "live"
    private let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}
private final class Wrapper: API {
    let inner: any API
    let name: String
    var path: String { "\(name)(\(inner.path))" }
    init(_ inner: any API, _ name: String) { (self.inner, self.name) = (inner, name) }
}
private final class Settings: Sendable {}

@Suite struct DecoratorTests {
    private let locator = Locator("app")
    private let log = Tracked.Log()

    private func registerAPI(_ lifetime: some Locator.LifetimeConvertible = .lazy) {
        locator.register(.lazy { [log] in LiveAPI(log) }.lifetime(lifetime), for: (any API).self)
    }

    private func decorate(_ name: String, in locator: Locator? = nil) {
        (locator ?? self.locator).decorate((any API).self) { Wrapper($0, name) }
    }

    private func path(_ locator: Locator? = nil) throws -> String {
        try (locator ?? self.locator).resolve((any API).self).path
    }

    // MARK: Wrapping

    @Test func `The last decorator is the outermost`() throws {
        registerAPI()
        decorate("first")
        decorate("second")
        #expect(try path() == "second(first(live))")
        #expect(log.created == 1)
    }

    @Test func `An existing instance is decorated, not created again`() throws {
        registerAPI()
        let live = try locator.resolve((any API).self)
        decorate("log")
        let wrapper = try #require(try locator.resolve((any API).self) as? Wrapper)
        #expect(wrapper.inner as AnyObject === live as AnyObject)
        #expect(log.created == 1)
    }

    @Test func `A property returns the decorated service from then on`() throws {
        registerAPI()
        let property = Locator.$shared.withValue(locator) { Inject<any API>() }
        #expect(property().path == "live")
        decorate("log")
        #expect(property().path == "log(live)")
    }

    @Test func `A later registration replaces the service with its decorators`() async throws {
        registerAPI()
        decorate("log")
        _ = try path()
        let other = Tracked.Log()
        locator.register(.lazy { LiveAPI(other) }, for: (any API).self)
        #expect(try path() == "live")
        #expect(locator.registrations.count == 1)
        #expect(await log.becomesEmpty())
    }

    @Test func `A service with several identities is decorated under one of them`() throws {
        locator.register(.lazy { [log] in LiveAPI(log) }.as((any API).self).asSelf())
        decorate("log")
        let wrapper = try #require(try locator.resolve((any API).self) as? Wrapper)
        #expect(try locator.resolve(LiveAPI.self) === wrapper.inner as AnyObject)
        #expect(log.created == 1)
    }

    @Test func `A decorator resolves other services`() throws {
        locator.register(.lazy { Settings() })
        registerAPI()
        locator.decorate((any API).self) { locator, api in
            Wrapper(api, "\(type(of: try locator.resolve(Settings.self)))")
        }
        #expect(try path() == "Settings(live)")
    }

    @Test func `Each element of a list is decorated`() throws {
        for name in ["first", "second"] {
            locator.register(
                .lazy { [log] in Wrapper(LiveAPI(log), name) }.contributing(to: (any API).self)
            )
        }
        decorate("log")
        #expect(try locator.resolveAll((any API).self).map(\.path) == ["log(first(live))", "log(second(live))"])
    }

    @Test func `Arguments reach the service and not the closure of the decorator`() throws {
        locator.register(.volatile { [log] (_, name: String) in Wrapper(LiveAPI(log), name) }, for: (any API).self)
        decorate("log")
        #expect(try locator.resolve((any API).self, arguments: "given").path == "log(given(live))")
        #expect(thrown { try path() } == .wrongArguments)
    }

    @Test func `Arguments that replace dependencies reach the service`() throws {
        func make(_ inner: any API) -> Settings { Settings() }
        registerAPI()
        locator.register(.initializer(make).lifetime(.volatile))
        let given = Guarded<[Settings]>([])
        locator.decorate(Settings.self) { settings in
            given.withLock { $0.append(settings) }
            return settings
        }
        _ = try locator.resolve(Settings.self, arguments: Locator.Argument<any API>(Wrapper(LiveAPI(log), "given")))
        #expect(given.value.count == 1)
        // The registered service was not needed.
        #expect(log.created == 1)
    }

    @Test func `A missing service is an error of the resolve`() throws {
        decorate("log")
        let error = thrown { try path() }
        #expect(error == .missing)
        #expect(error?.path.count == 1)
        #expect(error?.description.contains("requested by  decorate in") == true)
    }

    #if os(macOS) || os(Linux)
    @Test func `A decorator of a final registration traps with the text of the error`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let locator = Locator("app")
            locator.register(.eager(7).final())
            locator.decorate(Int.self) { $0 + 1 }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Int is already registered in the locator \"app\", and may not be replaced."))
    }
    #endif

    // MARK: Children

    @Test func `A child decorates the service of its parent for itself`() throws {
        registerAPI()
        let child = locator.child("request")
        decorate("child", in: child)
        #expect(try path(child) == "child(live)")
        #expect(try path(child.child()) == "child(live)")
        #expect(try path() == "live")
        let other = locator.child("other")
        decorate("other", in: other)
        decorate("parent")
        #expect(try path(other) == "other(parent(live))")
        #expect(log.created == 1)
    }

    // MARK: Lifetimes

    @Test func `A decorated singleton is decorated once`() throws {
        registerAPI()
        decorate("log")
        let first = try locator.resolve((any API).self)
        #expect(try locator.resolve((any API).self) as AnyObject === first as AnyObject)
        #expect(locator.registrations.map(\.isCreated) == [true])
    }

    @Test func `A decorated transient service is decorated for each resolve`() throws {
        registerAPI(.volatile)
        decorate("log")
        #expect(try locator.resolve((any API).self) as AnyObject !== locator.resolve((any API).self) as AnyObject)
        #expect(log.created == 2)
    }

    @Test func `Each locator decorates its own instance`() throws {
        registerAPI(.perLocator)
        decorate("log")
        let (one, other) = (locator.child(), locator.child())
        for _ in 0..<2 {
            let first = try #require(try one.resolve((any API).self) as? Wrapper)
            let second = try #require(try other.resolve((any API).self) as? Wrapper)
            #expect(first !== second)
            #expect(first.inner as AnyObject !== second.inner as AnyObject)
        }
        #expect(log.created == 2)
    }

    @Test func `A decorated weak service lives as long as its decorator`() throws {
        registerAPI(.weak)
        decorate("log")
        do {
            let first = try locator.resolve((any API).self)
            #expect(try locator.resolve((any API).self) as AnyObject === first as AnyObject)
            #expect(log.alive == 1)
        }
        #expect(log.alive == 0)
    }

    @Test func `A reset drops the service and its decorator`() throws {
        locator.register(.lazy { [log] in LiveAPI(log) }, for: (any API).self)
        decorate("log")
        let first = try locator.resolve((any API).self)
        try locator.resetInstance(of: (any API).self)
        #expect(try locator.resolve((any API).self) as AnyObject !== first as AnyObject)
        #expect(log.created == 2)
    }

    // MARK: Async and actors

    @Test func `An async service is decorated`() async throws {
        locator.register(.lazy { [log] () async -> any API in LiveAPI(log) }, for: (any API).self)
        decorate("log")
        #expect(thrown { try path() } == .requiresAsync)
        #expect(try await locator.resolveAsync((any API).self).path == "log(live)")
        #expect(try path() == "log(live)")
        #expect(log.created == 1)
    }

    @Test(arguments: [Locator.Lifetime.volatile, .graph])
    func `An async service that no cell keeps is decorated`(lifetime: Locator.Lifetime) async throws {
        locator.register(.lazy { () async in 1 }.lifetime(lifetime))
        locator.decorate(Int.self) { $0 + 1 }
        locator.decorate(Int.self) { _, number in number * 10 }
        #expect(try await locator.resolveAsync(Int.self) == 20)
        #expect(thrown { try locator.resolve(Int.self) } == .requiresAsync)
    }

    @Test @MainActor func `A decorator runs on the actor it was written on`() async throws {
        registerAPI()
        locator.decorate((any API).self) { api in
            MainActor.assertIsolated()
            return Wrapper(api, "main")
        }
        let path = try await Task.detached { [locator] in
            try await locator.resolveAsync((any API).self).path
        }.value
        #expect(path == "main(live)")
    }

    // MARK: Ends

    @Test func `A close disposes of the decorated service`() async throws {
        let calls = CallLog()
        locator.register(
            .lazy { [log] in LiveAPI(log) }.onDispose { _ in calls.record("disposed") },
            for: (any API).self
        )
        decorate("log")
        _ = try path()
        #expect(await locator.close().isEmpty)
        #expect(calls.drain() == ["disposed"])
        #expect(await log.becomesEmpty())
    }

    @Test func `An unregistered service leaves nothing behind`() async throws {
        registerAPI()
        decorate("log")
        _ = try path()
        locator.unregister((any API).self)
        #expect(locator.registrations.isEmpty)
        #expect(await log.becomesEmpty())
    }

    // MARK: Threads

    @Test func `Threads that decorate at once all take effect`() throws {
        for _ in 0..<Stress.rounds(100) {
            let locator = Locator()
            locator.register(.eager(0))
            onThreads(4) { _ in locator.decorate(Int.self) { $0 + 1 } }
            #expect(try locator.resolve(Int.self) == 4)
        }
    }
}
