import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private struct Account: Sendable {}
private final class Handler: Sendable {
    init(account: Account) {}
}

/// The fixes of a service that only children have: no request shares the account of another one.
@Suite struct MissingServiceFixTests {
    private let server = Locator("server")

    private func text(_ body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)" }
        return ""
    }

    @Test func `A service that a check was given is registered in the child`() throws {
        server.register(.initializer(Handler.init).lifetime(.volatile))
        try server.check(as: "request", given: Account.self)
        let text = text { _ = try server.resolve(Handler.self) }
        let child = "child.register(.lazy { … }, for: InjectleDiagnosticsTests.Account.self)"
        #expect(
            text.contains(
                "fix           resolve from a child that has InjectleDiagnosticsTests.Account, and register it there: "
                    + child
            ),
            "\(text)"
        )
        #expect(!text.contains("locator.register("))
        #expect(server.validate().first?.fix.contains("locator.register(") == false)
        let child2 = server.child("request")
        #expect(self.text { _ = try child2.resolve(Handler.self) }.contains("fix           locator.register("))
    }

    @Test func `A singleton that needs it is created once per child`() throws {
        server.register(.initializer(Handler.init))
        _ = server.validate(as: "request", given: Account.self)
        let finding = try #require(server.validate().first)
        #expect(finding.fix.hasPrefix("create InjectleDiagnosticsTests.Handler once per child: "), "\(finding.fix)")
    }

    @Test(.processWide) func `A task without the locator of its parent task has the fix to bind it`() async throws {
        server.register(.eager(Account()))
        let text = try await Locator.$shared.withValue(server) {
            _ = try Locator.shared.resolve(Account.self)
            return await Task.detached { () -> String in
                do { _ = try Locator.shared.resolve(Account.self) } catch { return "\(error)" }
                return ""
            }.value
        }
        #expect(
            text.contains("note          no locator is bound in this task: a detached task, a thread or a queue"),
            "\(text)"
        )
        #expect(text.contains("fix           take `let hold = Locator.shared.hold()` before the task begins"))
        #expect(text.contains("or            bind it there: `Locator.$shared.withValue(locator) { … }`"))
        #expect(!text.contains("Locator.default.register("))
    }
}
