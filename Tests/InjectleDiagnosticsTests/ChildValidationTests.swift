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
        #expect(findings.map(\.kind) == [.missing])
        #expect(findings.first?.service == "InjectleDiagnosticsTests.Cache")
    }

    @Test func `services with keys are given by their identities`() {
        locator.register(
            .volatile { locator in [try locator.resolve(Account.self, key: "admin")] }
                .depending(on: Account.self, key: "admin")
        )
        let admin = Locator.Identity(Account.self, key: "admin")
        #expect(locator.validate(as: nil, given: [admin]).isEmpty)
        #expect(locator.validate(as: nil, given: [Locator.Identity(Account.self)]).map(\.kind) == [.missing])
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
        #expect(findings.map(\.kind) == [.finalReplaced])
        #expect(findings.first?.location == "InjectleDiagnosticsTests/ChildValidationTests.swift:\(line)")
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
