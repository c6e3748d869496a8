import Injectle
import InjectleTestSupport

/// Two services that refer to each other by hooks, one circle for each number.
final class CircleScene: Sendable {
    // `@unchecked Sendable`: hooks set the properties before others see the object.
    final class Hen: @unchecked Sendable {
        let number: Int
        var egg: Egg?
        let isComplete = Guarded(false)
        init(_ number: Int) { self.number = number }
    }

    final class Egg: @unchecked Sendable {
        let number: Int
        weak var hen: Hen?
        let isComplete = Guarded(false)
        init(_ number: Int) { self.number = number }
    }

    private let root: Locator
    private let violations: Violations
    private let turns = Turns()
    private let created = Guarded<[String: Int]>([:])

    init(in root: Locator, _ violations: Violations) {
        (self.root, self.violations) = (root, violations)
        let created = created
        root.register(
            .lazy(.anywhere) { (_, number: Int) in
                created.withLock { $0["hen \(number)", default: 0] += 1 }
                return Hen(number)
            }
            .afterInit { locator, hen in
                hen.egg = try locator.resolve(arguments: hen.number)
                hen.isComplete.withLock { $0 = true }
            }
            .lifetime(.perArgument)
        )
        root.register(
            .lazy(.anywhere) { (_, number: Int) in
                created.withLock { $0["egg \(number)", default: 0] += 1 }
                return Egg(number)
            }
            .afterInit { locator, egg in
                egg.hen = try locator.resolve(arguments: egg.number)
                egg.isComplete.withLock { $0 = true }
            }
            .lifetime(.perArgument)
        )
    }

    func perform(_ random: inout SplitMix64) {
        let (number, isHen) = (turns.next(), Bool.random(using: &random))
        do {
            if isHen { check(try root.resolve(Hen.self, arguments: number)) }
            if !isHen { check(try root.resolve(Egg.self, arguments: number)) }
        } catch {
            violations.add("a circle of hooks: \(error)")
        }
    }

    func performAsync(_ random: inout SplitMix64) async {
        let (number, isHen) = (turns.next(), Bool.random(using: &random))
        do {
            if isHen { check(try await root.resolveAsync(Hen.self, arguments: number)) }
            if !isHen { check(try await root.resolveAsync(Egg.self, arguments: number)) }
        } catch {
            violations.add("a circle of hooks, in a task: \(error)")
        }
    }

    private func check(_ hen: Hen) {
        violations.require(hen.isComplete.value, "a hen is returned before its hook has returned")
        violations.require(hen.egg?.isComplete.value == true, "a hen is returned before its egg is complete")
        violations.require(hen.egg?.hen === hen, "an egg has another hen")
    }

    private func check(_ egg: Egg) {
        guard let hen = egg.hen else { return violations.add("an egg has no hen") }
        violations.require(egg.isComplete.value, "an egg is returned before its hook has returned")
        violations.require(hen.isComplete.value, "an egg is returned before its hen is complete")
        violations.require(hen.egg === egg, "a hen has another egg")
    }

    func end() {
        for (name, count) in created.value where count > 1 { violations.add("\(name) was created \(count) times") }
    }
}
