import Injectle
import InjectleTestSupport
import Testing

private protocol Closable {}
extension LoggedService: Closable {}

private struct Stop: Error {
    let name: String
}

/// Disposal by synchronous and async removal.
@Suite struct DisposalTests {
    private let locator = Locator("disposal")
    private let callLog = CallLog()

    private func loggedService(_ name: String) -> Locator.Registration<LoggedService> {
        .lazy(.anywhere) { [callLog] in LoggedService(name, callLog) }.onDispose { $0.close() }
    }

    // MARK: Ways of removal

    enum Way: CaseIterable {
        case unregister, unregisterService, withKey, handle, reset, resetInstance, replaced

        func end(_ handle: Locator.RegistrationHandle, key: String?, in locator: Locator) throws {
            switch self {
            case .unregister: locator.unregister(LoggedService.self, key: key)
            case .unregisterService: locator.unregisterService(LoggedService.self)
            case .withKey: locator.unregisterService(withKey: key)
            case .handle: handle.remove()
            case .reset: locator.reset()
            case .resetInstance: try locator.resetInstance(of: LoggedService.self, key: key)
            case .replaced: locator.register(.lazy { throw Stop(name: "new") }, for: LoggedService.self, key: key)
            }
        }

        /// The keys that this way of removal supports.
        var keys: [String?] {
            switch self {
            case .unregisterService: [nil]
            case .withKey: ["key"]
            default: [nil, "key"]
            }
        }
    }

    @Test(arguments: Way.allCases) func `Every way of removal disposes exactly once`(by way: Way) async throws {
        for key in way.keys {
            let locator = Locator()
            let handle = locator.register(loggedService("a"), for: LoggedService.self, key: key)
            _ = try locator.resolve(LoggedService.self, key: key)
            #expect(callLog.drain() == ["+a"])
            try way.end(handle, key: key, in: locator)
            #expect(callLog.drain() == ["-a"])
            #expect(await locator.close().isEmpty)
            #expect(callLog.drain() == [])
        }
    }

    @Test(arguments: Way.allCases) func `A service that was never created is not disposed`(by way: Way) throws {
        for key in way.keys {
            let handle = locator.register(loggedService("a"), for: LoggedService.self, key: key)
            try way.end(handle, key: key, in: locator)
            #expect(callLog.drain() == [])
        }
    }

    @Test func `An eager instance is disposed although it was never resolved`() {
        let given = LoggedService("given", callLog)
        let handle = locator.register(.eager(given).onDispose { $0.close() })
        #expect(callLog.drain() == ["+given"])
        handle.remove()
        #expect(callLog.drain() == ["-given"])
    }

    // MARK: After the change

    @Test func `The new registration is available to the old disposer`() throws {
        let other = LoggedService("new", callLog)
        let found = Guarded<[String]>([])
        locator.register(
            loggedService("old").onDispose { [weak locator] _ in
                let service = try locator?.resolve(LoggedService.self)
                found.withLock { $0.append(service?.name ?? "none") }
            }
        )
        _ = try locator.resolve(LoggedService.self)
        locator.register(.eager(other))
        #expect(found.value == ["new"])
    }

    // MARK: The last owner

    @Test func `A service is disposed with its last identity`() throws {
        locator.register(loggedService("a").as((any Closable).self).asSelf().as(LoggedService.self, key: "key"))
        _ = try locator.resolve((any Closable).self)
        locator.unregisterService((any Closable).self)
        locator.unregisterService(withKey: "key")
        #expect(callLog.drain() == ["+a"])
        locator.unregisterService(LoggedService.self)
        #expect(callLog.drain() == ["-a"])
    }

    @Test func `An eager instance in two locators survives the first close`() async throws {
        let registration = Locator.Registration.eager(LoggedService("a", callLog)).onDispose { $0.close() }
        let other = Locator()
        locator.register(registration)
        other.register(registration)
        await locator.close()
        #expect(callLog.drain() == ["+a"])
        _ = try other.resolve(LoggedService.self)
        await other.close()
        #expect(callLog.drain() == ["-a"])
    }

    @Test func `An eager instance in parent and child is disposed once`() async {
        let registration = Locator.Registration.eager(LoggedService("a", callLog)).onDispose { $0.close() }
        let child = locator.child()
        locator.register(registration)
        child.register(registration)
        await locator.close()
        #expect(callLog.drain() == ["+a", "-a"])
    }

    @Test func `An eager registration that replaces itself is not disposed`() {
        let registration = Locator.Registration.eager(LoggedService("a", callLog)).onDispose { $0.close() }
        locator.register(registration)
        locator.register(registration)
        #expect(callLog.drain() == ["+a"])
        locator.reset()
        #expect(callLog.drain() == ["-a"])
    }

    @Test func `An eager instance is disposed after each registration`() async {
        let registration = Locator.Registration.eager(LoggedService("a", callLog)).onDispose { $0.close() }
        for _ in 0..<2 {
            locator.register(registration)
            locator.reset()
            #expect(callLog.drain().last == "-a")
        }
        locator.register(registration)
        await locator.close()
        #expect(callLog.drain() == ["-a"])
    }

    // MARK: Async disposers

    @Test(arguments: Way.allCases)
    func `A removal runs async hooks in a task`(by way: Way) async throws {
        for key in way.keys {
            let (locator, ended) = (Locator(), Signal())
            let registration = loggedService("a").onDispose { [callLog] _ in
                await Task.yield()
                callLog.record("awaited")
                ended.set()
            }
            let handle = locator.register(registration, for: LoggedService.self, key: key)
            _ = try locator.resolve(LoggedService.self, key: key)
            try way.end(handle, key: key, in: locator)
            await ended.reached()
            #expect(callLog.drain() == ["+a", "-a", "awaited"])
        }
    }

    @Test func `A behavior receives the error of an async hook`() async throws {
        let received = Signal()
        let collector = EventCollector { event in if event.kind == .didDispose { received.set() } }
        locator.add(collector)
        locator.register(.eager(7).onDispose { _ async throws in throw Stop(name: "seven") })
        locator.reset()
        await received.reached()
        let failure = try #require(collector.events(.didDispose).first?.failure as? InjectleError)
        #expect(failure == .disposalFailed)
        #expect((failure.underlying as? Stop)?.name == "seven")
    }

    // MARK: During creation

    @Test func `An instance unregistered during creation is disposed of, and not returned`() throws {
        locator.register(
            .lazy(.anywhere) { [callLog, weak locator] in
                locator?.unregisterService(LoggedService.self)
                callLog.record("unregistered")
                return LoggedService("a", callLog)
            }.onDispose { $0.close() }
        )
        #expect(thrown { try locator.resolve(LoggedService.self) } == .missing)
        #expect(callLog.drain() == ["unregistered", "+a", "-a"])
    }

    @Test func `An instance unregistered during async creation is disposed of, and not returned`() async throws {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { [callLog] in
                hasBegun.set()
                await mayGoOn.reached()
                return LoggedService("a", callLog)
            }.onDispose { $0.close() }
        )
        let service = Task { [locator] in try await locator.resolveAsync(LoggedService.self) }
        await hasBegun.reached()
        locator.unregisterService(LoggedService.self)
        callLog.record("unregistered")
        mayGoOn.set()
        await #expect(throws: InjectleError.missing) { try await service.value }
        #expect(callLog.drain() == ["unregistered", "+a", "-a"])
    }

    @Test func `A failed creation is not disposed`() async throws {
        locator.register(
            .lazy(.anywhere) { () throws -> LoggedService in throw Stop(name: "a") }.onDispose { $0.close() }
        )
        #expect(thrown { try locator.resolve(LoggedService.self) } == .factoryFailed)
        #expect(await locator.close().isEmpty)
        #expect(callLog.drain() == [])
    }
}
