import Foundation
import Injectle
import InjectleDiagnostics
import InjectleTesting
import Testing
import TodoAppKit

/// The whole app without its views: start, login, logout.
@Suite(.locator { @MainActor locator in registerMocks(in: locator) })
struct AppModelTests {
    let app = AppModel()

    @Test func `The registrations are complete`() throws {
        // The user is registered in a session only.
        let session = Locator.shared.child(Session.locatorName) { $0.register(.eager(User(name: "Ada"))) }
        try session.check(.strict)
    }

    @Test func `The app starts`() async {
        await app.start()
        #expect(app.isStarted && app.errors.isEmpty)
    }

    @Test func `Each session has a list of its own`() async throws {
        app.logIn(as: User(name: "Ada"))
        let first = try #require(app.session).locator.resolve(TodoListModel.self)
        #expect(try app.session?.locator.resolve(TodoListModel.self) === first)
        await app.logOut()
        #expect(app.session == nil)

        app.logIn(as: User(name: "Grace"))
        let second = try #require(app.session).locator.resolve(TodoListModel.self)
        #expect(second !== first)
        #expect(second.title == "Grace’s list")
        await app.logOut()
        #expect(app.errors.isEmpty)
    }

    @Test func `A logout saves the list`() async throws {
        app.logIn(as: User(name: "Ada"))
        try #require(app.session).locator.resolve(TodoListModel.self).add("Buy tea")
        await app.logOut()

        app.logIn(as: User(name: "Ada"))
        let model = try #require(app.session).locator.resolve(TodoListModel.self)
        await model.load()
        #expect(model.todos.map(\.title) == ["Buy tea"])
        await app.logOut()
    }

    @Test func `The file keeps the list from one launch to the next`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        for titles in [["Buy tea"], ["Buy tea", "Boil water"]] {
            let launch = Locator("launch") { registerServices(in: $0, file: file) }
            let app = AppModel(locator: launch)
            await app.start()
            app.logIn(as: User(name: "Ada"))
            let model = try #require(app.session).locator.resolve(TodoListModel.self)
            await model.load()
            model.add(titles.last ?? "")
            #expect(model.todos.map(\.title) == titles)
            await app.logOut()
            #expect(app.errors.isEmpty)
        }
    }
}
