import Injectle
import InjectleTestSupport
import Testing

/// Not `Sendable`.
private final class Notebook {
    let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

/// A property releases the instance that it alone caches once another registration is shared.
@Suite struct OwnInstanceTests {
    private let tracked = Tracked.Log()

    private static let lifetimes: [Locator.Lifetime] = [.weak, .volatile]

    private func register(_ lifetime: Locator.Lifetime, in locator: Locator, _ log: Tracked.Log) {
        locator.register(.lazy { Notebook(log) }.lifetime(lifetime))
    }

    @Test(arguments: lifetimes)
    func `A property reads a shared instance and releases its own`(_ lifetime: Locator.Lifetime) {
        let locator = Locator("locator")
        let property = Locator.$shared.withValue(locator) { Inject<Notebook>() }
        register(lifetime, in: locator, tracked)
        for _ in 0..<2 { _ = property() }
        #expect(tracked.alive == 1)
        register(.lazy, in: locator, Tracked.Log())
        let shared = property()
        #expect(property() === shared)
        #expect(tracked.alive == 0)
    }

    @Test(arguments: lifetimes)
    func `A property of a child reads the parent's instance and releases its own`(_ lifetime: Locator.Lifetime) {
        let locator = Locator("locator")
        let child = locator.child()
        let property = Locator.$shared.withValue(child) { Inject<Notebook>() }
        register(lifetime, in: child, tracked)
        for _ in 0..<2 { _ = property() }
        register(.lazy, in: locator, Tracked.Log())
        child.unregisterService(Notebook.self)
        let shared = property()
        #expect(property() === shared)
        #expect(tracked.alive == 0)
    }
}
