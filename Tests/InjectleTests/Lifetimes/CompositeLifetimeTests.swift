import Injectle
import Testing

private struct Config: Sendable {
    let name: String
}

private final class Server: Sendable {
    let name: String
    init(_ name: String) { self.name = name }
}

/// Lifetimes with several caches.
@Suite struct CompositeLifetimeTests {
    private let locator = Locator("composite")

    @Test func `The locator nearest to the root creates a composite instance`() throws {
        locator.register(.eager(Config(name: "parent")))
        locator.register(
            .lazy { locator in Server(try locator.resolve(Config.self).name) }.lifetime(.composite(.lazy, .perLocator))
        )
        do {
            let first = locator.child()
            first.register(.eager(Config(name: "first")))
            #expect(try first.resolve(Server.self).name == "parent")
        }
        let second = locator.child()
        second.register(.eager(Config(name: "second")))
        // A shared instance does not depend on the child that requested it first.
        #expect(try second.resolve(Server.self).name == "parent")
        #expect(try locator.resolve(Server.self) === second.resolve(Server.self))
    }

    private static let others: [Locator.Lifetime] = [.weak, .lazy, .perLocator, .perLocator(named: "composite")]

    @Test(arguments: others, [false, true])
    func `perArgument in a composite distinguishes all parts`(other: Locator.Lifetime, isReversed: Bool) throws {
        let lifetime = isReversed ? Locator.Lifetime.composite(other, .perArgument) : .composite(.perArgument, other)
        locator.register(.lazy { (_, name: String) in Server(name) }.lifetime(lifetime))
        let first = try locator.resolve(Server.self, arguments: "first")
        let second = try locator.resolve(Server.self, arguments: "second")
        #expect(first.name == "first")
        #expect(second.name == "second")
        #expect(try locator.resolve(Server.self, arguments: "first") === first)
        #expect(try locator.resolve(Server.self, arguments: "second") === second)
    }

    @Test func `eager in a composite has no effect`() throws {
        locator.register(.lazy { Server("") }.lifetime(.composite(.eager)))
        #expect(try locator.resolve(Server.self) === locator.resolve(Server.self))
        locator.register(.lazy { Server("") }.lifetime(.composite(.eager, .perLocator)))
        #expect(try locator.resolve(Server.self) !== locator.child().resolve(Server.self))
    }
}
