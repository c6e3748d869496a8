import Injectle
import InjectleTestSupport

/// A registration of two identities that workers replace and copy.
final class PairScene: Sendable {
    private let root: Locator
    private let violations: Violations
    private let count = Counter()

    init(in root: Locator, _ violations: Violations) {
        (self.root, self.violations) = (root, violations)
        register(.lazy)
    }

    private struct Pair: Left, Right { let number: Int }

    private enum Form { case eager, lazy }

    private func register(_ form: Form) {
        let pair = Pair(number: count.increment())
        let registration: Locator.Registration<Pair> = form == .eager ? .eager(pair) : .lazy(.anywhere) { pair }
        root.register(registration.as((any Left).self, key: "pair").as((any Right).self))
    }

    func perform(_ random: inout SplitMix64) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: register(.eager)
        case 1: register(.lazy)
        default: copy()
        }
    }

    private func copy() {
        let copy = Locator(copying: root)
        do {
            let left = try copy.resolve((any Left).self, key: "pair").number
            let right = try copy.resolve((any Right).self).number
            violations.require(left == right, "a copy has two registrations of a pair: \(left), \(right)")
        } catch {
            violations.add("a copy beside a replacement: \(error)")
        }
    }
}

private protocol Left: Sendable { var number: Int { get } }
private protocol Right: Sendable { var number: Int { get } }
