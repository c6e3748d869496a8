import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private struct Account: Sendable {}
private struct RequestNumber: Sendable {}
private final class Handler: Sendable {
    init(account: Account, number: RequestNumber) {}
}
private final class UnitOfWork: Sendable {
    init(account: Account) {}
}
private final class Holder: Sendable {
    init(work: UnitOfWork) {}
}
private final class Reporter: Sendable {
    init(work: Locator.Provider<UnitOfWork>) {}
}
private final class Cache: Sendable {
    init(account: Account) {}
}

/// `validate(as:given:)`: the faults of a child that does not exist.
@Suite struct ChildValidationTests {
    private let locator = Locator("app")

    @Test func `services of a request are complete with what the request has`() {
        locator.register(.initializer(Handler.init).lifetime(.volatile))
        #expect(locator.validate().map(\.kind) == [.missing, .missing])
        #expect(locator.validate(as: "request", given: Account.self, RequestNumber.self).isEmpty)
        #expect(
            locator.validate(as: "request", given: Account.self).map(\.dependency) == [
                "InjectleDiagnosticsTests.RequestNumber"
            ]
        )
    }

    @Test func `the name of the child matches a lifetime per named locator`() {
        locator.register(.initializer(UnitOfWork.init).lifetime(.perLocator(named: "request")))
        locator.register(
            .volatile { locator in [try locator.resolve(UnitOfWork.self)] }.depending(on: UnitOfWork.self)
        )
        #expect(locator.validate(as: "request", given: Account.self).isEmpty)
        #expect(locator.validate(as: "request").map(\.kind) == [.missing])
    }

    @Test func `a singleton of the parent cannot have a service of the child`() {
        locator.register(.initializer(Cache.init))
        let findings = locator.validate(as: "request", given: Account.self)
        // The given type is not called unneeded: the fault is that the singleton does not find it.
        #expect(findings.map(\.kind) == [.missing])
        #expect(findings.last?.service == "InjectleDiagnosticsTests.Cache")
    }

    @Test(arguments: [Locator.Lifetime.volatile, .graph])
    func `the singleton at fault is named where another service leads to a service of the child`(
        _ lifetime: Locator.Lifetime
    ) throws {
        locator.register(.initializer(UnitOfWork.init).lifetime(lifetime))
        locator.register(.initializer(Holder.init))
        locator.register(.initializer(Reporter.init))
        let findings = locator.validate(as: "request", given: Account.self)
        #expect(findings.map(\.kind) == [.missing, .missing])
        #expect(findings.map(\.service) == ["Holder", "Reporter"].map { "InjectleDiagnosticsTests.\($0)" })
        let finding = try #require(findings.first)
        #expect(finding.path == ["Holder", "UnitOfWork", "Account"].map { "InjectleDiagnosticsTests.\($0)" })
        let name = "InjectleDiagnosticsTests.Holder"
        #expect(finding.message.hasPrefix("\(name) needs InjectleDiagnosticsTests.Account"), "\(finding.message)")
        let lifetime = "`.lifetime(.perLocator(named: \"request\"))`; or for each request: `.lifetime(.volatile)`"
        #expect(finding.fix == "create \(name) once per \"request\": \(lifetime)")
        // What the fixes say.
        locator.register(.initializer(Holder.init).lifetime(.volatile))
        locator.register(.initializer(Reporter.init).lifetime(.perLocator))
        try locator.check(.strict, as: "request", given: Account.self)
    }

    @Test func `the singleton at fault is named in the check of a child that exists`() throws {
        locator.register(.initializer(UnitOfWork.init).lifetime(.volatile))
        locator.register(.initializer(Holder.init))
        let child = locator.child("request") { $0.register(.eager(Account())) }
        let findings = child.validate()
        #expect(findings.map(\.service) == ["InjectleDiagnosticsTests.Holder"])
        #expect(
            findings.first?.message.hasSuffix("which is registered only in the locator \"request\", a child.") == true
        )
    }

    @Test func `services with keys are given by their identities`() {
        locator.register(
            .volatile { locator in [try locator.resolve(Account.self, key: "admin")] }
                .depending(on: Account.self, key: "admin")
        )
        let admin = Locator.Identity(Account.self, key: "admin")
        #expect(locator.validate(as: nil, given: [admin]).isEmpty)
        #expect(
            locator.validate(as: nil, given: [Locator.Identity(Account.self)]).map(\.kind) == [.unneeded, .missing]
        )
    }

    @Test func `check throws the findings`() throws {
        locator.register(.initializer(Handler.init).lifetime(.volatile))
        try locator.check(as: "request", given: Account.self, RequestNumber.self)
        let error = #expect(throws: Locator.CheckFailure.self) {
            try locator.check(as: "request", given: RequestNumber.self)
        }
        #expect(error?.findings.map(\.dependency) == ["InjectleDiagnosticsTests.Account"])
    }

    @Test func `a finding names the line of the validation`() {
        locator.register(.eager(Account()).final())
        let line = #line + 1
        let findings = locator.validate(as: "request", given: Account.self)
        #expect(findings.map(\.kind) == [.finalReplaced, .unneeded])
        #expect(findings.first?.location == "InjectleDiagnosticsTests/ChildValidationTests.swift:\(line)")
    }

    // MARK: What a check was given

    @Test func `a failure names what was given, with modules, and the line of the check`() throws {
        locator.register(.initializer(Handler.init).lifetime(.volatile))
        var text = ""
        let line = #line + 2
        do {
            try locator.check(as: "request", given: Account.self, Locator.Event.self)
        } catch {
            text = error.description
        }
        #expect(
            text.hasPrefix(
                """
                The registrations of the locator "app" as "request" have a fault.
                  checked  in InjectleDiagnosticsTests/ChildValidationTests.swift:\(line)
                  given    InjectleDiagnosticsTests.Account, Injectle.Locator.Event
                InjectleDiagnosticsTests.Handler needs InjectleDiagnosticsTests.RequestNumber, which is not registered.
                """
            ),
            "\(text)"
        )
    }

    @Test func `a missing type has the fix to use a given one of the same name`() throws {
        enum Other { struct Account: Sendable {} }
        locator.register(.initializer(UnitOfWork.init).lifetime(.perLocator))
        let finding = try #require(locator.validate(as: "request", given: Other.Account.self).last)
        #expect(finding.kind == .missing)
        #expect(finding.fix.contains("has another type of this name"), "\(finding.fix)")
    }

    @Test func `a strict check of a given protocol passes`() throws {
        protocol API {}
        struct Client { @Optject var api: (any API)? }
        locator.register(.volatile { Client() })
        try locator.check(.strict, as: "request", given: (any API).self)
    }

    @Test func `what nobody needs is a note`() throws {
        locator.register(.initializer(UnitOfWork.init).lifetime(.perLocator))
        try locator.check(.strict, as: "request", given: Account.self)
        try locator.check(as: "request", given: Account.self, RequestNumber.self)
        let error = #expect(throws: Locator.CheckFailure.self) {
            try locator.check(.strict, as: "request", given: Account.self, RequestNumber.self)
        }
        #expect(error?.findings.map(\.kind) == [.unneeded])
        #expect(error?.findings.first?.fix.hasSuffix("`roots: InjectleDiagnosticsTests.RequestNumber.self`") == true)
        try locator.check(
            .strict,
            as: "request",
            given: Account.self,
            RequestNumber.self,
            roots: RequestNumber.self,
            UnitOfWork.self
        )
    }

    @Test func `a child that does not exist has roots`() throws {
        final class Page { @Inject var work: UnitOfWork }
        locator.register(.initializer(UnitOfWork.init).lifetime(.perLocator(named: "request")))
        locator.register(.volatile { RequestNumber() })
        let findings = locator.validate(as: "request", given: Account.self, roots: UnitOfWork.self)
        #expect(findings.map(\.kind) == [.unreachable])
        try locator.check(as: "request", given: Account.self, roots: RequestNumber.self) { Page() }
        #expect(locator.validate(as: "request") { Page() }.map(\.kind) == [.missing, .unreachable])
        #expect(locator.validate(as: "page", given: Account.self) { Page() }.map(\.kind).contains(.locatorNotFound))
    }

    @Test func `a validation leaves nothing behind and is no event`() {
        let collector = EventCollector()
        locator.add(collector)
        locator.register(.lazy { try neverCreated(UnitOfWork.self) })
        collector.clear()
        _ = locator.validate(as: "request", given: Account.self)
        #expect(collector.events.isEmpty)
        #expect(locator.registrations.count == 1)
        #expect(!locator.isRegistered(Account.self))
    }
}
