import Injectle
import InjectleTestSupport
import Testing

/// Records its phases.
private struct RecordingModule: Locator.Module {
    let name: String
    let phaseLog: Guarded<[String]>
    var requires: [any Locator.Module] = []
    var id: AnyHashable { name }

    func willRegister(in locator: Locator) { phaseLog.withLock { $0.append("before \(name)") } }
    func register(in locator: Locator) { phaseLog.withLock { $0.append("register \(name)") } }
    func didRegister(in locator: Locator) { phaseLog.withLock { $0.append("after \(name)") } }
}

/// Runs a closure in each phase.
private struct ClosureModule: Locator.Module {
    var requires: [any Locator.Module] = []
    var id: AnyHashable = "doing"
    var before: (Locator) throws -> Void = { _ in }
    var register: (Locator) throws -> Void = { _ in }
    var after: (Locator) throws -> Void = { _ in }

    func willRegister(in locator: Locator) throws { try before(locator) }
    func register(in locator: Locator) throws { try register(locator) }
    func didRegister(in locator: Locator) throws { try after(locator) }
}

private struct EmptyModule: Locator.Module {}

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
    func willRegister(in locator: Locator) { Issue.record("A phase of a circular module ran.") }
}

private struct Beta: Locator.Module {
    var requires: [any Locator.Module] { [Alpha()] }
    func willRegister(in locator: Locator) { Issue.record("A phase of a circular module ran.") }
}

private struct SelfRequiringModule: Locator.Module {
    var requires: [any Locator.Module] { [SelfRequiringModule()] }
}

private struct Named: Locator.Module {
    let name: String
    let next: String?
    var id: AnyHashable { name }
    var requires: [any Locator.Module] { next.map { [Named(name: $0, next: name)] } ?? [] }
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
        ["before", "register", "after"].flatMap { phase in names.map { "\(phase) \($0)" } }
    }

    // MARK: Order

    @Test func `Each phase of all modules runs before the next phase`() throws {
        try locator.apply(recordingModule("a"), recordingModule("b"), recordingModule("c"))
        #expect(phaseLog.value == phases(of: "a", "b", "c"))
    }

    @Test func `apply accepts a list of modules`() throws {
        let modules: [any Locator.Module] = [recordingModule("a"), recordingModule("b")]
        try locator.apply(modules)
        #expect(phaseLog.value == phases(of: "a", "b"))
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

    @Test func `A module without phases does nothing`() throws {
        locator.register(.eager(1))
        try locator.apply(EmptyModule())
        #expect(locator.registrations.count == 1)
    }

    @Test func `Every phase receives the locator`() throws {
        var given: [Locator] = []
        let module = ClosureModule(
            before: { given.append($0) },
            register: { given.append($0) },
            after: { given.append($0) }
        )
        try locator.apply(module)
        #expect(given.map { $0 === locator } == [true, true, true])
    }

    @Test func `Registrations of a module replace earlier ones`() throws {
        let log = Tracked.Log()
        locator.register(.eager(1))
        locator.register(.lazy { Tracked(log) })
        let old = try locator.resolve(Tracked.self)
        try locator.apply(
            ClosureModule(
                register: { locator in
                    locator.register(.eager(2))
                    locator.register(.lazy { Tracked(log) })
                    locator.register(.eager("new"))
                },
                after: { locator in _ = try locator.resolve(Tracked.self) }
            )
        )
        #expect(try locator.resolve(Int.self) == 2)
        #expect(try locator.resolve(String.self) == "new")
        #expect(try locator.resolve(Tracked.self) !== old)
        #expect(log.created == 2)
        #expect(locator.registrations.map(\.isCreated) == [true, true, true])
    }

    @Test func `Replaced instances are freed after the last phase`() throws {
        let log = Tracked.Log()
        locator.register(.eager(Tracked(log)))
        try locator.apply(
            ClosureModule(
                register: { $0.register(.lazy { Tracked(log) }) },
                after: { _ in #expect(log.released == 0) }
            )
        )
        #expect(log.released == 1)
    }

    @Test func `A reset in a phase frees all instances afterwards`() throws {
        let log = Tracked.Log()
        locator.register(.lazy { Tracked(log) })
        locator.register(.lazy { Tracked(log) }.lifetime(.perLocator), key: "own")
        _ = (try locator.resolve(Tracked.self), try locator.resolve(Tracked.self, key: "own"))
        try locator.apply(
            ClosureModule(register: { locator throws in
                locator.reset()
                locator.register(.eager(1))
            })
        )
        #expect(log.alive == 0)
        #expect(locator.registrations.map(\.identity) == [Locator.Identity(Int.self)])
    }

    // MARK: Exactly once

    @Test func `A module is applied once over several calls`() throws {
        try locator.apply(recordingModule("a"))
        try locator.apply(recordingModule("b", recordingModule("a")), recordingModule("a"))
        try locator.apply([recordingModule("a")])
        #expect(phaseLog.value == phases(of: "a") + phases(of: "b"))
    }

    @Test func `Modules are identified by type unless they have an identifier`() throws {
        let (numbers, letters) = (Counter(), Counter())
        try locator.apply(Numbers(counter: numbers), Letters(counter: letters), Numbers(counter: numbers))
        try locator.apply(Numbers(counter: numbers))
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

    @Test func `A reset in a phase forgets modules applied before`() throws {
        let resets = Counter()
        let reset = ClosureModule(register: { locator in
            resets.increment()
            locator.reset()
        })
        try locator.apply(recordingModule("a"))
        try locator.apply(reset)
        // The module itself was still being applied.
        try locator.apply(reset, recordingModule("a"))
        #expect(resets.value == 1)
        #expect(phaseLog.value == phases(of: "a") + phases(of: "a"))
    }

    @Test func `A failed module can be applied again`() throws {
        #expect(throws: Failed.self) {
            try locator.apply(recordingModule("a"), ClosureModule(register: { _ in throw Failed() }))
        }
        phaseLog.withLock { $0 = [] }
        try locator.apply(recordingModule("a"))
        #expect(phaseLog.value == phases(of: "a"))
    }

    // MARK: Cycles

    @Test func `Circular modules throw before any phase`() throws {
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

    @Test func `A module that requires itself is a cycle`() {
        let error = #expect(throws: InjectleError.self) { try locator.apply(SelfRequiringModule()) }
        #expect(
            error?.description.contains("InjectleTests.SelfRequiringModule → InjectleTests.SelfRequiringModule") == true
        )
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

    @Test func `A cycle caught in a phase has no effect`() throws {
        try locator.apply(
            ClosureModule(register: { locator throws in
                locator.register(.eager(1))
                #expect(throws: InjectleError.self) { try locator.apply(Alpha()) }
            })
        )
        #expect(try locator.resolve(Int.self) == 1)
    }

    // MARK: Process-wide

    @Test(.processWide) func `The shared locator applies modules`() throws {
        try Locator.shared.apply(recordingModule("a"))
        try Injectle[.default].apply(recordingModule("a"))
        #expect(phaseLog.value == phases(of: "a"))
        Injectle.testUp()
        try Locator.shared.apply(recordingModule("a"))
        #expect(phaseLog.value == phases(of: "a") + phases(of: "a"))
    }
}
