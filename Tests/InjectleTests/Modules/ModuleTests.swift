import Injectle
import InjectleTestSupport
import Testing

/// Records the calls of its functions.
private struct RecordingModule: Locator.Module {
    let name: String
    let phaseLog: Guarded<[String]>
    var requires: [any Locator.Module] = []
    var id: AnyHashable { name }

    func register(in locator: Locator) { phaseLog.withLock { $0.append("register \(name)") } }
    func didRegister(in locator: Locator) { phaseLog.withLock { $0.append("after \(name)") } }
}

/// Runs a closure in each function.
private struct ClosureModule: Locator.Module {
    var requires: [any Locator.Module] = []
    var id: AnyHashable = "doing"
    var register: (Locator) throws -> Void = { _ in }
    var after: (Locator) throws -> Void = { _ in }

    func register(in locator: Locator) throws { try register(locator) }
    func didRegister(in locator: Locator) throws { try after(locator) }
}

private struct Numbers: Locator.Module {
    let counter: Counter
    func register(in locator: Locator) { counter.increment() }
}

private struct Letters: Locator.Module {
    let counter: Counter
    func register(in locator: Locator) { counter.increment() }
}

private struct Alpha: Locator.Module {
    var requires: [any Locator.Module] { [Beta()] }
    func register(in locator: Locator) { Issue.record("A circular module registers.") }
}

private struct Beta: Locator.Module {
    var requires: [any Locator.Module] { [Alpha()] }
    func register(in locator: Locator) { Issue.record("A circular module registers.") }
}

private struct Named: Locator.Module {
    let name: String
    let next: String?
    var id: AnyHashable { name }
    var requires: [any Locator.Module] { next.map { [Named(name: $0, next: name)] } ?? [] }
    func register(in locator: Locator) {}
}

private struct Failed: Error {}

/// Order, identity and cycles of modules.
@Suite struct ModuleTests {
    private let locator = Locator("modules")
    private let phaseLog = Guarded<[String]>([])

    private func recordingModule(_ name: String, _ needs: any Locator.Module...) -> RecordingModule {
        RecordingModule(name: name, phaseLog: phaseLog, requires: needs)
    }

    private func phases(of names: String...) -> [String] {
        ["register", "after"].flatMap { phase in names.map { "\(phase) \($0)" } }
    }

    // MARK: Order

    @Test func `All modules register before the first didRegister`() throws {
        try locator.apply(recordingModule("a"), recordingModule("b"), recordingModule("c"))
        #expect(phaseLog.value == phases(of: "a", "b", "c"))
    }

    @Test func `Required modules are applied first`() throws {
        try locator.apply(
            recordingModule("a", recordingModule("b", recordingModule("c")), recordingModule("d")),
            recordingModule("e")
        )
        #expect(phaseLog.value == phases(of: "c", "b", "d", "a", "e"))
    }

    @Test func `A module required by several is applied once`() throws {
        try locator.apply(
            recordingModule(
                "top",
                recordingModule("left", recordingModule("base")),
                recordingModule("right", recordingModule("base"))
            )
        )
        #expect(phaseLog.value == phases(of: "base", "left", "right", "top"))
    }

    // MARK: Exactly once

    @Test func `A module is applied once over several calls`() throws {
        try locator.apply(recordingModule("a"))
        try locator.apply(recordingModule("b", recordingModule("a")), recordingModule("a"))
        try locator.apply([recordingModule("a")])
        #expect(phaseLog.value == phases(of: "a") + phases(of: "b"))
    }

    @Test func `Modules of one type are each applied unless they have an identifier of their own`() throws {
        let (numbers, letters) = (Counter(), Counter())
        try locator.apply(Numbers(counter: numbers), Letters(counter: letters), Numbers(counter: numbers))
        #expect(numbers.value == 2)
        try locator.apply(Numbers(counter: numbers))
        #expect(numbers.value == 3)
        #expect(letters.value == 1)
    }

    @Test func `A required module is applied once, though it is also passed to apply`() throws {
        let (numbers, letters) = (Counter(), Counter())
        let module = recordingModule("a", Numbers(counter: numbers), Letters(counter: letters))
        try locator.apply(Letters(counter: letters), module, Numbers(counter: numbers))
        try locator.apply(recordingModule("b", Numbers(counter: numbers)))
        #expect(numbers.value == 1)
        #expect(letters.value == 1)
    }

    @Test func `Each locator applies a module separately`() throws {
        try locator.apply(recordingModule("a"))
        try locator.child().apply(recordingModule("a"))
        #expect(phaseLog.value == phases(of: "a") + phases(of: "a"))
    }

    @Test func `reset forgets applied modules`() throws {
        try locator.apply(recordingModule("a"))
        locator.reset()
        try locator.apply(recordingModule("a"))
        #expect(phaseLog.value == phases(of: "a") + phases(of: "a"))
    }

    @Test func `A failed module leaves what was registered`() throws {
        let failing = ClosureModule(register: { locator in
            locator.register(.eager(1))
            throw Failed()
        })
        #expect(throws: Failed.self) { try locator.apply(recordingModule("a"), failing, recordingModule("b")) }
        #expect(phaseLog.value == ["register a"])
        #expect(try locator.resolve(Int.self) == 1)
    }

    @Test(arguments: [false, true])
    func `The next call applies the modules of a failed one again`(_ failsLate: Bool) throws {
        let fail: (Locator) throws -> Void = { _ in throw Failed() }
        let failing = failsLate ? ClosureModule(after: fail) : ClosureModule(register: fail)
        try locator.apply(recordingModule("earlier"))
        #expect(throws: Failed.self) { try locator.apply(recordingModule("a"), failing) }
        phaseLog.withLock { $0 = [] }
        try locator.apply(recordingModule("a"), recordingModule("earlier"))
        #expect(phaseLog.value == phases(of: "a"))
    }

    // MARK: In a module

    @Test func `Modules applied by a module run at once`() throws {
        let outer = ClosureModule(register: { [phaseLog] locator in
            phaseLog.withLock { $0.append("begins") }
            try locator.apply(recordingModule("inner"))
            phaseLog.withLock { $0.append("ends") }
        })
        try locator.apply(outer, recordingModule("next"))
        #expect(phaseLog.value == ["begins"] + phases(of: "inner") + ["ends"] + phases(of: "next"))
    }

    @Test func `A module applies no module that is being applied`() throws {
        let module = ClosureModule(register: { locator in try locator.apply(recordingModule("next")) })
        try locator.apply(module, recordingModule("next"))
        #expect(phaseLog.value == phases(of: "next"))
    }

    @Test func `Concurrent threads apply a module with an identifier once`() async {
        for _ in 0..<Stress.rounds(200) {
            let (locator, calls) = (Locator(), Counter())
            await onThreadsAsync(4) { _ in
                let module = ClosureModule(register: { _ in calls.increment() })
                #expect(throws: Never.self) { try locator.apply(module) }
            }
            #expect(calls.value == 1)
        }
    }

    // MARK: Cycles

    @Test func `Circular modules throw before any module registers`() throws {
        let error = #expect(throws: InjectleError.self) { try locator.apply(recordingModule("a"), Alpha()) }
        #expect(error == .circularDependency)
        #expect(error?.identity == Locator.Identity(Alpha.self))
        #expect(phaseLog.value.isEmpty)
        #expect(
            error?.description == """
                Circular dependency of modules: InjectleTests.Alpha → InjectleTests.Beta → InjectleTests.Alpha
                  fix  remove InjectleTests.Alpha from the `requires` of InjectleTests.Beta, \
                or move the common part to a module of its own
                """
        )
        // No module remains marked as being applied.
        try locator.apply(recordingModule("a"))
        #expect(phaseLog.value == phases(of: "a"))
    }

    @Test func `A cycle names modules of one type by their identifiers`() {
        let error = #expect(throws: InjectleError.self) { try locator.apply(Named(name: "x", next: "y")) }
        #expect(
            error?.description.contains(
                "InjectleTests.Named (x) → InjectleTests.Named (y) → InjectleTests.Named (x)"
            ) == true
        )
    }

    @Test func `A module may require another module of its type`() throws {
        try locator.apply(Named(name: "y", next: nil))
        try locator.apply(Named(name: "x", next: "y"))
    }

    // MARK: Process-wide
}
