import Injectle
import InjectleTestSupport
import Testing

/// Disposal of instances that several locators cache: the last of these decides.
@Suite(.timeLimit(.minutes(10))) struct CompositeDisposalTests {
    private let locator = Locator("parent")
    private let callLog = CallLog()

    private func register(_ lifetime: Locator.Lifetime) {
        locator.register(
            .lazy(.anywhere) { [callLog] in LoggedService("service", callLog) }.lifetime(lifetime)
                .onDispose { service async in service.close() }
        )
    }

    @Test func `Closing a child keeps an instance that a sibling caches`() async throws {
        register(.composite(.perLocator, .weak))
        let (one, other) = (locator.child("one"), locator.child("other"))
        #expect(try one.resolve(LoggedService.self) === other.resolve(LoggedService.self))
        await one.close()
        #expect(callLog.drain() == ["+service"])
        #expect(try other.resolve(LoggedService.self).name == "service")
        await other.close()
        #expect(callLog.drain() == ["-service"])
    }

    @Test func `Closing a child keeps an instance that its parent caches`() async throws {
        register(.composite(.perLocator, .lazy))
        let child = locator.child("child")
        _ = try child.resolve(LoggedService.self)
        await child.close()
        #expect(callLog.drain() == ["+service"])
        await locator.close()
        #expect(callLog.drain() == ["-service"])
    }

    @Test func `Closing the parent disposes once of an instance of several children`() async throws {
        register(.composite(.perLocator, .weak))
        let children = [locator.child("one"), locator.child("other"), locator.child("third").child("page")]
        for child in children { _ = try child.resolve(LoggedService.self) }
        await locator.close()
        #expect(callLog.drain() == ["+service", "-service"])
        // A child that is released before the close keeps nothing.
        withExtendedLifetime(children) {}
    }

    @Test func `The close that ends last awaits the async hook`() async throws {
        register(.composite(.perLocator, .weak))
        let (one, other) = (locator.child("one"), locator.child("other"))
        let (begun, goOn) = (Signal(), Signal())
        for child in [one, other] { _ = try child.resolve(LoggedService.self) }
        // It is disposed of before the services that it can use.
        one.register(
            .eager(1).onDispose { _ async in
                begun.set()
                await goOn.reached()
            }
        )
        let close = Task { await one.close() }
        await begun.reached()
        await other.close()
        #expect(callLog.drain() == ["+service"])
        goOn.set()
        #expect(await close.value.isEmpty)
        #expect(callLog.drain() == ["-service"])
    }

    @Test func `A service that another locator owns, too, is disposed of after the async hooks of those that use it`()
        async throws
    {
        let (goOn, disposed) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { [callLog] in LoggedService("service", callLog) }.lifetime(.composite(.perLocator, .weak))
                .onDispose { service in
                    service.close()
                    disposed.set()
                }
        )
        var (one, other): (Locator?, Locator?) = (locator.child("one"), locator.child("other"))
        one?.register(
            .lazy(.anywhere) { locator in
                _ = try locator.resolve(LoggedService.self)
                return 1
            }.onDispose { [callLog] _ async in
                await goOn.reached()
                callLog.record("-user")
            }
        )
        _ = try (one?.resolve(Int.self), other?.resolve(LoggedService.self))
        (one, other) = (nil, nil)
        goOn.set()
        await disposed.reached()
        #expect(callLog.drain() == ["+service", "-user", "-service"])
    }

    @Test func `A locator that is closed gets no service of a sibling`() async throws {
        register(.composite(.perLocator, .weak))
        let (one, other) = (locator.child("one"), locator.child("other"))
        let service = try one.resolve(LoggedService.self)
        one.register(
            .eager(1).onDispose { [callLog] _ in
                let found = try await other.resolveAsync(LoggedService.self)
                callLog.record(found === service ? "same" : "another")
            }
        )
        #expect(await locator.close().isEmpty)
        #expect(callLog.drain() == ["+service", "same", "-service"])
        withExtendedLifetime((one, other)) {}
    }

    @Test func `An async service of several locators is released with the last one`() async throws {
        let log = Tracked.Log()
        locator.register(.lazy(.anywhere) { () async in Tracked(log) }.lifetime(.composite(.perLocator, .weak)))
        func resolve() async throws {
            let (one, other) = (locator.child("one"), locator.child("other"))
            #expect(try await one.resolveAsync(Tracked.self) === other.resolveAsync(Tracked.self))
        }
        try await resolve()
        #expect(await log.becomesEmpty())
    }
}
