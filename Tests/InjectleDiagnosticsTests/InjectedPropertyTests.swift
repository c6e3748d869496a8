import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private final class Page { @Inject var disk: Disk }
private protocol Screen: Sendable {}
private struct PageScreen: Screen { @Inject var disk: Disk }

/// The dependencies of stored properties, which no closure declares.
@Suite struct InjectedPropertyTests {
    private let locator = Locator("app")

    private func kinds(_ locator: Locator? = nil) -> [Locator.Finding.Kind] {
        (locator ?? self.locator).validate().map(\.kind)
    }

    @Test func `a missing service is found with the type and the name of the property`() throws {
        let line = #line + 1
        locator.register(.lazy { Page() })
        let finding = try #require(locator.validate().first)
        #expect(finding.kind == .missing)
        #expect(
            finding.message
                == "The property `disk` of InjectleDiagnosticsTests.Page needs InjectleDiagnosticsTests.Disk, "
                + "which is not registered."
        )
        #expect(finding.location == "InjectleDiagnosticsTests/InjectedPropertyTests.swift:\(line)")
        #expect(finding.dependency == "InjectleDiagnosticsTests.Disk")
        #expect(finding.fix.contains("register(.lazy"))
        #expect(throws: Locator.CheckFailure.self) { try locator.check() }
        locator.register(.lazy { Disk() })
        #expect(kinds() == [])
        #expect(locator.graph.dependencies.map(\.kind) == ["property"])
    }

    @Test func `an optional service is never missing`() {
        final class Page {
            @Optject var disk: Disk?
            @Inject var pool: Pool?
            @Injected(resolve: .lazy) var roster: Roster?
            @Inject var stores: [any Store]
            @Inject var locator: Locator.Resolver
        }
        locator.register(.lazy { Page() })
        #expect(kinds() == [])
    }

    @Test func `a type that contains itself has its properties once`() {
        final class Page {
            @Inject var disk: Disk
            var next: Page?
            let others: [Page] = []
        }
        locator.register(.lazy { Page() })
        #expect(kinds() == [.missing])
    }

    @Test func `an object in a property is checked if its type is registered`() {
        final class Window { let page = Page() }
        locator.register(.lazy { Window() })
        #expect(kinds() == [])
        locator.register(.volatile { Page() })
        #expect(kinds() == [.missing])
    }

    @Test func `a property of several registrations is reported once`() {
        for key in 0..<3 { locator.register(.lazy { Page() }, key: key) }
        #expect(kinds() == [.missing])
    }

    @Test func `a property without arguments does not find a service with arguments`() {
        locator.register(.lazy { Page() })
        locator.register(.volatile { (_, _: Int) in Disk() })
        #expect(kinds() == [.missing, .undeclared])
        #expect(locator.validate().first?.message.hasSuffix("which is registered for other arguments.") == true)
    }

    @Test func `a parameter in a property is reported once`() {
        locator.register(.initializer(LazyEgg.init))
        struct Nest {
            let chicken: Locator.Provider<LazyChicken>
            var egg: Locator.Lazy<LazyEgg>?
        }
        locator.register(.initializer { (chicken: Locator.Provider<LazyChicken>) in Nest(chicken: chicken) })
        #expect(kinds() == [.missing, .missing])
        #expect(Set(locator.validate().map(\.service)).count == 2)
    }

    // MARK: The locator of a property

    @Test func `a property of a singleton does not find the services of a child`() {
        locator.register(.lazy { Page() })
        let child = locator.child("request")
        child.register(.lazy { Disk() })
        #expect(kinds(child) == [.missing])
    }

    @Test func `a property of a service per locator finds the services of a child`() {
        locator.register(.lazy { Page() }.lifetime(.perLocator))
        let child = locator.child("request")
        child.register(.lazy { Disk() })
        #expect(kinds(child) == [])
        #expect(kinds() == [.missing])
        #expect(locator.validate(as: "request", given: Disk.self) == [])
    }

    @Test func `a property that keeps its service is a captive dependency`() {
        final class Keeper { @Injected(resolve: .lazy) var roster: Roster }
        final class Reader { @Inject var roster: Roster }
        locator.register(.lazy { Keeper() })
        locator.register(.lazy { Reader() })
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        #expect(locator.validate().first?.service.hasSuffix(".Keeper") == true)
        #expect(kinds() == [.captive])
    }

    // MARK: Existing instances and roots

    @Test func `an existing instance is checked by its own type`() {
        locator.register(.eager(PageScreen()), for: (any Screen).self)
        locator.registerSingleton(PageScreen() as any Screen, forKey: "second")
        #expect(kinds() == [.missing])
        #expect(locator.validate().first?.message.contains("InjectleDiagnosticsTests.PageScreen") == true)
    }

    @Test func `a root that the program creates itself is checked`() throws {
        let finding = try #require(locator.validate(roots: Page.self).first)
        #expect(finding.kind == .missing)
        #expect(finding.message.hasPrefix("The property `disk` of InjectleDiagnosticsTests.Page needs"))
        #expect(finding.location == "the locator \"app\"")
        locator.register(.lazy { Disk() })
        try locator.check(roots: Page.self)
    }

    @Test func `a root that is a protocol has to be registered, and so has one without properties`() throws {
        let findings = locator.validate(roots: Disk.self, (any Screen).self)
        #expect(findings.map(\.kind) == [.missing, .missing])
        #expect(
            findings.first?.message == "InjectleDiagnosticsTests.Disk is a root, and is not registered, and has no "
                + "properties that the check sees."
        )
        #expect(findings.first?.fix.hasSuffix("check the object: `check { InjectleDiagnosticsTests.Disk(…) }`") == true)
        #expect(findings.first?.description.contains("\n  checked  in the locator \"app\"") == true)
        #expect(throws: Locator.CheckFailure.self) { try locator.check(roots: Disk.self) }
        // What the fix says.
        try locator.check(.strict) { Disk() }
        locator.register(.lazy { Disk() })
        try locator.check(.strict, roots: Disk.self)
    }

    // MARK: Keys

    @Test func `a property whose service has a key is a note`() throws {
        locator.register(.lazy { Page() })
        locator.register(.lazy { Disk() }, key: "archive")
        let finding = try #require(locator.validate(roots: Page.self).first)
        #expect(locator.validate(roots: Page.self).count == 1)
        #expect(finding.kind == .unknownKey && finding.isNote)
        #expect(
            finding.fix == "check an object, which shows its keys: `check { InjectleDiagnosticsTests.Page(…) }`"
        )
        try locator.check()
    }

    @Test func `a type with and without a key is a note, and no registration of it is unreachable`() throws {
        locator.register(.volatile { Page() })
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Disk() }, key: "archive")
        let findings = locator.validate(roots: Page.self)
        #expect(findings.map(\.kind) == [.unknownKey])
        #expect(findings.first?.message.contains("which is registered also under keys (\"archive\")") == true)
        try locator.check(roots: Page.self)
        #expect(throws: Locator.CheckFailure.self) { try locator.check(.strict, roots: Page.self) }
        locator.unregister(Disk.self, key: "archive")
        try locator.check(.strict) { Page() }
    }

    @Test func `a key alone can lead to the service of a property`() {
        struct Page { @Inject("disk") var store: any Store }
        locator.register(.lazy { Page() })
        locator.register(.lazy { Pool() }, key: "pool")
        #expect(kinds() == [.missing])
        locator.register(.lazy { Disk() }, key: "disk")
        #expect(kinds() == [.unknownKey])
    }

    @Test func `the key of a child is no key of its parent`() {
        locator.register(.lazy { Page() })
        let child = locator.child("request")
        child.register(.lazy { Disk() }, key: "archive")
        #expect(kinds(child) == [.missing])
    }

    @Test func `a declared key replaces the property`() {
        locator.register(.lazy { Page() }.depending(on: Disk.self, key: "archive"))
        locator.register(.lazy { Disk() }, key: "archive")
        #expect(kinds() == [])
        locator.unregister(Disk.self, key: "archive")
        #expect(locator.validate().map(\.message).allSatisfy { $0.contains("under the key \"archive\"") })
    }

    // MARK: Unseen properties

    @Test func `a closure that returns a protocol is a note of a strict check`() throws {
        locator.register(.lazy { PageScreen() as any Screen }, for: (any Screen).self)
        try locator.check()
        let error = #expect(throws: Locator.CheckFailure.self) { try locator.check(.strict) }
        #expect(error?.findings.map(\.kind) == [.unchecked])
        #expect(error?.description.hasPrefix("The registrations of the locator \"app\" have a note.\n") == true)
        locator.register(.lazy { PageScreen() }.as((any Screen).self))
        locator.register(.lazy { Disk() })
        try locator.check(.strict)
    }

    @Test func `a closure that declares nothing is a note of a strict check`() throws {
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        try locator.check()
        #expect(throws: Locator.CheckFailure.self) { try locator.check(.strict, roots: Repository.self) }
        #expect(throws: Locator.CheckFailure.self) { try locator.check(.strict, as: "request", given: Disk.self) }
    }

    @Test func `a runtime that lists no properties is one note`() throws {
        locator.register(.lazy { Page() })
        locator.register(.lazy { PageScreen() })
        let findings = locator.validate(listsProperties: false)
        #expect(findings.map(\.kind) == [.unchecked])
        #expect(findings.first?.isNote == true)
    }

    @Test func `a registration that is left out has no findings`() throws {
        locator.register(.lazy { Page() }.skippingCheck())
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) }.skippingCheck())
        locator.register(.initializer(Office.init).skippingCheck())
        try locator.check(.strict)
    }
}
