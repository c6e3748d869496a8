import Injectle
import InjectleTestSupport
import Testing

private struct Visitor: Sendable { let name: String }
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
            await Task.detached { thrown { try Locator.shared.resolve(Page.self) } }.value
        }
        #expect(error?.description.contains(note) == true)
        Locator.default.reset()
    }

    @Test(.processWide) func `A default locator without services of children has no such note`() async {
        Locator.default.register(.eager(1))
        let error = await Task.detached { thrown { try Locator.shared.resolve(Page.self) } }.value
        #expect(error == .missing && error?.description.contains("note") == false)
        Locator.default.reset()
    }

    private func name(_ type: String) -> String { "InjectleTests.\(type)" }
}
