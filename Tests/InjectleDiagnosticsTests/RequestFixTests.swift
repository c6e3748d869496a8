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

    private let anyChild = "`.lifetime(.perLocator)` or `.volatile`"

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
}
