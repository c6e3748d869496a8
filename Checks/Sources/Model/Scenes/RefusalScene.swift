import Injectle
import InjectleTestSupport

/// Creations that fail or are cancelled, whose arguments are freed.
final class RefusalScene: Sendable {
    final class Refused: Sendable {}

    /// An argument that counts its instances.
    final class Ticket: Hashable, Sendable {
        let number: Int
        private let alive: Guarded<Int>

        init(_ number: Int, _ alive: Guarded<Int>) {
            (self.number, self.alive) = (number, alive)
            alive.withLock { $0 += 1 }
        }

        deinit { alive.withLock { $0 -= 1 } }

        static func == (left: Ticket, right: Ticket) -> Bool { left.number == right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private let root: Locator
    private let violations: Violations
    private let alive = Guarded(0)

    init(in root: Locator, _ violations: Violations) {
        (self.root, self.violations) = (root, violations)
        root.register(
            .lazy(.anywhere) { (_, _: Ticket) throws -> Refused in throw Failed() }.lifetime(.perArgument)
        )
        root.register(
            .lazy(.anywhere) { (_, _: Ticket) async throws -> Refused in
                await Task.yield()
                try Task.checkCancellation()
                throw Failed()
            }
            .lifetime(.composite(.perArgument, .weak)),
            key: "async"
        )
    }

    private func ticket(_ random: inout SplitMix64) -> Ticket { Ticket(Int.random(in: 0..<4, using: &random), alive) }

    func perform(_ random: inout SplitMix64) { _ = try? root.resolve(Refused.self, arguments: ticket(&random)) }

    func performAsync(_ random: inout SplitMix64) async {
        let (root, ticket) = (root, ticket(&random))
        let task = Task { _ = try await root.resolveAsync(Refused.self, key: "async", arguments: ticket) }
        if Bool.random(using: &random) { task.cancel() }
        _ = await task.result
    }

    func end() async {
        if await waitUntil({ alive.value == 0 }) { return }
        violations.add("\(alive.value) arguments of failed creations are alive")
    }
}
