import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

/// Each kind of finding has a test that finds it, and one with the correct form.
@Suite struct ValidationTests {
    private let locator = Locator("app")

    private func kinds(_ locator: Locator? = nil) -> [Locator.Finding.Kind] {
        (locator ?? self.locator).validate().map(\.kind)
    }

    // MARK: Missing

    @Test func `A parameter that is not registered is missing`() throws {
        locator.register(.initializer(Repository.init))
        let finding = try #require(locator.validate().first)
        #expect(finding.kind == .missing)
        #expect(finding.service.hasSuffix(".Repository"))
        #expect(finding.dependency?.hasSuffix(".Disk") == true)
        #expect(finding.location.contains("ValidationTests.swift:"))
        #expect(finding.path.count == 2)
        #expect(finding.fix.contains("register(.lazy"))
        locator.register(.lazy { Disk() })
        #expect(kinds() == [])
    }

    @Test func `A parameter that a parent registers is not missing`() {
        locator.register(.lazy { Disk() })
        let child = locator.child("request")
        child.register(.initializer(Repository.init))
        #expect(kinds(child) == [])
    }

    @Test func `A singleton of a parent does not find the dependencies of a child, and a volatile service does`() {
        locator.register(.initializer(Repository.init))
        let child = locator.child("request")
        child.register(.lazy { Disk() })
        #expect(kinds(child) == [.missing])
        locator.register(.initializer(Repository.init).lifetime(.volatile))
        #expect(kinds(child) == [])
    }

    @Test func `An optional, a list and a resolver are never missing`() {
        locator.register(.lazy { Disk() }.depending(on: Repository?.self, [Repository].self, Locator.Resolver.self))
        #expect(kinds() == [])
    }

    @Test func `A lazy dependency can be missing`() {
        locator.register(.lazy { Disk() }.depending(on: Locator.Lazy<Repository>.self, Locator.Provider<Office>.self))
        #expect(kinds() == [.missing, .missing])
    }

    @Test func `A dependency with a key is missing under another key`() {
        locator.register(.lazy { Disk() }, key: "one")
        locator.register(.lazy { Pool() }.depending(on: Disk.self, key: "two"))
        #expect(kinds() == [.missing])
        locator.register(.lazy { Pool() }.depending(on: Disk.self, key: "one"))
        #expect(kinds() == [])
    }

    @Test func `A parameter that is registered for arguments only is missing, and a closure can pass these`() {
        locator.register(.volatile { (_: Locator.Resolver, _: Int) in Disk() }.depending())
        locator.register(.initializer(Repository.init))
        #expect(kinds() == [.missing])
        locator.register(
            .lazy { locator in Repository(disk: try locator.resolve(arguments: 1)) }.depending(on: Disk.self)
        )
        #expect(kinds() == [])
    }

    @Test func `A property of a modifier can be missing`() {
        struct Desk { var badge = Badge(roster: Roster()) }
        locator.register(.lazy { Desk() }.injecting(\.badge))
        #expect(kinds() == [.missing])
    }

    @Test(arguments: [.lazy, .weak, .graph, .volatile] as [Locator.Lifetime])
    func `Properties of modifiers can refer to each other unless one is transient`(_ lifetime: Locator.Lifetime) {
        final class Hen { var egg: Egg? }
        final class Egg { var hen: Hen? }
        locator.register(.lazy { Hen() }.injecting(\.egg))
        locator.register(.lazy { Egg() }.injecting(\.hen).lifetime(lifetime))
        #expect(kinds() == (lifetime == .volatile ? [.cycle] : []))
    }

    // MARK: Wrong type

    @Test func `A service that does not have a listed type is of the wrong type`() throws {
        locator.register(.lazy { Pool() }.as((any Store).self))
        let finding = try #require(locator.validate().first)
        #expect(finding.kind == .wrongType)
        #expect(finding.fix.contains("conform"))
        locator.register(.lazy { Disk() }.as((any Store).self))
        locator.register(.lazy { Disk() as any Store }, for: (any Store).self, key: "existential")
        #expect(kinds() == [])
    }

    @Test func `A key alone that leads a root to another type is of the wrong type`() {
        final class Page { @Inject("k") var disk: Disk }
        locator.register(.lazy { 7 }, key: "k")
        #expect(locator.validate { Page() }.map(\.kind) == [.wrongType])
    }

    @Test func `A key alone that leads to another type is of the wrong type`() {
        locator.register(.lazy { Pool() }, key: "disk")
        locator.register(.lazy { Roster() }.depending(on: (any Store).self, key: "disk"))
        #expect(kinds() == [.wrongType])
        locator.register(.lazy { Disk() }, key: "disk")
        #expect(kinds() == [])
    }

    // MARK: Cycles

    @Test func `A circular dependency is found with its path`() throws {
        locator.register(.initializer(Chicken.init))
        locator.register(.initializer(Egg.init))
        let findings = locator.validate()
        #expect(findings.map(\.kind) == [.cycle])
        #expect(findings[0].path.map { $0.split(separator: ".").last ?? "" } == ["Chicken", "Egg", "Chicken"])
    }

    @Test func `A lazy dependency is no cycle`() {
        locator.register(.initializer(LazyChicken.init))
        locator.register(.initializer(LazyEgg.init))
        #expect(kinds() == [])
    }

    @Test func `A long chain of dependencies is no cycle`() {
        for number in 0..<20_000 {
            locator.register(.lazy { Disk() }.depending(on: Disk.self, key: number + 1), key: number)
        }
        locator.register(.lazy { Disk() }, key: 20_000)
        #expect(kinds() == [])
    }

    // MARK: Captive dependencies

    @Test func `A singleton keeps a service per locator`() throws {
        locator.register(.initializer(Office.init))
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        let finding = try #require(locator.validate().first)
        #expect(finding.kind == .captive)
        #expect(finding.message.contains("lazy holds per locator"))
        #expect(finding.fix.hasSuffix("by `Locator.shared.resolve` in a method"))
        #expect(finding.dependencyLocation?.contains("ValidationTests.swift:") == true)
        locator.register(.lazy { Roster() }.lifetime(.perLocator(named: "session")))
        #expect(kinds() == [.captive])
    }

    @Test func `A singleton keeps a service per locator through a volatile one`() throws {
        locator.register(.lazy { Pool() }.depending(on: Badge.self))
        locator.register(.initializer(Badge.init).lifetime(.volatile))
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        let findings = locator.validate()
        #expect(findings.map(\.kind) == [.captive])
        #expect(findings[0].path.count == 3)
    }

    @Test func `A service per named locator shares the service per locator with descendants`() {
        locator.register(.initializer(Office.init).lifetime(.perLocator(named: "session")))
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        let session = locator.child("session")
        #expect(kinds(session) == [.captive])
        #expect(kinds(session.child("page")) == [.captive])
        #expect(locator.validate(as: "session").map(\.kind) == [.captive])
        locator.register(.lazy { Roster() }.lifetime(.perLocator(named: "session")))
        #expect(kinds(session.child("page")) == [])
    }

    @Test func `Services per locator keep each other`() {
        locator.register(.initializer(Office.init).lifetime(.perLocator))
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        #expect(kinds() == [])
        #expect(kinds(locator.child("request")) == [])
    }

    @Test func `A singleton of a child keeps the child's service per locator`() {
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        let child = locator.child("request")
        child.register(.initializer(Office.init))
        #expect(kinds(child) == [])
        #expect(kinds(child.child("page")) == [.captive])
    }

    @Test func `A provider keeps no service`() {
        locator.register(.lazy { Pool() }.depending(on: Locator.Provider<Roster>.self))
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        #expect(kinds() == [])
    }

    @Test func `A singleton keeps a service of a custom lifetime`() {
        struct Shift: Locator.CustomLifetime {
            func scope(for resolver: Locator.Resolver) throws -> Locator.Scope? { throw WasCreated() }
        }
        locator.register(.initializer(Office.init))
        locator.register(.lazy { Roster() }.lifetime(Shift()))
        #expect(kinds() == [.captive])
        #expect(locator.validate().first?.fix.hasSuffix("by `Locator.Provider`") == true)
        locator.register(.initializer(Office.init).lifetime(Shift()))
        #expect(kinds() == [])
    }

    // MARK: Isolation

    @Test func `A closure of the main actor, or a service created at the start, has no wrong isolation`() {
        locator.register(.initializer(.anywhere, Printer.init))
        locator.register(.lazy(.main) { ViewModel() }.atStart())
        #expect(kinds() == [])
        locator.register(.initializer(.main, Printer.init))
        locator.register(.lazy(.main) { ViewModel() })
        #expect(kinds() == [])
    }

    @Test func `A service of the main actor that other closures alone need is registered elsewhere first`() throws {
        locator.register(.initializer(.anywhere, Printer.init))
        locator.register(.lazy(.main) { ViewModel() })
        let fix =
            "register InjectleDiagnosticsTests.ViewModel in a nonisolated function, or by `.anywhere`; or register"
        #expect(kinds() == [.wrongIsolation])
        #expect(locator.validate().first?.fix.hasPrefix(fix) == true)
        locator.register(.initializer(.main, Printer.init), key: "main")
        #expect(
            locator.validate().first?.fix.hasPrefix("register InjectleDiagnosticsTests.Printer by `.lazy(.main)`")
                == true
        )
    }

    // MARK: Arguments

    @Test func `A shared service ignores later arguments`() throws {
        locator.register(.lazy { (_: Locator.Resolver, _: Int) in Disk() }.depending())
        let finding = try #require(locator.validate().first)
        #expect(finding.kind == .ignoredArguments)
        #expect(
            finding.message == "InjectleDiagnosticsTests.Disk, with (Int) ignores the arguments of all requests but "
                + "the first: lazy."
        )
        #expect(finding.fix.hasPrefix("add `.lifetime(.perArgument)`"))
    }

    @Test func `A service per argument or per request ignores no arguments`() {
        locator.register(.lazy { (_: Locator.Resolver, _: Int) in Disk() }.depending().lifetime(.perArgument))
        locator.register(.lazy { (_: Locator.Resolver, _: Int) in Pool() }.depending().lifetime(.graph))
        locator.register(.volatile { (_: Locator.Resolver, _: Int) in Roster() }.depending())
        #expect(kinds() == [])
    }

    // MARK: Async services

    @Test func `A synchronous closure needs an async service that a start creates`() {
        locator.register(.initializer(Query.init))
        locator.register(.volatile { () async in Pool() })
        #expect(kinds() == [.requiresAsync])
        locator.register(.lazy { () async in Pool() })
        #expect(kinds() == [])
    }

    @Test func `An async closure can need any async service`() {
        locator.register(.volatile { () async in Pool() })
        locator.register(
            .lazy { locator async throws in Query(pool: try await locator.resolveAsync()) }.depending(on: Pool.self)
        )
        #expect(kinds() == [])
    }

    // MARK: Roots

    @Test func `A registration that no root reaches is unreachable`() {
        locator.register(.initializer(Repository.init))
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Pool() })
        let findings = locator.validate(roots: Repository.self)
        #expect(findings.map(\.kind) == [.unreachable])
        #expect(findings[0].service.hasSuffix(".Pool"))
    }

    @Test func `A registration that a root reaches is not unreachable`() {
        locator.register(.initializer(Repository.init))
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Pool() }.atStart())
        locator.register(.lazy { Roster() }, key: "second")
        #expect(
            locator.validate(roots: [Locator.Identity(Repository.self), Locator.Identity(Roster.self, key: "second")])
                == []
        )
        #expect(locator.validate() == [])
    }

    @Test func `A list as a root reaches its contributions`() {
        locator.register(.lazy { Disk() }.contributing(to: (any Store).self))
        #expect(locator.validate(roots: [any Store].self) == [])
    }

    // MARK: Final registrations

    @Test func `A child hides a final registration`() {
        locator.register(.lazy { Disk() }.final())
        let child = locator.child("request")
        child.register(.lazy { Disk() })
        #expect(kinds(child) == [.finalReplaced])
    }

    @Test func `A child can hide a registration that is not final`() {
        locator.register(.lazy { Disk() })
        let child = locator.child("request")
        child.register(.lazy { Disk() }.final())
        child.register(.lazy { Disk() }, key: "second")
        #expect(kinds(child) == [])
    }

    // MARK: Declared and recorded dependencies

    @Test func `A closure resolves what it does not declare`() throws {
        locator.add(Locator.DependencyRecorder())
        locator.register(.lazy { Disk() })
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) }.depending())
        #expect(kinds() == [])
        _ = try locator.resolve(Repository.self)
        let findings = locator.validate()
        #expect(findings.map(\.kind) == [.dependenciesDiffer])
        #expect(findings[0].fix.contains("depending(on:"))
    }

    @Test func `A closure declares what it does not resolve`() throws {
        locator.add(Locator.DependencyRecorder())
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Pool() }.depending(on: Disk.self))
        #expect(kinds() == [])
        _ = try locator.resolve(Pool.self)
        #expect(kinds() == [.dependenciesDiffer])
    }

    @Test func `A closure resolves what it declares`() throws {
        locator.add(Locator.DependencyRecorder())
        locator.register(.lazy { Disk() })
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) }.depending(on: Disk.self))
        locator.register(.lazy { Pool() }.depending(on: Disk?.self, Locator.Lazy<Disk>.self))
        _ = try locator.resolve(Repository.self)
        _ = try locator.resolve(Pool.self)
        #expect(kinds() == [])
    }

    @Test func `A property is recorded when its owner is created`() throws {
        final class Page { @Inject var disk: Disk }
        locator.add(Locator.DependencyRecorder())
        locator.register(.lazy { Page() }.depending())
        _ = try locator.resolve(Page.self)
        #expect(kinds() == [.missing])
        locator.register(.lazy { Disk() })
        // The type shows it, so no registration has to declare it.
        #expect(kinds() == [])
        #expect(locator.graph.dependencies.map(\.kind) == ["property"])
    }

    // MARK: Notes

    @Test func `A closure without a declaration is a note`() throws {
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        let findings = locator.validate()
        #expect(findings.map(\.kind) == [.undeclared])
        #expect(findings.allSatisfy { $0.isNote })
        try locator.check()
    }

    @Test func `A closure that was recorded, or cannot resolve, needs no declaration`() throws {
        locator.add(Locator.DependencyRecorder())
        locator.register(.lazy { Disk() })
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        _ = try locator.resolve(Repository.self)
        locator.register(.volatile(.main) { Badge(roster: Roster()) })
        #expect(kinds() == [])
    }

    // MARK: All together

    @Test func `All faults are thrown together`() {
        locator.register(.initializer(Repository.init))
        locator.register(.initializer(Chicken.init))
        locator.register(.initializer(Egg.init))
        let error = #expect(throws: Locator.CheckFailure.self) { try locator.check() }
        #expect(error?.findings.map(\.kind) == [.missing, .cycle])
        #expect(error?.description.contains("have 2 faults") == true)
        #expect(error?.description.contains("Circular dependency") == true)
    }

    @Test func `Validation creates nothing`() throws {
        locator.register(.lazy { try neverCreated(Disk.self) })
        locator.register(.lazy { locator in try neverCreated(Pool.self) }.depending(on: [Disk].self).lifetime(.graph))
        locator.register(.volatile { try neverCreated(Badge.self) }.contributing(to: Badge.self))
        locator.register(.lazy { Roster() }.depending(on: [Badge].self).lifetime(.perLocator(named: "app")))
        #expect(locator.validate(roots: Disk.self, Pool.self, Roster.self) == [])
        #expect(locator.graph.services.allSatisfy { !$0.isCreated })
    }

    @Test func `A closed locator has no findings`() async {
        locator.register(.initializer(Repository.init))
        await locator.close()
        #expect(locator.validate() == [])
    }

    @Test func `Validation and the graph can be built while registrations change`() async {
        let (locator, failures) = (locator, Counter())
        await onThreadsAsync(2) { index in
            for key in 0..<50 {
                if index == 0 {
                    locator.register(.lazy(.anywhere) { Disk() }.depending(on: Pool?.self), key: key)
                    locator.unregister(Disk.self, key: key)
                } else {
                    if !locator.validate().isEmpty { failures.increment() }
                    _ = locator.graph
                }
            }
        }
        #expect(failures.value == 0)
    }
}
