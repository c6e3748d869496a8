import Injectle
import InjectleTestSupport

/// A synchronous closure that requests an async service with new arguments each time.
final class EndlessScene: Sendable {
    final class Connection: Sendable {}
    final class Pool: Sendable {}

    private let root: Locator
    private let violations: Violations
    private let numbers = Counter()
    private let connections = Guarded<[Int: Int]>([:])

    init(in root: Locator, _ violations: Violations) {
        (self.root, self.violations) = (root, violations)
        let (numbers, connections) = (numbers, connections)
        root.register(
            .lazy(.anywhere) { (_, pool: Int, _: String) async throws -> Connection in
                let count = connections.withLock { connections in
                    connections[pool, default: 0] += 1
                    return connections[pool] ?? 0
                }
                // Without an end, the scene would not end.
                if count > 200 { throw Failed() }
                return Connection()
            }
            .lifetime(.perArgument)
        )
        root.register(
            .lazy(.anywhere) { (locator, pool: Int, changes: Bool) in
                let text = changes ? "\(numbers.increment())" : ""
                _ = try locator.resolve(Connection.self, arguments: pool, text)
                return Pool()
            }
            .lifetime(.perArgument)
        )
    }

    func perform(_ random: inout SplitMix64) async {
        let (pool, changes) = (numbers.increment(), Bool.random(using: &random))
        do {
            _ = try await root.resolveAsync(Pool.self, arguments: pool, changes)
            violations.require(!changes, "a closure has its connection with new arguments each time")
        } catch {
            violations.require(changes, "a closure with the same arguments each time: \(error)")
            violations.require(error == .requiresAsync, "an endless request: \(error)")
        }
        let count = connections.withLock { $0.removeValue(forKey: pool) } ?? 0
        violations.require(count <= 200, "a closure with new arguments each time has \(count) connections")
    }
}
