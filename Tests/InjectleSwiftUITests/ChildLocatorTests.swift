import Injectle
import InjectleTestSupport
import Testing

@testable import InjectleSwiftUI

/// The child locator that a view creates.
@MainActor @Suite struct ChildLocatorTests {
    final class Model {
        @Inject var number: Int
    }

    @Test func `A model that a view registers in its child resolves from the child`() throws {
        let locator = Locator("view") { $0.register(.eager(7)) }
        let window = try ResolvedState<Locator>().service(from: locator) { parent in
            parent.child("window") { child in
                child.register(.eager(8))
                child.register(.eager(Model()))
            }
        }
        #expect(try window.resolve(Model.self).number == 8)
    }

    // MARK: A session that lives as long as its views

    /// The state of a view with a child locator for a user, here a number.
    private func session(_ number: Int, of app: Locator) throws -> ResolvedState<Locator> {
        let state = ResolvedState<Locator>()
        _ = try child(of: state, number, of: app)
        return state
    }

    /// Evaluates the body of that view.
    private func child(of state: ResolvedState<Locator>, _ number: Int, of app: Locator) throws -> Locator {
        try state.service(from: app) { parent in
            parent.child("session") { child in
                child.register(.eager(number))
                child.register(.lazy { Model() })
            }
        }
    }

    private func model(of state: ResolvedState<Model>, in session: Locator) throws -> Model {
        try state.service(from: session) { try $0.resolve() }
    }

    @Test func `A view of another identity has the session of another user`() throws {
        let app = Locator("app")
        let (ada, grace) = (try session(1, of: app), try session(2, of: app))
        #expect(try model(of: ResolvedState(), in: child(of: ada, 1, of: app)).number == 1)
        #expect(try model(of: ResolvedState(), in: child(of: grace, 2, of: app)).number == 2)
    }

    @Test func `A view of the same identity keeps its session`() throws {
        let app = Locator("app")
        let state = try session(1, of: app)
        #expect(try child(of: state, 2, of: app).resolve(Int.self) == 1)
    }

    @Test func `A screen that animates out reads its session, and what outlives it reads the app`() throws {
        let app = Locator("app") { $0.register(.eager(7)) }
        var outer: ResolvedState<Locator>? = try session(8, of: app)
        var screen: ResolvedState<Model>? = ResolvedState()
        let model = try model(of: #require(screen), in: child(of: #require(outer), 8, of: app))
        outer = nil
        #expect(model.number == 8)
        #expect(screen != nil)
        screen = nil
        #expect(model.number == 7)
    }

    @Test func `An async disposer of a session runs after its last view`() async throws {
        let (app, isDisposed) = (Locator("app"), Signal())
        let disposed = Counter()
        app.register(
            .lazy { Tracked(Tracked.Log()) }.lifetime(.perLocator(named: "session")).onDispose { _ async in
                disposed.increment()
                isDisposed.set()
            }
        )
        var state: ResolvedState<Locator>? = try session(1, of: app)
        _ = try child(of: #require(state), 1, of: app).resolve(Tracked.self)
        #expect(disposed.value == 0)
        state = nil
        await isDisposed.reached()
        #expect(disposed.value == 1)
    }

    // MARK: A model that a view creates

    @Test func `A model that a view creates resolves from the locator of the view`() throws {
        let session = Locator("app").child("session") { $0.register(.eager(8)) }
        #expect(try ResolvedState<Model>().service(from: session) { _ in Model() }.number == 8)
    }

    private final class StateModel {
        @Inject var number: Int
        func read() throws -> Int { try $number.resolve() }
    }

    @Test func `The error of a model in a @State names @InjectedState`() throws {
        let app = Locator("app")
        let session = app.child("session") { $0.register(.eager(8)) }
        let model = Locator.$shared.withValue(app) { StateModel() }
        let error = try #require(throws: InjectleError.missing) { try model.read() }
        let fixes = error.description.split(separator: "\n").filter { $0.hasPrefix("  fix ") || $0.hasPrefix("  or ") }
        #expect(fixes.first?.contains("in a view by `@InjectedState` instead of `@State`") == true)
        #expect(fixes.dropFirst().allSatisfy { $0.hasPrefix("  or ") })
        withExtendedLifetime(session) {}
    }
}
