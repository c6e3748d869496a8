import Injectle
import InjectleDiagnostics
import Testing

private protocol API: Sendable { var path: String { get } }
private struct LiveAPI: API { let path = "live" }
private struct Wrapper: API {
    let inner: any API
    let name: String
    var path: String { "\(name)(\(inner.path))" }
}
private final class Settings: Sendable {}

/// Decorators in findings, the graph and explanations.
@Suite struct DecoratorTests {
    private let locator = Locator("app")

    private func registerAPI() { locator.register(.lazy { LiveAPI() }, for: (any API).self) }

    private func decorate(_ name: String) {
        locator.decorate((any API).self) { Wrapper(inner: $0, name: name) }
    }

    private func path() throws -> String { try locator.resolve((any API).self).path }

    @Test func `Validation follows a decorator to the service`() throws {
        func make(_ settings: Settings) -> any API { LiveAPI() }
        locator.register(.initializer(make), for: (any API).self)
        decorate("log")
        let findings = locator.validate(roots: (any API).self)
        #expect(findings.map(\.kind) == [.missing])
        #expect(findings.first?.dependency?.hasSuffix("Settings") == true)
        locator.register(.lazy { Settings() })
        #expect(locator.validate(roots: (any API).self).isEmpty)
        #expect(locator.graph.services.count == 3)
        #expect(locator.graph.dependencies.count == 2)
    }

    @Test func `Validation finds a decorator of nothing`() {
        decorate("log")
        #expect(locator.validate().map(\.kind) == [.missing])
    }

    @Test func `A decorated service is declared and not recorded`() throws {
        locator.add(Locator.DependencyRecorder())
        registerAPI()
        decorate("log")
        _ = try path()
        #expect(locator.validate().isEmpty)
        #expect(locator.graph.dependencies.map(\.isRecorded) == [false])
    }

    @Test func `Decorators of one line are recorded apart`() throws {
        locator.add(Locator.DependencyRecorder())
        registerAPI()
        for name in ["first", "second"] { decorate(name) }
        #expect(try path() == "second(first(live))")
        #expect(locator.validate().isEmpty)
        #expect(locator.graph.dependencies.count == 2)
    }

    @Test func `An explanation names the decorator and the decorated service`() {
        registerAPI()
        decorate("log")
        let explanation = locator.explain((any API).self)
        #expect(explanation.rule == .registered)
        #expect(explanation.dependencies.count == 1)
        #expect(explanation.candidates.map(\.reason) == ["it is decorated"])
    }
}
