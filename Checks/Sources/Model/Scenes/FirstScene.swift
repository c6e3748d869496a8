import Injectle
import InjectleTestSupport

/// Unregistrations beside the first requests of a service with many scopes: each instance is disposed of.
final class FirstScene: Sendable {
    final class Item: Sendable {
        let disposals = Counter()
    }

    private struct ManyScopes: Locator.CustomLifetime {
        let scopes = Guarded<[Locator.Scope]>([])
        func scope(for resolver: Locator.Resolver) -> Locator.Scope? {
            let scope = Locator.Scope()
            scopes.withLock { $0.append(scope) }
            return scope
        }
    }

    /// One locator, which several workers use at about the same time.
    private final class Group: Sendable {
        let locator = Locator("first")
        let items = Guarded<[Item]>([])
        let scopes = ManyScopes()

        init(_ number: Int) {
            let lifetimes: [Locator.Lifetime] = [
                .custom(scopes), .timeToLive(.seconds(60)), .perLocator, .composite(.custom(scopes), .perLocator),
            ]
            locator.register(
                .lazy(.anywhere) { [items] in
                    let item = Item()
                    items.withLock { $0.append(item) }
                    return item
                }
                .lifetime(lifetimes[number % lifetimes.count]).onDispose { _ = $0.disposals.increment() }
            )
        }
    }

    private let violations: Violations
    private let turns = Turns()
    private let groups = Guarded<[Int: Group]>([:])

    init(_ violations: Violations) { self.violations = violations }

    func perform(_ random: inout SplitMix64) {
        let turn = turns.next()
        let group = groups.withLock { groups in
            let group = groups[turn] ?? Group(turn)
            groups[turn] = group
            return group
        }
        if Int.random(in: 0..<3, using: &random) == 0 { return group.locator.unregister(Item.self) }
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            guard let item = try? group.locator.resolve(Item.self) else { break }
            _ = item
        }
    }

    func end() {
        for (turn, group) in groups.value {
            group.locator.reset()
            let counts = group.items.value.map(\.disposals.value)
            violations.require(
                counts.allSatisfy { $0 == 1 },
                "disposals beside an unregistration, lifetime \(turn % 4): \(counts)"
            )
        }
    }
}
