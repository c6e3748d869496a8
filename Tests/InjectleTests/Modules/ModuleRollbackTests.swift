import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Failed: Error, Equatable {
    let number: Int
}

/// Runs a closure in one phase and fails there.
private struct FailingModule: Locator.Module {
    enum Phase: CaseIterable { case before, register, after }

    let phase: Phase
    var id: AnyHashable = "failing"
    let body: (Locator) throws -> Void

    private func run(_ phase: Phase, _ locator: Locator) throws {
        guard phase == self.phase else { return }
        try body(locator)
        throw Failed(number: 7)
    }

    func willRegister(in locator: Locator) throws { try run(.before, locator) }
    func register(in locator: Locator) throws { try run(.register, locator) }
    func didRegister(in locator: Locator) throws { try run(.after, locator) }
}

private protocol Step: AnyObject, Sendable { var name: String { get } }

private final class Fare: Step {
    let name: String
    let tracked: Tracked?
    init(_ name: String, _ log: Tracked.Log? = nil) {
        self.name = name
        tracked = log.map(Tracked.init)
    }
}

private final class Planner: Sendable {
    let fare: Fare
    init(fare: Fare) { self.fare = fare }
}

private final class Sheet: NSCopying, Sendable {
    let origin: ObjectIdentifier?
    init(_ origin: ObjectIdentifier? = nil) { self.origin = origin }
    func copy(with zone: NSZone? = nil) -> Any { Sheet(ObjectIdentifier(self)) }
}

/// Not `Sendable`.
private final class Notebook {}

/// A key whose hashes collide.
private struct Colliding: Hashable {
    let name: String
    func hash(into hasher: inout Hasher) { hasher.combine(0) }
}

/// A failed module leaves the locator unchanged.
@Suite struct ModuleRollbackTests {
    private let locator = Locator("rollback", mainActorTimeout: .seconds(600))
    private let log = Tracked.Log()

    /// Applies a module that runs `body` and fails.
    private func fail(
        in phase: FailingModule.Phase = .register,
        besides others: [any Locator.Module] = [],
        _ body: @escaping (Locator) throws -> Void
    ) {
        #expect(throws: Failed(number: 7)) { try locator.apply(others + [FailingModule(phase: phase, body: body)]) }
    }

    private func summary(_ locator: Locator? = nil) -> [String] {
        (locator ?? self.locator).registrations.map(\.description)
    }

    private func fare(_ key: AnyHashable? = nil) throws -> Fare { try locator.resolve(key: key) }

    // MARK: Registrations

    @Test(arguments: FailingModule.Phase.allCases)
    private func `A failure in any phase restores all registrations`(phase: FailingModule.Phase) throws {
        locator.register(.lazy { [log] in Fare("lazy", log) }.as((any Step).self).asSelf().asSelf(key: "key"))
        locator.register(.eager(1))
        locator.register(.lazy { "not made" })
        locator.register(.volatile { Fare("volatile") }, key: "volatile")
        let fare = try self.fare()
        let before = summary()
        let other = ClosureModule(id: "other") { $0.register(.eager(2.5)) }
        fail(in: phase, besides: [other]) { [log] locator throws in
            locator.register(.lazy { Fare("new", log) }.as((any Step).self).asSelf())
            locator.register(.eager(2))
            locator.register(.eager(2), key: "another")
            locator.unregisterService(String.self)
            locator.unregisterService(withKey: "key")
            locator.unregisterService(withKey: "volatile")
            #expect(try locator.resolve(Fare.self).name == "new")
            #expect(try locator.resolve(Int.self) == 2)
            #expect(try locator.resolveOptional(String.self) == nil)
        }
        #expect(summary() == before)
        #expect(try self.fare() === fare)
        #expect(try locator.resolve((any Step).self) === fare)
        #expect(try self.fare("key") === fare)
        #expect(try locator.resolve(Int.self) == 1)
        #expect(try locator.resolve(String.self) == "not made")
        #expect(try self.fare("volatile").name == "volatile")
        #expect(log.created == 2)
        #expect(log.alive == 1)
    }

    @Test func `A rollback restores registrations after a reset`() throws {
        locator.register(.lazy { [log] in Fare("lazy", log) })
        locator.register(.lazy { [log] in Fare("own", log) }.lifetime(.perLocator), key: "own")
        locator.register(.eager(1))
        let (fare, own) = (try self.fare(), try self.fare("own"))
        let before = summary()
        fail { [log] locator throws in
            locator.reset()
            #expect(locator.registrations.isEmpty)
            locator.register(.lazy { Fare("new", log) }.lifetime(.perLocator), key: "own")
            #expect(try locator.resolve(Fare.self, key: "own").name == "new")
            locator.reset()
            locator.register(.eager(2))
        }
        #expect(summary() == before)
        #expect(try self.fare() === fare)
        for _ in 0..<3 { #expect(try self.fare("own") === own) }
        #expect(log.alive == 2)
    }

    @Test func `A rollback restores registrations removed by a handle`() throws {
        let handle = locator.register(.eager(1).as(Int.self).as(Int.self, key: "key"))
        let before = summary()
        fail { _ throws in handle.remove() }
        #expect(summary() == before)
        // The handle still identifies these registrations.
        handle.remove()
        #expect(summary().isEmpty)
    }

    @Test func `A handle of a rolled back registration removes nothing`() throws {
        locator.register(.eager(1))
        var handle: Locator.RegistrationHandle?
        fail { handle = $0.register(.eager(2)) }
        handle?.remove()
        #expect(try locator.resolve(Int.self) == 1)
    }

    @Test func `A registration replaced several times is restored`() throws {
        locator.register(.eager(1))
        fail { locator throws in
            for number in 2...5 { locator.register(.eager(number)) }
            locator.unregisterService(Int.self)
            locator.register(.eager(6))
        }
        #expect(summary() == ["Int: eager, created"])
        #expect(try locator.resolve(Int.self) == 1)
    }

    @Test func `A final registration is final again after a rollback`() throws {
        locator.register(.eager(1).final())
        fail { locator throws in
            locator.unregisterService(Int.self)
            locator.register(.eager(2))
        }
        let error = #expect(throws: InjectleError.self) { try locator.register(.eager(3)) { _, _ throws in } }
        #expect(error == .forbiddenReassignment)
        #expect(try locator.resolve(Int.self) == 1)
    }

    @Test func `Contributions are restored in order`() throws {
        for name in ["1", "2", "3"] {
            locator.register(.lazy { Fare(name) }.contributing(to: (any Step).self).asSelf(key: name))
        }
        let steps = try locator.resolveAll((any Step).self)
        fail { locator throws in
            locator.unregister((any Step).self)
            locator.register(.lazy { Fare("4") }.contributing(to: (any Step).self))
            #expect(try locator.resolveAll((any Step).self).map(\.name) == ["4"])
        }
        let again = try locator.resolveAll((any Step).self)
        #expect(again.map(\.name) == ["1", "2", "3"])
        #expect(zip(steps, again).allSatisfy { $0 === $1 })
    }

    @Test func `A key alone finds the restored registration`() throws {
        locator.register(.lazy { Fare("old") }, key: "key")
        let old = try locator.resolve((any Step).self, key: "key")
        fail { locator throws in
            locator.register(.lazy { Fare("new") }.as((any Step).self, key: "key"))
            locator.register(.eager(1), key: "key")
            #expect(try locator.resolve((any Step).self, key: "key").name == "new")
            #expect(try locator.resolve((any Sendable).self, key: "key") as? Int == 1)
        }
        #expect(try locator.resolve((any Step).self, key: "key") === old)
        #expect(try locator.resolve((any Sendable).self, key: "key") as? Fare === old)
    }

    @Test func `A key alone finds the latest registration again`() throws {
        locator.register(.eager("first"), key: "key")
        locator.register(.eager(2), key: "key")
        #expect(try locator.resolve((any Sendable).self, key: "key") as? Int == 2)
        fail { locator throws in
            locator.unregister(Int.self, key: "key")
            #expect(try locator.resolve((any Sendable).self, key: "key") as? String == "first")
        }
        #expect(try locator.resolve((any Sendable).self, key: "key") as? Int == 2)
    }

    @Test func `Keys with colliding hashes are restored separately`() throws {
        let names = (0..<4).map { "\($0)" }
        for name in names { locator.register(.lazy { Fare(name) }, key: Colliding(name: name)) }
        let before = summary()
        fail { locator throws in
            for name in ["1", "3", "5"] { locator.register(.eager(Fare("new")), key: Colliding(name: name)) }
            locator.unregister(Fare.self, key: Colliding(name: "2"))
        }
        #expect(summary() == before)
        #expect(try names.map { try fare(Colliding(name: $0)).name } == names)
    }

    @Test func `Registrations with arguments are restored`() throws {
        locator.register(.volatile { (_, name: String) in Fare(name) })
        locator.register(.volatile { (_, number: Int) in Fare("\(number)") })
        fail { $0.unregisterService(Fare.self) }
        #expect(try locator.resolve(Fare.self, arguments: "text").name == "text")
        #expect(try locator.resolve(Fare.self, arguments: 7).name == "7")
    }

    // MARK: Instances

    @Test func `Properties follow the module and its rollback`() throws {
        locator.register(.lazy { Fare("old") })
        let (read, late) = Locator.$shared.withValue(locator) { (Inject<Fare>(), Inject<Fare>()) }
        let old = read()
        fail { locator throws in
            #expect(read() === old)
            locator.register(.lazy { Fare("new") })
            for _ in 0..<3 { #expect(read().name == "new") }
            #expect(late().name == "new")
        }
        for _ in 0..<3 { #expect(read() === old) }
        #expect(late() === old)
    }

    @Test func `Instances of all lifetimes are restored`() throws {
        locator.register(.eager(Fare("eager", log)), key: "eager")
        for lifetime: Locator.Lifetime in [.lazy, .weak, .perLocator, .composite(.lazy, .weak)] {
            locator.register(.lazy { [log] in Fare("\(lifetime)", log) }.lifetime(lifetime), key: "\(lifetime)")
        }
        let scope = Locator.Scope()
        locator.register(.lazy { [log] in Fare("kept", log) }.lifetime(FixedScopeLifetime(scope: scope)), key: "kept")
        locator.register(.lazy { [log] (_, name: String) in Fare(name, log) }.lifetime(.perArgument))
        locator.register(.factory(Sheet()))
        let keys = ["eager", "lazy", "weak", "per locator", "lazy and weak", "kept"]
        let fares = try keys.map { try fare($0) }
        let named = try locator.resolve(Fare.self, arguments: "a")
        let sheet = try locator.resolve(Sheet.self)
        let before = summary()
        fail { locator throws in
            for key in keys { locator.unregisterService(withKey: key) }
            locator.unregisterService(Fare.self)
            locator.unregisterService(Sheet.self)
            #expect(locator.registrations.isEmpty)
        }
        #expect(summary() == before)
        for (key, fare) in zip(keys, fares) { #expect(try self.fare(key) === fare) }
        #expect(try locator.resolve(Fare.self, arguments: "a") === named)
        #expect(try locator.resolve(Sheet.self).origin == sheet.origin)
        // Retains the weak instances.
        withExtendedLifetime(fares) { #expect(log.released == 0) }
    }

    private struct FixedScopeLifetime: Locator.CustomLifetime {
        let scope: Locator.Scope
        func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
    }

    @Test func `Instances with rolled back dependencies are created again`() throws {
        locator.register(.eager(Fare("old")))
        let scope = Locator.Scope()
        let lifetimes: [Locator.Lifetime] = [.lazy, .weak, .perLocator, .custom(FixedScopeLifetime(scope: scope))]
        let keys = lifetimes.map(\.description)
        for (lifetime, key) in zip(lifetimes, keys) {
            locator.register(.lazy { Planner(fare: try $0.resolve()) }.lifetime(lifetime), key: key)
        }
        locator.register(
            .lazy { (locator, _: Int) in Planner(fare: try locator.resolve()) }.lifetime(.perArgument)
        )
        let properties = Locator.$shared.withValue(locator) { keys.map { Inject<Planner>($0) } }
        var held: [Planner] = []
        fail { locator throws in
            locator.register(.eager(Fare("new")))
            // The second resolve takes the read path.
            for _ in 0..<2 { held += try keys.map { try locator.resolve(Planner.self, key: $0) } }
            held.append(try locator.resolve(Planner.self, arguments: 1))
            #expect(held.allSatisfy { $0.fare.name == "new" })
            #expect(properties.prefix(1).allSatisfy { $0().fare.name == "new" })
        }
        for key in keys { #expect(try locator.resolve(Planner.self, key: key).fare.name == "old") }
        #expect(try locator.resolve(Planner.self, arguments: 1).fare.name == "old")
        #expect(properties[0]().fare.name == "old")
    }

    @Test func `An instance created and removed by a phase is discarded`() throws {
        locator.register(.lazy { [log] in Fare("lazy", log) })
        fail { locator throws in
            _ = try locator.resolve(Fare.self)
            locator.unregisterService(Fare.self)
        }
        #expect(locator.registrations.map(\.isCreated) == [false])
        #expect(log.alive == 0)
        _ = try fare()
        #expect(log.created == 2)
    }

    @Test func `A rollback keeps an instance that the phase only reads`() throws {
        locator.register(.lazy { [log] in Fare("lazy", log) })
        let fare = try self.fare()
        fail { locator throws in #expect(try locator.resolve(Fare.self) === fare) }
        #expect(try self.fare() === fare)
        #expect(log.created == 1)
    }

    @Test(
        arguments: [.perLocator(named: "trips"), .perArgument, .custom(FixedScopeLifetime(scope: Locator.Scope()))]
            as [Locator.Lifetime]
    )
    func `A rollback in a child keeps instances of the parent's registrations`(lifetime: Locator.Lifetime) throws {
        let parent = Locator("trips")
        let calls = Guarded<[String]>([])
        parent.register(
            .lazy { [log] in Fare("parent", log) }.lifetime(lifetime).onDispose { fare in
                calls.withLock { $0.append(fare.name) }
            }
        )
        let child = parent.child("trip")
        var created: Fare?
        let module = ClosureModule(id: "failing") { child in
            created = try child.resolve(Fare.self)
            throw Failed(number: 7)
        }
        #expect(throws: Failed.self) { try child.apply(module) }
        #expect(calls.value == [])
        #expect(try parent.resolve(Fare.self) === created)
        // The transaction of the parent discards it.
        let outer = ClosureModule(id: "outer") { parent in
            try parent.resetInstance(of: Fare.self)
            try child.apply(ClosureModule(id: "inner") { _ = try $0.resolve(Fare.self) })
            throw Failed(number: 8)
        }
        #expect(throws: Failed.self) { try parent.apply(outer) }
        #expect(calls.value == ["parent", "parent"])
        #expect(log.created == 2)
    }

    @Test func `A reset instance stays reset after a rollback`() throws {
        locator.register(.lazy { [log] in Fare("lazy", log) })
        let old = try fare()
        fail { try $0.resetInstance(of: Fare.self) }
        #expect(try fare() !== old)
        #expect(log.created == 2)
    }

    @Test func `A rollback frees the instances of the module`() throws {
        fail(in: .after) { [log] locator throws in
            locator.register(.eager(Fare("eager", log)))
            locator.register(.lazy { Fare("lazy", log) }, key: "lazy")
            _ = try locator.resolve(Fare.self, key: "lazy")
        }
        #expect(log.created == 2)
        #expect(log.alive == 0)
    }
}
