import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private struct Account: Sendable {}
extension ServiceKey<String> {
    fileprivate static let token = Self("token")
    fileprivate static let device = Self("device")
}
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

    private static let registerInChild =
        "resolve from a child that has InjectleDiagnosticsTests.Account, and register it there: "
        + "child.register(.lazy { … }, for: InjectleDiagnosticsTests.Account.self)"

    @Test func `A service that only a closed child has had is registered in the child`() async throws {
        server.register(.initializer(Handler.init).lifetime(.volatile))
        let session = server.child("session")
        try await session.withChild("request") { request in
            request.register(.eager(Account()))
            _ = try request.resolve(Handler.self)
        }
        for locator in [server, session] {
            let text = text { _ = try locator.resolve(Handler.self) }
            #expect(text.contains("fix           " + Self.registerInChild), "\(text)")
            #expect(!text.contains("locator.register("))
        }
        // The sibling that lacks it has to get it.
        let other = text { _ = try server.child("request").resolve(Handler.self) }
        #expect(other.contains("fix           locator.register("), "\(other)")
        server.register(.initializer(Handler.init))
        let shared = text { _ = try server.child("request").resolve(Handler.self) }
        #expect(shared.contains("fix           create InjectleDiagnosticsTests.Handler once per child: "), "\(shared)")
    }

    @Test func `A service that no child has had is registered in the locator`() {
        server.register(.eager(Account()))
        _ = server.child("request") { $0.register(.eager(Account())) }
        server.unregister(Account.self)
        let other = Locator("other")
        _ = other.child("request") { $0.register(.lazy { Account() }.contributing(to: Account.self)) }
        for locator in [server, other] {
            let text = text { _ = try locator.resolve(Account.self) }
            #expect(text.contains("fix           locator.register("), "\(text)")
        }
    }

    @Test func `A singleton that needs it is created once per child`() throws {
        server.register(.initializer(Handler.init))
        _ = server.validate(as: "request", given: Account.self)
        let finding = try #require(server.validate().first)
        #expect(finding.fix.hasPrefix("create InjectleDiagnosticsTests.Handler once per child: "), "\(finding.fix)")
    }

    @Test func `A typed key is registered rather than replaced by another key`() throws {
        server.register(.eager("secret"), for: .token)
        let text = text { _ = try server.resolve(.device) }
        let fix = "fix           locator.register(.lazy { … }, for: .device)\n"
        #expect(text.contains(fix + "  or            resolve with the key InjectleDiagnosticsTests.token"), "\(text)")
    }

    @Test func `A function that differs in Sendable is similar, and its type is a fix`() throws {
        server.register(.lazy { { @Sendable in 7 } }, for: (@Sendable () -> Int).self)
        server.register(.lazy { { @Sendable in "" } }, for: (@Sendable () -> String).self)
        let text = text { _ = try server.resolve((() -> Int).self) }
        #expect(text.contains("similar       @Sendable () -> Int, another type at run time, registered in"), "\(text)")
        #expect(text.contains("fix           resolve (@Sendable () -> Int).self\n"))
        #expect(!text.contains("String"))
        #expect(try server.resolve((@Sendable () -> Int).self)() == 7)
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
