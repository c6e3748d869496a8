import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private final class Parent {
    var child: Child?
    init(child: Child? = nil) { self.child = child }
}
private final class Child {
    weak var parent: Parent?
}
private struct Offline: Error, CustomStringConvertible { let description = "the network is down" }

/// `checkByCreating(allowing:)`: what closures resolve.
@Suite struct CreationCheckTests {
    private let locator = Locator("app")

    private func findings() async -> [Locator.Finding] {
        do throws(Locator.CheckFailure) {
            try await locator.checkByCreating()
            return []
        } catch {
            return error.findings
        }
    }

    @Test func `a closure that resolves a missing service is a finding`() async throws {
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        try locator.check()
        let findings = await findings()
        #expect(findings.map(\.kind) == [.creationFailed])
        #expect(
            findings.first?.message == "InjectleDiagnosticsTests.Repository cannot be created. "
                + "No service is registered as InjectleDiagnosticsTests.Disk."
        )
        locator.register(.lazy { Disk() })
        #expect(try await locator.checkByCreating(.strict).created == 2)
    }

    @Test func `the error of a closure is in the finding, once for all that need the service`() async {
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        locator.register(.lazy { () throws -> Disk in throw Offline() })
        locator.register(.lazy { locator in [try locator.resolve(Disk.self)] })
        let findings = await findings()
        #expect(findings.map(\.kind) == [.creationFailed])
        #expect(findings.first?.message.hasSuffix("the network is down") == true)
    }

    @Test func `a circle of hooks is no finding, and one of closures is`() async throws {
        let child = Locator.Registration<Child>.lazy { Child() }
            .afterInit { locator, child in child.parent = try locator.resolve() as Parent }
        locator.register(child)
        locator.register(.lazy { Parent() }.injecting(\.child))
        #expect(try await locator.checkByCreating().created == 2)
        locator.register(.lazy { locator in Parent(child: try locator.resolve() as Child) })
        #expect(await findings().map(\.message).contains { $0.contains("Circular dependency") })
    }

    @Test func `a captive dependency of a closure is found`() async {
        locator.register(.lazy { locator in Office(roster: try locator.resolve()) })
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        #expect(locator.validate().map(\.kind) == [.undeclared])
        #expect(await findings().map(\.kind) == [.captive])
    }

    @Test func `a closure of a parent that resolves the service of a child is found`() async throws {
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        locator.register(.lazy { locator in Office(roster: try locator.resolve()) }.lifetime(.perLocator))
        let child = locator.child("request") { child in
            child.register(.lazy { Disk() })
            child.register(.lazy { Roster() })
        }
        let error = await #expect(throws: Locator.CheckFailure.self) { try await child.checkByCreating() }
        #expect(error?.findings.map(\.kind) == [.missing])
        #expect(error?.findings.first?.service == "InjectleDiagnosticsTests.Repository")
        #expect(
            error?.findings.first?.fix.contains("create InjectleDiagnosticsTests.Repository once per \"request\"")
                == true
        )
    }

    @Test func `a closure that resolves from a captured locator is a note of a strict check`() async throws {
        let session = locator.child("session") { $0.register(.lazy { Disk() }) }
        locator.register(.lazy { Repository(disk: try session.resolve()) })
        locator.register(.lazy { Roster() })
        locator.register(.initializer(Office.init))
        try await locator.checkByCreating()
        let error = await #expect(throws: Locator.CheckFailure.self) { try await locator.checkByCreating(.strict) }
        #expect(error?.findings.map(\.kind) == [.unchecked])
        #expect(
            error?.findings.first?.message == "The closure of InjectleDiagnosticsTests.Repository resolves "
                + "InjectleDiagnosticsTests.Disk from a locator that it has captured."
        )
        session.reset()
        locator.register(.lazy { Disk() })
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        try await locator.checkByCreating(.strict)
    }

    @Test func `a circle of closures has the fix of its error`() async {
        locator.register(.lazy { locator in Chicken(egg: try locator.resolve()) })
        locator.register(.lazy { locator in Egg(chicken: try locator.resolve()) })
        let findings = await findings()
        #expect(findings.map(\.kind) == [.creationFailed, .creationFailed])
        #expect(findings.first?.fix.hasPrefix("resolve one of them later: `Locator.Lazy`") == true)
    }

    @Test func `a property with a missing key is found by its name`() async {
        final class Page { @Inject("archive") var disk: Disk }
        locator.register(.lazy { Page() })
        locator.register(.lazy { Disk() }, key: "backup")
        #expect(locator.validate().map(\.kind) == [.unknownKey])
        let findings = await findings()
        #expect(findings.map(\.kind) == [.missing])
        #expect(findings.first?.message.hasPrefix("The property `disk` of") == true)
        #expect(findings.first?.dependency == "InjectleDiagnosticsTests.Disk under the key \"archive\"")
    }

    @Test func `async services and services of the main actor are created`() async throws {
        let created = Counter()
        locator.register(
            .lazy { () async in
                created.increment()
                return Pool()
            }
        )
        locator.register(.lazy { locator async throws in Query(pool: try await locator.resolveAsync()) })
        locator.register(
            .volatile(.main) {
                created.increment()
                return ViewModel()
            }
        )
        let summary = try await locator.checkByCreating(.strict)
        #expect(summary.created == 3 && created.value == 2)
    }

    @Test func `services with arguments and those of other locators are left out and counted`() async throws {
        locator.register(.volatile { (_: Locator.Resolver, _: Int) in try neverCreated(Disk.self) })
        locator.register(.lazy { try neverCreated(Pool.self) }.lifetime(.perLocator(named: "session")))
        locator.register(.eager(Roster()))
        let summary = try await locator.checkByCreating()
        #expect(summary.created == 0 && summary.needingArguments == 1 && summary.skipped == 1)
    }

    @Test func `registrations can be left out`() async throws {
        locator.register(.lazy { try neverCreated(Disk.self) }, for: (any Store).self)
        locator.register(.lazy { try neverCreated(Pool.self) })
        locator.register(.lazy { try neverCreated(Roster.self) }.skippingCheck())
        let summary = try await locator.checkByCreating(allowing: (any Store).self, Pool.self)
        #expect(summary.created == 0 && summary.skipped == 3)
    }

    @Test func `the locator gets no instances, and those of the copy are disposed of`() async throws {
        let disposed = Counter()
        locator.register(.lazy { Disk() }.onDispose { _ in disposed.increment() })
        locator.register(.lazy { Pool() }.contributing(to: Pool.self))
        #expect(try await locator.checkByCreating().created == 2)
        #expect(disposed.value == 1)
        #expect(locator.registrations.allSatisfy { !$0.isCreated })
    }

    @Test func `nothing is created if the check finds a fault`() async {
        locator.register(.initializer(Repository.init))
        locator.register(.lazy { try neverCreated(Pool.self) })
        #expect(await findings().map(\.kind) == [.missing])
    }
}
