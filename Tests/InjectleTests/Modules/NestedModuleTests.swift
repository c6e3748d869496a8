import Injectle
import InjectleTestSupport
import Testing

private struct Failed: Error, Equatable {}

/// Runs a closure in its last phase and fails.
private struct FailingModule: Locator.Module {
    var id: AnyHashable = "failing"
    let body: (Locator) throws -> Void

    func didRegister(in locator: Locator) throws {
        try body(locator)
        throw Failed()
    }
}

/// Records its phases.
private struct RecordingModule: Locator.Module {
    let name: String
    let phaseLog: Guarded<[String]>
    var id: AnyHashable { name }

    func willRegister(in locator: Locator) { phaseLog.withLock { $0.append("before \(name)") } }
    func register(in locator: Locator) { phaseLog.withLock { $0.append("register \(name)") } }
    func didRegister(in locator: Locator) { phaseLog.withLock { $0.append("after \(name)") } }
}

private final class Fare: Sendable {
    let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

/// Modules applied by a phase, and several modules in one call.
@Suite struct NestedModuleTests {
    private let locator = Locator("nesting")
    private let log = Tracked.Log()
    private let phaseLog = Guarded<[String]>([])

    private func recordingModule(_ name: String) -> RecordingModule { RecordingModule(name: name, phaseLog: phaseLog) }

    private func phases(of name: String) -> [String] { ["before", "register", "after"].map { "\($0) \(name)" } }

    private func fail(besides others: [any Locator.Module] = [], _ body: @escaping (Locator) throws -> Void) {
        #expect(throws: Failed()) { try locator.apply(others + [FailingModule(body: body)]) }
    }

    // MARK: Within a phase

    @Test func `Modules applied in a phase run immediately`() throws {
        let outer = ClosureModule(body: { [phaseLog] locator in
            phaseLog.withLock { $0.append("begins") }
            try locator.apply(recordingModule("inner"))
            phaseLog.withLock { $0.append("ends") }
        })
        try locator.apply(outer, recordingModule("next"))
        let expected =
            ["before next", "begins"] + phases(of: "inner") + ["ends", "register next", "after next"]
        #expect(phaseLog.value == expected)
    }

    @Test func `Applying a pending module in a phase has no effect`() throws {
        let module = ClosureModule(body: { locator in try locator.apply(recordingModule("next")) })
        try locator.apply(module, recordingModule("next"))
        #expect(phaseLog.value == phases(of: "next"))
    }

    @Test func `A factory may apply modules`() throws {
        locator.register(
            .lazy { [locator] in
                try locator.apply(ClosureModule(body: { $0.register(.eager(1)) }))
                return "made"
            }
        )
        #expect(try locator.resolve(String.self) == "made")
        #expect(try locator.resolve(Int.self) == 1)
    }

    // MARK: Several modules

    @Test func `A failure rolls back all modules of the call`() throws {
        fail(besides: [ClosureModule(id: "a") { $0.register(.eager(1)) }]) { $0.register(.eager("text")) }
        #expect(locator.registrations.isEmpty)
    }

    @Test func `A failure keeps the modules of earlier calls`() throws {
        let calls = Counter()
        let earlier = ClosureModule(id: "earlier") { locator in
            calls.increment()
            locator.register(.eager(1))
        }
        try locator.apply(earlier)
        fail { $0.reset() }
        #expect(try locator.resolve(Int.self) == 1)
        try locator.apply(earlier)
        #expect(calls.value == 1)
    }

    @Test func `A failure rolls back modules applied in its phase`() throws {
        let inner = ClosureModule(id: "inner") { $0.register(.eager(1)) }
        fail { try $0.apply(inner) }
        #expect(locator.registrations.isEmpty)
        try locator.apply(inner)
        #expect(try locator.resolve(Int.self) == 1)
    }

    @Test func `A failed inner module fails the outer one even if caught`() throws {
        let inner = FailingModule(id: "inner") { $0.register(.eager(1)) }
        let outer = ClosureModule(id: "outer") { locator throws in
            locator.register(.eager("text"))
            #expect(throws: Failed()) { try locator.apply(inner) }
        }
        #expect(throws: Failed()) { try locator.apply(outer) }
        #expect(locator.registrations.isEmpty)
    }

    @Test func `A failure keeps changes to other locators`() throws {
        let (child, other) = (locator.child(), Locator())
        fail { _ throws in
            child.register(.eager(1))
            try other.apply(ClosureModule(id: "other") { $0.register(.eager(2)) })
        }
        #expect(try child.resolve(Int.self) == 1)
        #expect(try other.resolve(Int.self) == 2)
    }

    @Test func `A failure discards instances created by another locator's module`() throws {
        locator.register(.lazy { [log] in Fare(log) })
        locator.register(.lazy { [log] in Fare(log) }.lifetime(.perLocator), key: "own")
        fail { locator in
            let other = ClosureModule { _ in
                _ = (try locator.resolve(Fare.self), try locator.resolve(Fare.self, key: "own"))
                locator.register(.eager(1))
            }
            try Locator().apply(other)
        }
        #expect(locator.registrations.map(\.isCreated) == [false, false])
        #expect(log.created == 2)
        #expect(log.alive == 0)
    }

    // MARK: perLocator instances

    @Test func `Resetting a child in a phase frees its perLocator instances`() throws {
        locator.register(.lazy { [log] in Fare(log) }.lifetime(.perLocator))
        let child = locator.child()
        _ = try child.resolve(Fare.self)
        try child.apply(
            ClosureModule { child in
                child.reset()
                #expect(log.released == 0)
            }
        )
        #expect(log.alive == 0)
        _ = try child.resolve(Fare.self)
        #expect(log.created == 2)
    }

    @Test func `A failed reset of a child keeps its perLocator instances`() throws {
        locator.register(.lazy { [log] in Fare(log) }.lifetime(.perLocator))
        let child = locator.child()
        let fare = try child.resolve(Fare.self)
        let module = FailingModule { child in
            child.reset()
            for _ in 0..<3 { _ = try child.resolve(Fare.self) }
        }
        #expect(throws: Failed()) { try child.apply(module) }
        for _ in 0..<3 { #expect(try child.resolve(Fare.self) === fare) }
        #expect(log.created == 2)
        #expect(log.alive == 1)
    }
}
