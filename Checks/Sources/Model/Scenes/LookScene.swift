import Injectle
import InjectleDiagnostics
import InjectleTestSupport

/// Checks, graphs and explanations, which change nothing, and find no fault in programs without one.
final class LookScene: Sendable {
    struct Logo: Sendable { let number: Int }

    private struct Observer: Locator.Behavior {
        let count: Counter
        func handle(_ event: Locator.Event) { _ = count.increment() }
    }

    private let violations: Violations
    private let count = Counter()

    init(_ violations: Violations) { self.violations = violations }

    func perform(_ random: inout SplitMix64) {
        let (app, events) = (Locator("app"), Counter())
        let child = app.child("request")
        let key = ServiceKey<Logo>("logo \(count.increment())", default: .lazy(.anywhere) { Logo(number: 1) })
        let owner = Bool.random(using: &random) ? app : child
        if Bool.random(using: &random) { child.add(Locator.DependencyRecorder()) }
        if Bool.random(using: &random) {
            app.register(.lazy(.anywhere) { Logo(number: 1) })
            owner.decorate(Logo.self, isolation: nil) { Logo(number: $0.number + 1) }
            violations.require((try? child.resolve(Logo.self).number) == 2, "a decorator has not decorated")
        } else {
            owner.register(
                .lazy(.anywhere) { locator in "\(try locator.resolve(key))" }.depending(on: key)
            )
        }
        app.add(Observer(count: events))
        let before = app.registrations.count
        let look = Int.random(in: 0..<4, using: &random)
        switch look {
        case 0: for finding in child.validate() { violations.add("a look finds \(finding)") }
        case 1: _ = child.explain(Logo.self, key: key)
        case 2: _ = child.graph
        default: _ = child.explain(String.self)
        }
        violations.require(app.registrations.count == before, "the look \(look) registers")
        violations.require(events.value == 0, "the look \(look) sends \(events.value) events")
    }
}
