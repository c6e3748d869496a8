import Injectle
import InjectleTestSupport
import Testing

private struct Failed: Error, Equatable {}

/// Does in its second phase what it is told.
private struct Doing: Locator.Module {
    var id: AnyHashable = "doing"
    let body: (Locator) throws -> Void
    func register(in locator: Locator) throws { try body(locator) }
}

/// Does something in its last phase, and fails.
private struct Failing: Locator.Module {
    var id: AnyHashable = "failing"
    let body: (Locator) throws -> Void

    func didRegister(in locator: Locator) throws {
        try body(locator)
        throw Failed()
    }
}

/// Writes down which of its phases ran.
private struct Noting: Locator.Module {
    let name: String
    let notes: Guarded<[String]>
    var id: AnyHashable { name }

    func willRegister(in locator: Locator) { notes.withLock { $0.append("before \(name)") } }
    func register(in locator: Locator) { notes.withLock { $0.append("register \(name)") } }
    func didRegister(in locator: Locator) { notes.withLock { $0.append("after \(name)") } }
}

private final class Fare: Sendable {
    let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

/// Modules that a phase applies, and modules of one call or of several.
@Suite struct NestedModuleTests {
    private let locator = Locator("nesting")
    private let log = Tracked.Log()
    private let notes = Guarded<[String]>([])

    private func noting(_ name: String) -> Noting { Noting(name: name, notes: notes) }

    private func phases(of name: String) -> [String] { ["before", "register", "after"].map { "\($0) \(name)" } }

    private func fail(besides others: [any Locator.Module] = [], _ body: @escaping (Locator) throws -> Void) {
        #expect(throws: Failed()) { try locator.apply(others + [Failing(body: body)]) }
    }

    // MARK: Within a phase

    @Test func `Modules applied in a phase run immediately`() throws {
        let outer = Doing(body: { [notes] locator in
            notes.withLock { $0.append("begins") }
            try locator.apply(noting("inner"))
            notes.withLock { $0.append("ends") }
        })
        try locator.apply(outer, noting("next"))
        let expected =
            ["before next", "begins"] + phases(of: "inner") + ["ends", "register next", "after next"]
        #expect(notes.value == expected)
    }

    @Test func `Applying a pending module in a phase has no effect`() throws {
        let module = Doing(body: { locator in try locator.apply(noting("next")) })
        try locator.apply(module, noting("next"))
        #expect(notes.value == phases(of: "next"))
    }

    @Test func `A factory may apply modules`() throws {
        locator.register(
            .lazy { [locator] in
                try locator.apply(Doing(body: { $0.register(.eager(1)) }))
                return "made"
            }
        )
        #expect(try locator.resolve(String.self) == "made")
        #expect(try locator.resolve(Int.self) == 1)
    }

    // MARK: Several modules

    @Test func `A failure rolls back all modules of the call`() throws {
        fail(besides: [Doing(id: "a") { $0.register(.eager(1)) }]) { $0.register(.eager("text")) }
        #expect(locator.registrations.isEmpty)
    }

    @Test func `A failure keeps the modules of earlier calls`() throws {
        let calls = Counter()
        let earlier = Doing(id: "earlier") { locator in
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
        let inner = Doing(id: "inner") { $0.register(.eager(1)) }
        fail { try $0.apply(inner) }
        #expect(locator.registrations.isEmpty)
        try locator.apply(inner)
        #expect(try locator.resolve(Int.self) == 1)
    }

    @Test func `A failed inner module fails the outer one even if caught`() throws {
        let inner = Failing(id: "inner") { $0.register(.eager(1)) }
        let outer = Doing(id: "outer") { locator throws in
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
            try other.apply(Doing(id: "other") { $0.register(.eager(2)) })
        }
        #expect(try child.resolve(Int.self) == 1)
        #expect(try other.resolve(Int.self) == 2)
    }

    @Test func `A failure discards instances created by another locator's module`() throws {
        locator.register(.lazy { [log] in Fare(log) })
        locator.register(.lazy { [log] in Fare(log) }.lifetime(.perLocator), key: "own")
        fail { locator in
            let other = Doing { _ in
                _ = (try locator.resolve(Fare.self), try locator.resolve(Fare.self, key: "own"))
                locator.register(.eager(1))
            }
            try Locator().apply(other)
        }
        #expect(locator.registrations.map(\.isCreated) == [false, false])
        #expect(log.made == 2)
        #expect(log.alive == 0)
    }

    // MARK: What a locator keeps of its parent's

    @Test func `Resetting a child in a phase frees its perLocator instances`() throws {
        locator.register(.lazy { [log] in Fare(log) }.lifetime(.perLocator))
        let child = locator.child()
        _ = try child.resolve(Fare.self)
        try child.apply(
            Doing { child in
                child.reset()
                #expect(log.gone == 0)
            }
        )
        #expect(log.alive == 0)
        _ = try child.resolve(Fare.self)
        #expect(log.made == 2)
    }

    @Test func `A failed reset of a child keeps its perLocator instances`() throws {
        locator.register(.lazy { [log] in Fare(log) }.lifetime(.perLocator))
        let child = locator.child()
        let fare = try child.resolve(Fare.self)
        let module = Failing { child in
            child.reset()
            for _ in 0..<3 { _ = try child.resolve(Fare.self) }
        }
        #expect(throws: Failed()) { try child.apply(module) }
        for _ in 0..<3 { #expect(try child.resolve(Fare.self) === fare) }
        #expect(log.made == 2)
        #expect(log.alive == 1)
    }
}
