import Injectle
import InjectleDiagnostics
import Testing

private struct Account: Sendable {}
private final class Basket: Sendable {
    init(account: Account, pool: Pool) {}
}
private final class Checkout: Sendable {
    init(basket: Basket, account: Account) {}
}
private final class History: Sendable {
    let account = Inject<Account>()
}
private struct BasketView {
    @Inject var basket: Basket
    @Inject var account: Account
}

/// What a check of the app says of the services of its sessions.
@Suite struct NamedLocatorTests {
    private let app = Locator("app")

    private func registerSession() {
        app.register(.initializer(Basket.init).lifetime(.perLocator(named: "session")))
        app.register(.lazy { History() }.lifetime(.perLocator(named: "session")))
    }

    @Test func `Services of a session that need more than the app has are a note, once for the name`() throws {
        registerSession()
        let findings = app.validate()
        #expect(findings.map(\.kind) == [.unchecked])
        #expect(
            findings.first?.message
                == "2 services of \"session\" are not checked here, since they need what is not found here: "
                + "InjectleDiagnosticsTests.Account, InjectleDiagnosticsTests.Pool."
        )
        #expect(findings.first?.fix.hasSuffix("`locator.check(as: \"session\", given: …)`") == true)
        try app.check()
        let error = #expect(throws: Locator.CheckFailure.self) { try app.check(.strict) }
        #expect(error?.findings.map(\.kind) == [.unchecked])
    }

    @Test func `There is no note of services that are complete, skipped, or checked in the session`() throws {
        app.register(.lazy { Pool() })
        app.register(.lazy { _ in Disk() }.depending(on: Pool.self).lifetime(.perLocator(named: "session")))
        app.register(
            .lazy { _ in Roster() }.depending(on: Account.self).lifetime(.perLocator(named: "page")).skippingCheck()
        )
        try app.check(.strict)
        registerSession()
        #expect(app.validate(as: "session", given: Account.self).isEmpty)
        let session = app.child("session") { $0.register(.eager(Account())) }
        #expect(session.validate().isEmpty)
        #expect(session.child("page").validate().isEmpty)
        #expect(app.child("request").validate().isEmpty)
    }

    @Test func `A service of a session that needs one of a page is not checked`() {
        app.register(.lazy { Pool() }.lifetime(.perLocator(named: "page")))
        app.register(.lazy { _ in Disk() }.depending(on: Pool.self).lifetime(.perLocator(named: "session")))
        #expect(app.validate().map(\.kind) == [.unchecked])
    }

    @Test func `What only the services of sessions need has the fix to check a session`() throws {
        registerSession()
        let finding = try #require(app.validate { BasketView() }.first { $0.kind == .missing })
        let check = "check that: `check(as: \"session\", given: InjectleDiagnosticsTests.Account.self)`, or "
        #expect(finding.fix.hasPrefix("if a child named \"session\" has it, \(check)"), "\(finding.fix)")
        app.register(.lazy { Pool() })
        try app.check(as: "session", given: Account.self, roots: History.self) { BasketView() }
    }

    @Test func `What an object needs beside a service of a session has that fix, too`() throws {
        app.register(.lazy { try neverCreated(Basket.self) }.lifetime(.perLocator(named: "session")))
        let finding = try #require(app.validate(roots: BasketView.self).first { $0.kind == .missing })
        #expect(finding.fix.hasPrefix("if a child named \"session\" has it, check that: "), "\(finding.fix)")
    }

    @Test func `A trait has the fix to check the session by the trait`() throws {
        registerSession()
        app.register(.lazy { Pool() })
        let checked = CheckedTypes(roots: [Basket.self], isOfTrait: true)
        let finding = try #require(app.findings(forTestOf: checked) { ".override(\($0)) { … }" }.first)
        let check = "`.checking(…, as: \"session\", given: InjectleDiagnosticsTests.Account.self)`"
        #expect(finding.fix.hasSuffix(check), "\(finding.fix)")
    }

    @Test func `A trait has the fix to check the session for what only that has`() throws {
        registerSession()
        app.register(.lazy { Pool() })
        app.register(.initializer(Checkout.init).lifetime(.volatile))
        let findings = app.findings(forTestOf: CheckedTypes(roots: [Checkout.self], isOfTrait: true)) {
            ".override(\($0)) { … }"
        }
        let check = "`.checking(…, as: \"session\", given: InjectleDiagnosticsTests.Account.self)`"
        #expect(findings.map(\.kind) == [.missing, .locatorNotFound])
        #expect(findings.first?.fix.hasPrefix("if a child named \"session\" has it, check that: \(check), or ") == true)
        #expect(findings.last?.fix.hasSuffix(check) == true, "\(findings)")
        let checked = CheckedTypes(roots: [Checkout.self], name: "session", given: [Account.self], isOfTrait: true)
        #expect(app.findings(forTestOf: checked) { $0 }.isEmpty)
    }

    @Test func `A check by creation has the fix to create what a session has`() async throws {
        app.register(.lazy { Pool() })
        app.register(
            .lazy { locator in Basket(account: try locator.resolve(), pool: try locator.resolve()) }
                .depending(on: Account.self, Pool.self).lifetime(.perLocator(named: "session"))
        )
        app.register(.initializer(Checkout.init).lifetime(.volatile))
        let error = await #expect(throws: Locator.CheckFailure.self) { try await app.checkByCreating() }
        let check = "check that: `locator.child(\"session\") { … }.checkByCreating()`"
        #expect(error?.findings.first?.fix.contains(check) == true, "\(error?.description ?? "")")
        let session = app.child("session") { $0.register(.eager(Account())) }
        #expect(try await session.checkByCreating(.strict).created == 3)
    }

    @Test func `A check by creation leaves out what needs a service of a session`() async throws {
        app.register(.lazy { try neverCreated(Disk.self) }.lifetime(.perLocator(named: "session")))
        app.register(.volatile { locator in Repository(disk: try locator.resolve()) })
        #expect(try await app.checkByCreating().skipped == 2)
        app.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        let error = await #expect(throws: Locator.CheckFailure.self) { try await app.checkByCreating() }
        #expect(error?.findings.map(\.kind) == [.creationFailed])
    }

    @Test func `A misspelled name of a check has the fix to correct it`() throws {
        app.register(.lazy { Roster() }.lifetime(.perLocator(named: "session")))
        let roots = [Locator.Identity(Roster.self)]
        let finding = try #require(app.validate(as: "sesion", given: [], roots: roots).first)
        #expect(finding.kind == .locatorNotFound)
        let fix = "\"sesion\" is similar to \"session\": `check(as: \"session\")`, or "
        #expect(finding.fix.hasPrefix(fix), "\(finding.fix)")
        #expect(!finding.fix.contains("child("))
    }

    @Test func `A key of a value comes before a registration without a key`() throws {
        struct Page {
            @Inject("offline") var isOffline: Bool
            @Inject var now: @Sendable () -> Int
            @Inject var disk: Disk
        }
        let fixes = app.validate(roots: Page.self).map(\.fix)
        #expect(fixes.map { $0.hasPrefix("if the property has a key") } == [true, true, false], "\(fixes)")
        let ofTrait = app.findings(forTestOf: CheckedTypes(roots: [Page.self])) { ".override(\($0)) { … }" }.map(\.fix)
        #expect(
            ofTrait.first
                == "if the property has a key, .override(Bool.self, key: …) { … }, or .override(Bool.self) { … }"
        )
        #expect(ofTrait.last?.hasPrefix(".override(InjectleDiagnosticsTests.Disk.self)") == true)
    }
}
