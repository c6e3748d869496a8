import Injectle
import InjectleTestSupport
import Testing

private final class Connection: Sendable {}

/// A child that had a registration once reads its parent's as one that never had any.
@Suite struct EmptiedEntryTests {
    private let parent = Locator("parent")

    /// The shortest time of many batches of reads.
    private func time(of read: () throws -> Void) throws -> Duration {
        var shortest = Duration.seconds(1)
        for _ in 0..<200 {
            let began = ContinuousClock.now
            for _ in 0..<200 { try read() }
            shortest = min(shortest, began.duration(to: .now))
        }
        return shortest
    }

    private enum Emptying: CaseIterable { case unregistered, removed, reset }

    @Test(arguments: Emptying.allCases)
    private func `An emptied entry does not slow down the read of the parent's service`(_ emptying: Emptying) throws {
        parent.register(.lazy { Connection() })
        let connection = try parent.resolve(Connection.self)
        let (plain, emptied) = (parent.child("plain"), parent.child("emptied"))
        let handle = emptied.register(.lazy { Connection() })
        _ = try emptied.resolve(Connection.self)
        switch emptying {
        case .unregistered: emptied.unregister(Connection.self)
        case .removed: handle.remove()
        case .reset: emptied.reset()
        }
        #expect(try emptied.resolve(Connection.self) === connection)
        let usual = try time { _ = try plain.resolve(Connection.self) }
        let after = try time { _ = try emptied.resolve(Connection.self) }
        // It was 15 to 30 times slower.
        #expect(after < usual * 4)
    }
}
