import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private struct Account: Sendable { let name: String }
private final class Session: Sendable {
    let account: Account
    init(account: Account) { self.account = account }
}
private final class LazyAudit: Sendable {
    let session: Locator.Lazy<Session>
    init(session: Locator.Lazy<Session>) { self.session = session }
    func name() throws -> String { try session().account.name }
}
private final class ProvidingAudit: Sendable {
    let account: Locator.Provider<Account>
    init(account: Locator.Provider<Account>) { self.account = account }
    func name() throws -> String { try account().name }
}
private final class PropertyAudit: Sendable {
    let account = Inject<Account>()
    func name() throws -> String { try account.resolve().name }
}
private final class Page: Sendable {
    let session: Session
    init(session: Session) { self.session = session }
}
private final class PropertyPage: Sendable {
    let session = Inject<Session>()
}
/// The method with the fix that all three errors print.
private final class Audit: Sendable {
    func accountName() throws -> String {
        try Locator.shared.resolve(InjectleDiagnosticsTests.Account.self).name
    }
    func sessionName() throws -> String {
        try Locator.shared.resolve(InjectleDiagnosticsTests.Session.self).account.name
    }
}

/// The fixes of errors in a server, each with the program that it is for.
@Suite struct RequestFixTests {
    private let server = Locator("server")

    init() {
        server.register(.initializer(Session.init).lifetime(.perLocator(named: "request")))
    }

    /// Calls a closure in the request of an account.
    private func request<Result>(_ name: String, _ body: (Locator) throws -> Result) throws -> Result {
        try server.withChild("request", { $0.register(.eager(Account(name: name))) }, body)
    }

    private func text(_ body: (Locator) throws -> Void) -> String {
        do { try request("Ada", body) } catch { return "\(error)" }
        return ""
    }

    /// Checks the fixes of a read by a singleton, and that its service gets the account of each request by them.
    private func expect(
        _ text: String,
        of service: String,
        lifetimes: String,
        _ line: SourceLocation = #_sourceLocation
    ) {
        #expect(
            text.hasSuffix(
                """
                  note          `Locator.shared` is the locator "request" here, which the request does not search
                  fix           resolve from it where the service is used: \
                `try Locator.shared.resolve(InjectleDiagnosticsTests.\(service).self)`
                  or            create the owner of the property, `Lazy` or `Provider` once per child: \(lifetimes)
                """
            ),
            "\(text)",
            sourceLocation: line
        )
    }

    private let anyChild = "`.lifetime(.perLocator)` or `.lifetime(.volatile)`"

    @Test func `A Provider of a singleton in a request`() throws {
        server.register(.initializer(ProvidingAudit.init))
        expect(text { _ = try $0.resolve(ProvidingAudit.self).name() }, of: "Account", lifetimes: anyChild)
        server.register(.initializer(ProvidingAudit.init).lifetime(.perLocator))
        #expect(try request("Grace") { try $0.resolve(ProvidingAudit.self).name() } == "Grace")
    }

    @Test func `A property of a singleton in a request`() throws {
        server.register(.initializer(PropertyAudit.init))
        expect(text { _ = try $0.resolve(PropertyAudit.self).name() }, of: "Account", lifetimes: anyChild)
        server.register(.initializer(PropertyAudit.init).lifetime(.volatile))
        #expect(try request("Grace") { try $0.resolve(PropertyAudit.self).name() } == "Grace")
    }

    @Test func `A Lazy of a singleton in a request`() throws {
        server.register(.initializer(LazyAudit.init))
        let lifetime = "`.lifetime(.perLocator(named: \"request\"))`"
        expect(text { _ = try $0.resolve(LazyAudit.self).name() }, of: "Session", lifetimes: lifetime)
        server.register(.initializer(LazyAudit.init).lifetime(.perLocator(named: "request")))
        #expect(try request("Grace") { try $0.resolve(LazyAudit.self).name() } == "Grace")
    }

    @Test func `A singleton that resolves where it uses the service`() throws {
        server.register(.initializer(Audit.init))
        for name in ["Ada", "Grace"] {
            let names = try request(name) { request in
                let audit = try request.resolve(Audit.self)
                return try [audit.accountName(), audit.sessionName()]
            }
            #expect(names == [name, name])
        }
    }

    @Test func `A bound locator that lacks the service, too, is no fix`() {
        let text = text { _ = try $0.resolve(Disk.self) }
        #expect(text.contains("locator.register("), "\(text)")
        #expect(!text.contains("Locator.shared"))
    }

    // MARK: Async services of a request

    private func registerPage(_ registration: Locator.Registration<Page>) {
        server.register(registration)
        server.register(
            .lazy { locator async throws in Session(account: try locator.resolve()) }.depending(on: Account.self)
                .lifetime(.perLocator(named: "request"))
        )
    }

    private func note() throws -> Locator.Finding {
        try server.check(as: "request", given: Account.self)
        let findings = server.validate(as: "request", given: Account.self)
        #expect(findings.map(\.kind) == [.requiresAsync] && findings.allSatisfy(\.isNote), "\(findings)")
        return try #require(findings.first)
    }

    @Test func `An async service of a request, which synchronous code needs`() async throws {
        registerPage(.initializer(Page.init).lifetime(.volatile))
        let note = try note()
        #expect(note.message.hasSuffix("is async: only a start of the locator \"request\" creates it."))
        #expect(
            note.fix.hasPrefix("call `try await child.start()` first, which `withChild` does not, and add `.atStart()`")
        )
        server.register(
            .lazy { locator async throws in Session(account: try locator.resolve()) }.depending(on: Account.self)
                .lifetime(.perLocator(named: "request")).atStart()
        )
        try server.check(.strict, as: "request", given: Account.self, roots: Page.self)
        let page = try await server.withChild("request", { $0.register(.eager(Account(name: "Ada"))) }) { child in
            try await child.start()
            return try child.resolve(Page.self)
        }
        #expect(page.session.account.name == "Ada")
    }

    @Test func `An async service of a request, which an async closure needs`() async throws {
        registerPage(.initializer(Page.init).lifetime(.volatile))
        #expect(try note().fix.hasSuffix("or register InjectleDiagnosticsTests.Page by an async closure"))
        let registration = Locator.Registration.volatile { locator async throws in
            Page(session: try await locator.resolveAsync())
        }
        registerPage(registration.depending(on: Session.self))
        try server.check(.strict, as: "request", given: Account.self, roots: Page.self)
        let page = try await server.withChild("request", { $0.register(.eager(Account(name: "Ada"))) }) { child in
            try await child.resolveAsync(Page.self)
        }
        #expect(page.session.account.name == "Ada")
    }

    @Test func `An async service of a request, which a property reads`() throws {
        registerPage(.volatile { () -> Page in throw WasCreated() })
        server.register(.lazy { PropertyPage() }.lifetime(.perLocator))
        #expect(try note().message.contains("PropertyPage reads InjectleDiagnosticsTests.Session, which is async"))
    }
}
