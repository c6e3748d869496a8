import Injectle
import InjectleTestSupport

/// An async service that two locators cache, while one of them ends.
final class CompositeScene: Sendable {
    final class Pool: Sendable {}

    private let root: Locator
    private let violations: Violations

    init(in root: Locator, _ violations: Violations) {
        (self.root, self.violations) = (root, violations)
        for key in ["lazy", "async"] {
            let registration: Locator.Registration<Pool> =
                key == "lazy"
                ? .lazy(.anywhere) { Pool() }
                : .lazy(.anywhere) { () async in
                    for _ in 0..<5 { await Task.yield() }
                    return Pool()
                }
            root.register(registration.lifetime(.composite(.perLocator, .weak)), key: key)
        }
    }

    func perform(_ random: inout SplitMix64) async {
        let key = Bool.random(using: &random) ? "lazy" : "async"
        let (one, two) = (root.child("one"), root.child("two"))
        do {
            async let first = one.resolveAsync(Pool.self, key: key)
            async let second = two.resolveAsync(Pool.self, key: key)
            let pools = try await [ObjectIdentifier(first), ObjectIdentifier(second)]
            await one.close()
            // The other locator still caches what it has returned.
            let kept = ObjectIdentifier(try two.resolve(Pool.self, key: key))
            violations.require(kept == pools[1], "a locator does not cache what a task has waited for")
        } catch {
            violations.add("a composite, in a task: \(error)")
        }
    }
}
