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

/// Applies another module, as soon as both are being applied.
private struct Half: Locator.Module {
    let name: String
    let other: String
    let begun: [String: Signal]

    var id: AnyHashable { name }

    func register(in locator: Locator) throws {
        begun[name]?.set()
        begun[other]?.wait()
        try locator.apply(Half(name: other, other: name, begun: begun))
        locator.register(.eager(name), key: name)
    }
}

/// Resolves a service of the main actor.
private struct Root: Locator.Module {
    func register(in locator: Locator) {}
    func didRegister(in locator: Locator) throws { _ = try locator.resolve(String.self) }
}

/// Requires the root.
private struct Branch: Locator.Module {
    var requires: [any Locator.Module] { [Root()] }
    func register(in locator: Locator) {}
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

    @Test func `Two threads whose modules wait for each other are an error on one, which one call does not have`()
        async throws
    {
        let begun = ["orders": Signal(), "customers": Signal()]
        let halves = [
            Half(name: "orders", other: "customers", begun: begun),
            Half(name: "customers", other: "orders", begun: begun),
        ]
        let locator = Locator("modules")
        async let first = onAnotherThreadInTime { result { try locator.apply(halves[0]) } }
        async let second = onAnotherThreadInTime { result { try locator.apply(halves[1]) } }
        let results = await [first, second].map { $0 ?? "no end" }.sorted()
        #expect(results.filter { $0 == "applied" }.count == 1, "\(results)")
        let error = try #require(results.first { $0 != "applied" })
        #expect(error.contains("apply modules that require each other's modules by one call of `apply`"))

        let mended = Locator("mended")
        try mended.apply(halves)
        #expect(try mended.resolve(String.self, key: "orders") == "orders")
        #expect(try mended.resolve(String.self, key: "customers") == "customers")
    }

    @Test func `A closure of the main actor cannot apply a module that waits for it`() async {
        let locator = Locator("modules")
        let error = Guarded<InjectleError?>(nil)
        locator.register(
            .lazy(.main) { [locator] in
                let thrown = thrown { try locator.apply(Branch()) }
                error.withLock { $0 = thrown }
                return ""
            }
        )
        let applied = await onAnotherThreadInTime { result { try locator.apply(Root()) } }
        #expect(applied == "applied")
        #expect(error.value == .deadlock)
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
