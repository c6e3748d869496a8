import Injectle
import InjectleTestSupport
import Testing

private final class Connection: Sendable {}

/// A closure with the lifetime of an existing instance is lazy, as documented.
@Suite struct PreconstructedLifetimeTests {
    private let locator = Locator("lifetimes")

    private static let lifetimes: [Locator.Lifetime] = [.eager, .factory, .composite(.eager), .composite(.factory)]

    @Test(arguments: lifetimes)
    func `A closure with the lifetime of an existing instance is lazy`(_ lifetime: Locator.Lifetime) throws {
        locator.register(.lazy { Connection() }.lifetime(lifetime))
        #expect(try locator.resolve(Connection.self) === locator.resolve(Connection.self))
        #expect(locator.registrations.map { "\($0.lifetime)" } != [""])
        #expect(try locator.child().resolve(Connection.self) === locator.resolve(Connection.self))
    }
}
