import Injectle
import InjectleTestSupport

/// An async service that two locators cache, while one of them ends.
final class CompositeScene: Sendable {
    final class Pool: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private let root: Locator
    private let violations: Violations

    init(in root: Locator, _ violations: Violations) {
        (self.root, self.violations) = (root, violations)
        let count = Counter()
        for key in ["lazy", "async"] {
            let registration: Locator.Registration<Pool> =
                key == "lazy"
                ? .lazy(.anywhere) { Pool(count.increment()) }
                : .lazy(.anywhere) { () async in
                    for _ in 0..<5 { await Task.yield() }
                    return Pool(count.increment())
                }
            root.register(registration.lifetime(.composite(.perLocator, .weak)), key: key)
        }
    }

    func perform(_ random: inout SplitMix64) async {
        let key = Bool.random(using: &random) ? "lazy" : "async"
        let (one, two) = (root.child("one"), root.child("two"))
        do {
            let number = try await resolveBoth(one, two, key)
            await one.close()
            // The other locator still caches what it has returned.
            let kept = try two.resolve(Pool.self, key: key).number
            violations.require(kept == number, "a locator does not cache what a task has waited for")
        } catch {
            violations.add("a composite, in a task: \(error)")
        }
    }

    /// The number of the pool that the second locator returned. Nothing else retains the pools behind it.
    private func resolveBoth(_ one: Locator, _ two: Locator, _ key: String) async throws -> Int {
        async let first = one.resolveAsync(Pool.self, key: key).number
        async let second = two.resolveAsync(Pool.self, key: key).number
        return try await (first, second).1
    }
}
