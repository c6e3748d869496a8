import Foundation
import Injectle
import InjectleTestSupport

/// Modules that require one that another thread applies at the same time.
final class ModuleScene: Sendable {
    private struct Base: Locator.Module {
        let number: Int
        var id: AnyHashable { "base \(number)" }

        func register(in locator: Locator) {
            for _ in 0..<20 { sched_yield() }
            locator.register(.eager(number), key: id)
        }
    }

    private struct Feature: Locator.Module {
        let base: Base
        let violations: Violations
        var requires: [any Locator.Module] { [base] }

        func register(in locator: Locator) {
            let isThere = locator.isRegistered(Int.self, key: base.id)
            violations.require(isThere, "a module runs before one that it requires has registered")
        }
    }

    private let root: Locator
    private let violations: Violations
    private let turns = Turns()

    init(in root: Locator, _ violations: Violations) { (self.root, self.violations) = (root, violations) }

    func perform() {
        let feature = Feature(base: Base(number: turns.next()), violations: violations)
        do { try root.apply(feature) } catch { violations.add("a module: \(error)") }
    }
}
