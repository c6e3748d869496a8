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
    private let aliveKeys = Guarded(0)
    private let aliveCaptures = Guarded(0)
    /// Errors that the program keeps.
    private let errors = Guarded<[any Error]>([])

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

    private func ticket(_ random: inout SplitMix64, _ alive: Guarded<Int>? = nil) -> Ticket {
        Ticket(Int.random(in: 0..<4, using: &random), alive ?? self.alive)
    }

    func perform(_ random: inout SplitMix64) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let key = ticket(&random, aliveKeys)
            _ = try? root.register(.eager(1), key: key, and: { _, _ in throw Failed() })
        case 1: keepError(&random)
        default: _ = try? root.resolve(Refused.self, arguments: ticket(&random))
        }
    }

    /// Keeps the error of a service whose closure captures a ticket, and nothing else.
    private func keepError(_ random: inout SplitMix64) {
        let (locator, captured) = (Locator("errors"), ticket(&random, aliveCaptures))
        switch Int.random(in: 0..<3, using: &random) {
        case 0: locator.register(.lazy(.anywhere) { () async in withExtendedLifetime(captured) { Refused() } })
        case 1: locator.register(.volatile(.anywhere) { (_, _: Int) in withExtendedLifetime(captured) { Refused() } })
        default:
            locator.register(
                .lazy(.anywhere) { () throws -> Refused in
                    try withExtendedLifetime(captured) { throw Failed() }
                }
            )
        }
        do {
            _ = try locator.resolve(Refused.self)
            violations.add("a service that cannot be created is resolved")
        } catch {
            errors.withLock { $0.append(error) }
        }
    }

    func performAsync(_ random: inout SplitMix64) async {
        let (root, ticket) = (root, ticket(&random))
        let task = Task { _ = try await root.resolveAsync(Refused.self, key: "async", arguments: ticket) }
        if Bool.random(using: &random) { task.cancel() }
        _ = await task.result
    }

    func end() async {
        let counts = [("arguments", alive), ("keys", aliveKeys), ("captured objects", aliveCaptures)]
        if await waitUntil({ counts.allSatisfy { $0.1.value == 0 } }) { return }
        for (name, count) in counts where count.value > 0 {
            violations.add("\(count.value) \(name) of what failed are alive")
        }
    }
}
