import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private struct Member: Sendable {}
private struct Settings: Sendable {}
private final class Basket: Sendable {}
private final class Shop: Sendable {}

private struct BasketModel {
    @Inject var member: Member
    @Inject var basket: Basket
    @Inject var shop: Shop
    @Inject var optional: Member?
    @Optject var optject: Member?
    @Injected(resolve: .eager) var kept: Member
    @Inject var all: [Basket]
}

private final class BasketPage: Sendable {
    let member = Inject<Member>()
}

private final class Mailer: Sendable {
    init(member: Member) {}
}

private final class AppModel {
    @Inject var settings: Settings
}

/// What a check says of services that end with a session or a request, before a read ends the process.
@Suite struct SessionFindingTests {
    private let app = Locator("app")

    private func readsAfterEnd(_ findings: [Locator.Finding]) -> [String] {
        findings.filter { $0.kind == .endsWithLocator }.map(\.message)
    }

    private func strictFindings(_ check: () throws(Locator.CheckFailure) -> Void) -> [Locator.Finding] {
        do throws(Locator.CheckFailure) {
            try check()
            return []
        } catch {
            return error.findings
        }
    }

    @Test func `A strict check names the properties that end the process after the session`() throws {
        app.register(.lazy { Shop() })
        app.register(.lazy { Basket() }.lifetime(.perLocator(named: "session")))
        let findings = strictFindings { () throws(Locator.CheckFailure) in
            try app.check(.strict, as: "session", given: Member.self, roots: BasketModel.self)
        }
        #expect(
            readsAfterEnd(findings)
                == [("member", "Member"), ("basket", "Basket")].map { name, type in
                    "The property `\(name)` of InjectleDiagnosticsTests.BasketModel reads InjectleDiagnosticsTests."
                        + "\(type), which ends with the locator \"session\": a later read ends the process."
                }
        )
        #expect(
            findings.first { $0.kind == .endsWithLocator }?.fix.contains("@Injected(resolve: .eager) var member")
                == true
        )
        try app.check(as: "session", given: Member.self, roots: BasketModel.self)
    }

    @Test func `It names those of objects and of registered services, with their lines`() {
        app.register(.volatile { BasketPage() })
        let line = 22
        let findings = strictFindings { () throws(Locator.CheckFailure) in
            try app.check(.strict, as: "session", given: Member.self) { BasketPage() }
        }
        let found = findings.filter { $0.kind == .endsWithLocator }
        #expect(found.map(\.location) == ["InjectleDiagnosticsTests/SessionFindingTests.swift:\(line)"])
    }

    @Test func `Each is named once, and none of a registration that checks skip`() {
        let twice = strictFindings { () throws(Locator.CheckFailure) in
            try app.check(.strict, as: "session", given: Member.self) {
                BasketPage(); BasketPage()
            }
        }
        #expect(readsAfterEnd(twice).count == 1)
        app.register(.volatile { BasketPage() }.skippingCheck())
        let skipped = strictFindings { () throws(Locator.CheckFailure) in
            try app.check(.strict, as: "session", given: Member.self, roots: BasketPage.self)
        }
        #expect(readsAfterEnd(skipped).isEmpty)
    }

    @Test func `What an ancestor has, too, is readable after the end`() {
        app.register(.eager(Member()))
        let findings = strictFindings { () throws(Locator.CheckFailure) in
            try app.check(.strict, as: "session", given: Member.self, roots: BasketPage.self)
        }
        #expect(readsAfterEnd(findings).isEmpty)
    }

    @Test func `A check of the root has no such note`() {
        app.register(.eager(Member()))
        app.register(.eager(Settings()))
        let findings = strictFindings { () throws(Locator.CheckFailure) in
            try app.check(.strict, roots: BasketPage.self, AppModel.self)
        }
        #expect(readsAfterEnd(findings).isEmpty)
    }

    @Test func `A singleton that keeps the app's instance of what each request has is a note`() throws {
        app.register(.eager(Member()))
        app.register(.initializer(Mailer.init))
        let findings = app.validate(as: "request", given: Member.self, roots: BasketPage.self)
        let note = try #require(findings.first { $0.kind == .captive })
        #expect(note.isNote)
        #expect(
            note.message
                == "InjectleDiagnosticsTests.Mailer keeps the InjectleDiagnosticsTests.Member of the locator \"app\", and the "
                + "locator \"request\" has its own."
        )
        app.register(.initializer(Mailer.init).lifetime(.perLocator))
        #expect(
            !app.validate(as: "request", given: Member.self, roots: BasketPage.self).contains { $0.kind == .captive }
        )
    }

    @Test func `The note has the path through a transient service`() throws {
        struct Letter { init(mailer: Mailer) {} }
        final class Outbox: Sendable { init(letter: Letter) {} }
        app.register(.eager(Member()))
        app.register(.initializer(Mailer.init).lifetime(.volatile))
        app.register(.initializer(Letter.init).lifetime(.volatile))
        app.register(.initializer(Outbox.init))
        let findings = app.validate(as: "request", given: Member.self)
        let note = try #require(findings.first { $0.kind == .captive })
        #expect(note.isNote && note.service.hasSuffix("Outbox"))
        #expect(note.path.count == 4 && note.path.last == "InjectleDiagnosticsTests.Member", "\(note.path)")
        #expect(findings.count { $0.kind == .captive } == 1)
    }

    @Test func `Services of named locators are not unreachable from the roots of the app`() {
        app.register(.eager(Settings()))
        app.register(.lazy { Shop() })
        app.register(.lazy { _ in Basket() }.depending(on: Shop.self).lifetime(.perLocator(named: "session")))
        #expect(app.validate(roots: AppModel.self).filter { $0.kind == .unreachable }.isEmpty)
        app.register(.lazy { 1 })
        #expect(app.validate(roots: AppModel.self).map(\.kind) == [.unreachable])
    }
}
