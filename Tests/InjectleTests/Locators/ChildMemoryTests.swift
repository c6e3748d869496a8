import Injectle
import InjectleTestSupport
import Testing

/// An eager service that reads another service by a property.
private final class Model: Sendable {
    let number = Inject<Int>()
    private let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

/// A child that ends frees its services, in every form.
@Suite struct ChildMemoryTests {
    private let locator = Locator("server") { $0.register(.eager(7)) }
    private let log = Tracked.Log()

    private func fill(_ child: Locator) {
        child.register(.eager(8))
        child.register(.eager(Model(log)))
    }

    @Test func `A synchronous child frees an eager object with a property`() throws {
        let number = try locator.withChild("request", fill) { try $0.resolve(Model.self).number() }
        #expect(number == 8)
        #expect(log.created == 1)
        #expect(log.alive == 0)
    }

    @Test func `An async child frees an eager object with a property`() async throws {
        let number = try await locator.withChild("request", fill) { child in
            await Task.yield()
            return try child.resolve(Model.self).number()
        }
        #expect(number == 8)
        #expect(log.created == 1)
        let log = log
        #expect(await inTime { await log.becomesEmpty() } == true)
    }
}
