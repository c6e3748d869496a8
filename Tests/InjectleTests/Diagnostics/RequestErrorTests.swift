import Injectle
import InjectleTestSupport
import Testing

// Not private: the runtime does not tell whether a type conforms to a private protocol.
protocol Visiting: Sendable {}
private struct Visitor: Visiting { let name: String }
/// Reads its nest too early: that needs the hen.
private final class Hen {
    @Inject private var nest: Nest
    init() throws { _ = try $nest.resolve() }
}
private final class Nest {
    @Inject private var hen: Hen
    init() throws { _ = try $hen.resolve() }
}
private struct Handler: Sendable { let visitor: Visitor }
private struct Page: Sendable { let handler: Handler }
private final class Unit: Sendable {}

/// What an error says if a service of a request is resolved outside of one.
@Suite struct RequestErrorTests {
    private let locator = Locator("server")

    private func registerHandlers(in locator: Locator) {
        locator.register(.volatile { locator in Handler(visitor: try locator.resolve()) })
        locator.register(.volatile { locator in Page(handler: try locator.resolve()) })
        locator.register(.lazy { Unit() }.lifetime(.perLocator(named: "request")))
    }

    @Test func `A handler that is resolved outside of a request suggests the child before a registration for all`() {
        registerHandlers(in: locator)
        let text = thrown { try locator.resolve(Page.self) }?.description ?? ""
        #expect(text.contains("\n  fix           resolve \(name("Page")) in a child that has \(name("Visitor"))\n"))
        let registering = "locator.register(.lazy { … }, for: \(name("Visitor")).self), if all children share it"
        #expect(text.hasSuffix("\n  or            \(registering)"))
    }

    @Test func `Without services of children, the registration is the only fix`() {
        locator.register(.volatile { locator in Handler(visitor: try locator.resolve()) })
        let text = thrown { try locator.resolve(Handler.self) }?.description ?? ""
        #expect(text.hasSuffix("\n  fix           locator.register(.lazy { … }, for: \(name("Visitor")).self)"))
    }

    private let note = "\n  note          no locator is bound in this task: a detached task, a thread or a queue"

    @Test(.processWide) func `A detached task that has lost its locator says so`() async throws {
        registerHandlers(in: locator)
        let error = await locator.withChild("request", { $0.register(.eager(Visitor(name: "Ada"))) }) { _ in
            await Task.detached { thrown { try Locator.shared.resolve(Page.self) } }.value
        }
        #expect(error?.description.contains("No service is registered as \(name("Page")).") == true)
        #expect(error?.description.contains(note) == true)
    }

    @Test(.processWide) func `So does one whose program registers in the default locator`() async {
        registerHandlers(in: .default)
        let error = await Locator.default.withChild("request", { $0.register(.eager(Visitor(name: "Ada"))) }) { _ in
            await Task.detached { thrown { try Locator.shared.resolve(Visitor.self) } }.value
        }
        #expect(error?.description.contains(note) == true)
        Locator.default.reset()
    }

    @Test(.processWide) func `A service that no child has had is registered in the default locator`() async {
        registerHandlers(in: .default)
        let error = await Locator.default.withChild("request", { $0.register(.eager(Visitor(name: "Ada"))) }) { _ in
            await Task.detached { thrown { try Locator.shared.resolve(Int.self) } }.value
        }
        let text = error?.description ?? ""
        #expect(text.hasSuffix("\n  fix           Locator.default.register(.lazy { … }, for: Int.self)"), "\(text)")
        Locator.default.reset()
    }

    @Test(.processWide) func `A misspelled key is the first fix, also where no locator is bound`() async {
        Locator.default.register(.eager(Visitor(name: "Ada")), key: "primary")
        let error = await Locator.default.withChild("request", { $0.register(.eager(Visitor(name: "Ben"))) }) { _ in
            await Task.detached { thrown { try Locator.shared.resolve(Visitor.self, key: "primry") } }.value
        }
        let text = error?.description ?? ""
        #expect(text.contains("\n  fix           resolve with the key \"primary\""), "\(text)")
        Locator.default.reset()
    }

    @Test(.processWide) func `A default locator without services of children has no such note`() async {
        Locator.default.register(.eager(1))
        let error = await Task.detached { thrown { try Locator.shared.resolve(Page.self) } }.value
        #expect(error == .missing && error?.description.contains("note") == false)
        Locator.default.reset()
    }

    // MARK: Fixes that depend on the request

    @Test func `A property that is read in the initializer is to be read later`() {
        locator.register(.lazy { try Hen() })
        locator.register(.lazy { try Nest() })
        let text = thrown { try locator.resolve(Nest.self) }?.description ?? ""
        #expect(text.contains("read the property after the initializer has returned"), "\(text)")
    }

    @Test func `A decorator without a service is told to come later`() {
        locator.decorate(Visitor.self) { $0 }
        let text = thrown { try locator.resolve(Visitor.self) }?.description ?? ""
        #expect(text.contains("fix           register the service before the call of `decorate`"), "\(text)")
        #expect(!text.contains("similar"))
    }

    @Test func `A service with arguments that needs a session is created for each request`() {
        locator.register(
            .lazy { (locator, _: Int) in
                _ = try locator.resolve(Unit.self)
                return Visitor(name: "Ada")
            }
        )
        locator.register(.lazy { Unit() }.lifetime(.perLocator(named: "session")))
        let session = locator.child("session")
        let text = thrown { try session.resolve(Visitor.self, arguments: 1) }?.description ?? ""
        #expect(text.contains("for each request: `.lifetime(.volatile)`"), "\(text)")
    }

    @Test func `The key of a similar registration comes before another type`() {
        locator.register(.eager(Visitor(name: "Ada")).as((any Visiting).self, key: "tokens").asSelf())
        let text = thrown { try locator.resolve((any Visiting).self) }?.description ?? ""
        #expect(text.contains("fix           resolve with the key \"tokens\""), "\(text)")
    }

    private func name(_ type: String) -> String { "InjectleTests.\(type)" }
}
