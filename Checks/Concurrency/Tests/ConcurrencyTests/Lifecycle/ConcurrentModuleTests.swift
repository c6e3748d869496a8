import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Broken: Error {}

/// A module that others require, and what it does.
private struct Base: Locator.Module {
    let begun: Signal
    let goOn: Signal
    let fails: Bool

    func register(in locator: Locator) throws {
        begun.set()
        goOn.wait()
        // A thread that does not wait goes on meanwhile.
        for _ in 0..<100 { sched_yield() }
        if fails { throw Broken() }
        locator.register(.eager(7))
    }
}

/// Requires the base.
private struct Feature: Locator.Module {
    let isLookingForBase: Signal
    let base: Base
    let found: Guarded<Int?>

    /// Read while the modules are ordered.
    var requires: [any Locator.Module] {
        isLookingForBase.set()
        return [base]
    }

    func register(in locator: Locator) throws {
        let number = try locator.resolveOptional(Int.self)
        found.withLock { $0 = number }
    }
}

/// The results of two threads, and what the feature has found.
private struct Outcome: Equatable {
    var found: Int?
    var base: String?
    var feature: String?
}

/// Modules that two threads apply at once.
@Suite struct ConcurrentModuleTests {
    /// Applies a module on one thread, and one that requires it on another thread meanwhile.
    private func apply(failing fails: Bool) async -> Outcome {
        let (locator, begun, goOn, found) = (Locator("modules"), Signal(), Signal(), Guarded<Int?>(nil))
        let base = Base(begun: begun, goOn: goOn, fails: fails)
        let feature = Feature(isLookingForBase: goOn, base: base, found: found)
        async let first = onAnotherThreadInTime { result { try locator.apply(base) } }
        await begun.reached()
        async let second = onAnotherThreadInTime { result { try locator.apply(feature) } }
        let results = await (first, second)
        return Outcome(found: found.value, base: results.0, feature: results.1)
    }

    @Test func `A module runs after one that it requires and that another thread applies`() async {
        for _ in 0..<Stress.rounds(100) {
            #expect(await apply(failing: false) == Outcome(found: 7, base: "applied", feature: "applied"))
        }
    }

    @Test func `A module that another requires fails for both`() async {
        for _ in 0..<Stress.rounds(100) {
            #expect(await apply(failing: true) == Outcome(found: nil, base: "Broken()", feature: "Broken()"))
        }
    }
}

private func result(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "applied"
    } catch {
        return "\(error)"
    }
}
