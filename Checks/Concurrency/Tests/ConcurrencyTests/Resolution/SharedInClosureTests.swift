import Injectle
import InjectleTestSupport
import Testing

private struct User: Equatable, Sendable { let name: String }
private struct Greeter: Sendable { let user: User }
@MainActor private final class Screen { let user: User; init(user: User) { self.user = user } }

/// A closure of a service that children share has the locator that creates it as the current one, also where a child is
/// bound: the user of one request does not reach another one.
@Suite struct SharedInClosureTests {
    private let app = Locator("app") { $0.register(.eager(User(name: "app"))) }
    private let register: @Sendable (Locator) -> Void = { $0.register(.eager(User(name: "Ada"))) }

    @Test func `A singleton of the parent`() throws {
        app.register(.lazy(.anywhere) { Greeter(user: try Locator.shared.resolve()) })
        let user = try app.withChild("request", register) { try $0.resolve(Greeter.self).user }
        #expect(user.name == "app")
    }

    @Test func `A singleton that the parent itself resolves`() throws {
        app.register(.lazy(.anywhere) { Greeter(user: try Locator.shared.resolve()) })
        let user = try app.withChild("request", register) { _ in try app.resolve(Greeter.self).user }
        #expect(user.name == "app")
    }

    @Test func `An async singleton`() async throws {
        app.register(.lazy(.anywhere) { () async throws in Greeter(user: try Locator.shared.resolve()) })
        let user = try await app.withChild("request", register) { try await $0.resolveAsync(Greeter.self).user }
        #expect(user.name == "app")
    }

    @Test func `A singleton of the main actor that another thread resolves`() async throws {
        app.register(.lazy(.main) { Screen(user: try Locator.shared.resolve()) })
        let screen = await onAnotherThread { [app, register] in
            try? app.withChild("request", register) { try $0.resolve(Screen.self) }
        }
        #expect(screen?.user.name == "app")
    }

    @Test func `A service of a named ancestor`() throws {
        app.register(
            .lazy(.anywhere) { Greeter(user: try Locator.shared.resolve()) }.lifetime(.perLocator(named: "session"))
        )
        let session = app.child("session") { $0.register(.eager(User(name: "Grace"))) }
        let user = try session.withChild("page", register) { try $0.resolve(Greeter.self).user }
        #expect(user.name == "Grace")
    }

    @Test func `A transient service, and one per locator, get the child`() throws {
        app.register(.volatile(.anywhere) { Greeter(user: try Locator.shared.resolve()) })
        app.register(.lazy(.anywhere) { [try Locator.shared.resolve(User.self)] }.lifetime(.perLocator), key: "users")
        let names = try app.withChild("request", register) { request in
            [try request.resolve(Greeter.self).user.name] + (try request.resolve([User].self, key: "users").map(\.name))
        }
        #expect(names == ["Ada", "Ada"])
    }

    @Test func `A child that the closure binds itself is the current locator there`() throws {
        app.register(
            .lazy(.anywhere) { [app, register] in
                try app.withChild("inner", register) { _ in Greeter(user: try Locator.shared.resolve()) }
            }
        )
        let other: @Sendable (Locator) -> Void = { $0.register(.eager(User(name: "Ben"))) }
        let user = try app.withChild("request", other) { try $0.resolve(Greeter.self).user }
        #expect(user.name == "Ada")
    }

    @Test func `The binding keeps no locator`() async throws {
        let log = Tracked.Log()
        func resolve() throws {
            let app = Locator("app")
            app.register(.lazy(.anywhere) { (Locator.shared, Tracked(log)).1 })
            _ = try app.withChild("request", register) { try $0.resolve(Tracked.self) }
        }
        try resolve()
        #expect(await log.becomesEmpty())
    }
}
