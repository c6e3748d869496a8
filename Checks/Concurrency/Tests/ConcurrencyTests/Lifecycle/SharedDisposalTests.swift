import Injectle
import InjectleTestSupport
import Testing

private final class Other: Sendable {}

/// Calls a closure in its `deinit`.
private final class Goer: Sendable {
    private let go: @Sendable () -> Void
    init(_ go: @escaping @Sendable () -> Void) { self.go = go }
    deinit { go() }
}

/// Disposal of eager services that are shared, finished by hooks, or removed during a reset.
@Suite struct SharedDisposalTests {
    private let locator = Locator("one")
    private let other = Locator("other")
    private let callLog = CallLog()

    @Test func `close runs the async disposer of an eager service in order`() async throws {
        locator.register(.lazy(.anywhere) { Other() }.onDispose { [callLog] _ in callLog.record("-other") })
        locator.register(
            .eager(LoggedService("given", callLog)).afterInit { _, _ in }.onDispose { service async in
                await Task.yield()
                service.close()
            }
        )
        _ = try (locator.resolve(Other.self), locator.resolve(LoggedService.self))
        #expect(await locator.close().isEmpty)
        #expect(callLog.drain() == ["+given", "-given", "-other"])
    }

    @Test(arguments: [true, false])
    func `Removing an eager registration without disposer disposes nothing`(closing: Bool) async throws {
        let given = Locator.Registration.eager(LoggedService("given", callLog))
        locator.register(given.onDispose { $0.close() })
        other.register(given)
        if closing { await other.close() } else { other.unregisterService(LoggedService.self) }
        #expect(callLog.drain() == ["+given"])
        await locator.close()
        #expect(callLog.drain() == ["-given"])
    }

    @Test(arguments: [true, false])
    func `An eager service that its disposer registers elsewhere is disposed of once more`(closing: Bool) async {
        let shared = Guarded<Locator.Registration<LoggedService>?>(nil)
        let registration = Locator.Registration.eager(LoggedService("given", callLog)).onDispose { [other] service in
            service.close()
            shared.withLock { $0.take() }.map { _ = other.register($0) }
        }
        shared.withLock { $0 = registration }
        locator.register(registration)
        if closing { await locator.close() } else { locator.unregisterService(LoggedService.self) }
        #expect(callLog.drain() == ["+given", "-given"])
        #expect(other.isRegistered(LoggedService.self))
        await other.close()
        #expect(callLog.drain() == ["-given"])
    }

    @Test func `A task started during a close disposes normally`() async {
        let (proceed, done) = (Signal(), Signal())
        other.register(.eager(LoggedService("given", callLog)).onDispose { $0.close() })
        locator.register(
            .eager(
                Goer { [other] in
                    Task {
                        await proceed.reached()
                        other.unregisterService(LoggedService.self)
                        done.set()
                    }
                }
            )
        )
        await locator.close()
        proceed.set()
        await done.reached()
        #expect(callLog.drain() == ["+given", "-given"])
    }
}
