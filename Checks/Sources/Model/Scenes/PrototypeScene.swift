import Foundation
import Injectle
import InjectleTestSupport

/// A prototype that workers replace: each request gets a copy of its own.
final class PrototypeScene: Sendable {
    final class Draft: NSCopying, Sendable {
        let deliveries = Counter()
        func copy(with zone: NSZone? = nil) -> Any { Draft() }
    }

    private let root: Locator
    private let violations: Violations

    init(in root: Locator, _ violations: Violations) {
        (self.root, self.violations) = (root, violations)
        register()
    }

    private func register() {
        @Sendable func make() -> Draft {
            for _ in 0..<20 { sched_yield() }
            return Draft()
        }
        root.register(.factory(make(), isolation: nil))
    }

    func perform(_ random: inout SplitMix64) {
        if Int.random(in: 0..<3, using: &random) == 0 { return register() }
        do { check(try root.resolve()) } catch { violations.add("a prototype: \(error)") }
    }

    func performAsync() async {
        do { check(try await root.resolveAsync()) } catch { violations.add("a prototype, in a task: \(error)") }
    }

    private func check(_ draft: Draft) {
        violations.require(draft.deliveries.increment() == 1, "two requests got one copy of a prototype")
    }
}
