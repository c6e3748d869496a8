import Injectle
import InjectleTestSupport
import Testing

private struct FixedScopeLifetime: Locator.CustomLifetime {
    let scope = Locator.Scope()
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

/// The locator that disposal events name.
@Suite struct DisposalEventTests {
    private static let lifetimes: [(Locator.Lifetime, String)] = [
        (.lazy, "app"), (.perLocator, "request"), (.perLocator(named: "session"), "session"),
        (.custom(FixedScopeLifetime()), "app"), (.composite(.perLocator, .weak), "app"), (.graph, "request"),
    ]

    @Test(arguments: lifetimes)
    func `A disposal event names the locator that created the instance`(
        lifetime: Locator.Lifetime,
        name: String
    ) async throws {
        let locator = Locator("app")
        let events = EventCollector()
        locator.add(events)
        locator.register(
            .lazy(.anywhere) { LoggedService("service", CallLog()) }.lifetime(lifetime).onDispose { _ in }
        )
        locator.register(.volatile(.anywhere) { locator in try locator.resolve(LoggedService.self).name })
        do {
            let request = locator.child("session").child("request")
            _ = try request.resolve(String.self)
        }
        await locator.close()
        let service = Locator.Identity(LoggedService.self)
        #expect(events.events(.didCreate).filter { $0.identity == service }.map(\.locatorName) == [name])
        #expect(events.events(.didDispose).map(\.locatorName) == [name])
    }

    @Test func `A disposal event names the locator that was given the instance`() {
        let locator = Locator("app")
        let events = EventCollector()
        locator.add(events)
        locator.register(.eager(1).onDispose { _ in })
        locator.reset()
        #expect(events.events(.didDispose).map(\.locatorName) == ["app"])
    }
}
