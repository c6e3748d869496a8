import Injectle
import InjectleTestSupport

/// Values that several roots have: by the default of a key, or by one registration.
final class ValueScene: Sendable {
    final class Connection: Sendable {
        let disposals = Counter()
    }

    private let violations: Violations
    private let count = Counter()

    init(_ violations: Violations) { self.violations = violations }

    func perform(_ random: inout SplitMix64) {
        let connection = Connection()
        func registration() -> Locator.Registration<Connection> {
            .eager(connection).onDispose { _ = $0.disposals.increment() }
        }
        let isDefault = Bool.random(using: &random)
        let name = "connection \(count.increment())"
        let key = isDefault ? ServiceKey<Connection>(name, default: registration()) : ServiceKey<Connection>(name)
        var roots = (0..<3).map { Locator("root \($0)") }
        if !isDefault {
            let shared = registration().as(key)
            for root in roots { root.register(shared) }
        }
        while !roots.isEmpty {
            let index = Int.random(in: 0..<roots.count, using: &random)
            if Bool.random(using: &random) {
                check(roots[index], key, isDefault)
            } else {
                roots.remove(at: index).reset()
            }
        }
        let disposals = connection.disposals.value
        violations.require(disposals == (isDefault ? 0 : 1), "a value, as default \(isDefault): \(disposals) disposals")
    }

    private func check(_ root: Locator, _ key: ServiceKey<Connection>, _ isDefault: Bool) {
        do {
            let isOpen = try root.resolve(key).disposals.value == 0
            violations.require(isOpen, "a value is disposed of before its last locator ends, as default \(isDefault)")
        } catch {
            violations.add("a value: \(error)")
        }
    }
}
