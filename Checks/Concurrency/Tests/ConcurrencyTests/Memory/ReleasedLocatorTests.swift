import Injectle
import InjectleTestSupport
import Testing

private struct FixedScopeLifetime: Locator.CustomLifetime {
    static let scope = Locator.Scope()
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { FixedScopeLifetime.scope }
}

/// A released locator leaves no instances of its registrations in caches that outlive it.
@Suite struct ReleasedLocatorTests {
    private static let lifetimes: [Locator.Lifetime] = [
        .perLocator(named: "session"), .custom(FixedScopeLifetime()), .composite(.lazy, .perLocator(named: "session")),
        .composite(.composite(.perLocator, .custom(FixedScopeLifetime()))),
    ]

    @Test(arguments: lifetimes)
    func `A released child leaves no instance in other caches`(_ lifetime: Locator.Lifetime) throws {
        let tracked = Tracked.Log()
        let session = Locator("session")
        for _ in 0..<100 {
            let child = session.child()
            child.register(.lazy { Tracked(tracked) }.lifetime(lifetime))
            _ = try child.resolve(Tracked.self)
        }
        #expect(tracked.created == 100)
        #expect(tracked.alive == 0)
        withExtendedLifetime(session) {}
    }

    @Test func `A child that is released while it is closed leaves no instance`() async throws {
        final class Releasing: Sendable {
            let child: Guarded<Locator?>
            init(_ child: Guarded<Locator?>) { self.child = child }
            deinit {
                let released = child.withLock { child in
                    defer { child = nil }
                    return child
                }
                withExtendedLifetime(released) {}
            }
        }
        let tracked = Tracked.Log()
        let parent = Locator("server")
        let child = Guarded<Locator?>(parent.child("request"))
        child.value?.register(.lazy { Tracked(tracked) }.onDispose { _ in })
        child.value?.register(.lazy { (_, _: Int) in Releasing(child) }.lifetime(.perArgument))
        _ = try child.value?.resolve(Tracked.self)
        _ = try child.value?.resolve(Releasing.self, arguments: 1)
        #expect(await parent.close().isEmpty)
        #expect(tracked.alive == 0)
        #expect(tracked.created == 1)
        #expect(child.value == nil)
    }
}
