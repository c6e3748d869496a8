import Injectle
import InjectleTestSupport
import Testing

/// Disposal of instances that several locators cache: the last of these decides.
@Suite struct CompositeDisposalTests {
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
}
