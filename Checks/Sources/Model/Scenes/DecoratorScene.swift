import Injectle
import InjectleTestSupport

/// Children that decorate services of their parents, and copies of such children.
final class DecoratorScene: Sendable {
    struct Logo: Sendable { let number: Int }

    private static let lifetimes: [Locator.Lifetime] = [
        .lazy, .volatile, .perLocator, .perLocator(named: "root"), .graph,
        .composite(.perLocator(named: "root"), .lazy),
    ]

    private let root: Locator
    private let violations: Violations

    init(in root: Locator, _ violations: Violations) {
        (self.root, self.violations) = (root, violations)
        for (key, lifetime) in DecoratorScene.lifetimes.enumerated() {
            root.register(.lazy(.anywhere) { Logo(number: 1) }.lifetime(lifetime), key: "logo \(key)")
        }
    }

    func perform(_ random: inout SplitMix64) {
        let index = Int.random(in: 0..<DecoratorScene.lifetimes.count, using: &random)
        let key = "logo \(index)"
        var child: Locator? = root.child("decorating")
        for _ in 0..<2 { child?.decorate(Logo.self, key: key, isolation: nil) { Logo(number: $0.number + 1) } }
        check(child, key, "a decorator of \(DecoratorScene.lifetimes[index])")
        guard Bool.random(using: &random), let copy = child.map({ Locator(copying: $0) }) else { return }
        child = nil
        let pages = (0..<3).map { _ in copy.child("page") }
        for page in pages { check(page, key, "a copied decorator of \(DecoratorScene.lifetimes[index])") }
    }

    private func check(_ locator: Locator?, _ key: String, _ name: String) {
        do {
            let number = try locator?.resolve(Logo.self, key: key).number
            violations.require(number == 3, "\(name): \(number ?? 0)")
        } catch {
            violations.add("\(name): \(error)")
        }
    }
}
