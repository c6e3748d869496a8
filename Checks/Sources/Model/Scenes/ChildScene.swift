import Injectle
import InjectleTestSupport

/// Children for one call, whose objects have properties, and the locators that are current meanwhile.
final class ChildScene: Sendable {
    final class Model: Sendable {
        let number = Inject<Int>()
        private let alive: Guarded<Int>

        init(_ alive: Guarded<Int>) {
            self.alive = alive
            alive.withLock { $0 += 1 }
        }

        deinit { alive.withLock { $0 -= 1 } }
    }

    private let server = Locator("server") { $0.register(.eager(7)) }
    private let violations: Violations
    private let alive = Guarded(0)
    private let count = Counter()

    init(_ violations: Violations) { self.violations = violations }

    private func fill(_ child: Locator) {
        child.register(.eager(8))
        child.register(.eager(Model(alive)))
    }

    private func read(_ child: Locator) throws {
        violations.require(Locator.shared === child, "another locator is current in a child's call")
        violations.require(try child.resolve(Model.self).number() == 8, "an object of a child reads another service")
    }

    func perform(_ random: inout SplitMix64) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            do { try server.withChild("request", fill) { try read($0) } } catch { violations.add("a child: \(error)") }
        case 1: compare()
        default: resolveDefault(&random)
        }
    }

    func performAsync() async {
        do {
            try await server.withChild("request", fill) { child in
                await Task.yield()
                try read(child)
            }
        } catch {
            violations.add("a child, in a task: \(error)")
        }
    }

    /// Where nothing is overridden, the shared locator is the default one.
    private func compare() {
        violations.require(Locator.shared == Locator.default, "the shared locator is not the default one")
        Locator.$shared.withValue(server) {
            violations.require(Locator.shared == server, "the shared locator is not the override")
        }
    }

    /// The default of a key whose second identity can be taken, and services with the lifetimes of existing instances.
    private func resolveDefault(_ random: inout SplitMix64) {
        let (locator, name) = (Locator("defaults"), "default \(count.increment())")
        let key = ServiceKey<Int>(
            name,
            default: .lazy(.anywhere) { 1 }.as(ServiceKey<Int>(name)).as(Int.self, key: "second")
        )
        let isTaken = Bool.random(using: &random)
        if isTaken { locator.register(.eager(2), key: "second") }
        let lifetimes: [Locator.Lifetime] = [.eager, .factory, .composite(.eager), .composite(.factory)]
        let lifetime = lifetimes[Int.random(in: 0..<4, using: &random)]
        locator.register(.lazy(.anywhere) { ChildScene.Item() }.lifetime(lifetime))
        do {
            violations.require(try locator.resolve(key) == 1, "a key has another default")
            let second = try locator.resolve(Int.self, key: "second")
            violations.require(second == (isTaken ? 2 : 1), "a second identity has \(second)")
            let item = try locator.resolve(Item.self)
            violations.require(
                try locator.resolve(Item.self) === item,
                "a closure of the lifetime \(lifetime) is not lazy"
            )
        } catch {
            violations.add("a default, whose second identity is taken \(isTaken): \(error)")
        }
    }

    final class Item: Sendable {}

    func end() async {
        if await waitUntil({ alive.value == 0 }) { return }
        violations.add("\(alive.value) objects of children are alive")
    }
}
