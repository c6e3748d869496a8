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

    @Test func `Validation follows a decorator to the service`() throws {
        func make(_ settings: Settings) -> any API { LiveAPI() }
        locator.register(.initializer(make), for: (any API).self)
        decorate("log")
        let findings = locator.validate(roots: (any API).self)
        #expect(findings.map(\.kind) == [.missing])
        #expect(findings.first?.dependency?.hasSuffix("Settings") == true)
        locator.register(.lazy { Settings() })
        #expect(locator.validate(roots: (any API).self).isEmpty)
        #expect(locator.graph.services.count == 2)
        #expect(locator.graph.dependencies.count == 1)
    }

    @Test func `Validation finds a decorator of nothing`() {
        decorate("log")
        let findings = locator.validate() + locator.child("request").validate()
        #expect(findings.map(\.kind) == [.missing, .missing])
        #expect(findings.allSatisfy { $0.message.hasSuffix("which is not registered.") }, "\(findings)")
    }

    @Test func `A decorator of an inherited service declares it and does not record it`() throws {
        let child = locator.child("request")
        child.add(Locator.DependencyRecorder())
        registerAPI()
        child.decorate((any API).self) { Wrapper(inner: $0, name: "log") }
        #expect(try child.resolve((any API).self).path == "log(live)")
        #expect(child.validate().isEmpty)
        #expect(child.graph.dependencies.map(\.isRecorded) == [false])
        #expect(child.explain((any API).self).dependencies.count == 1)
    }

    @Test func `A decorator takes the place of the service in an explanation`() {
        registerAPI()
        decorate("log")
        let explanation = locator.explain((any API).self)
        #expect(explanation.rule == .registered)
        #expect(explanation.dependencies.isEmpty)
        #expect(explanation.candidates.isEmpty)
    }

    // MARK: Decorators that resolve

    private func decorateWithSettings(in locator: Locator? = nil) {
        (locator ?? self.locator).decorate((any API).self) { locator, api in
            _ = try locator.resolve(Settings.self)
            return Wrapper(inner: api, name: "log")
        }
    }

    @Test func `The dependencies of a decorated registration count for its decorator`() async throws {
        locator.register(.lazy { LiveAPI() }.as((any API).self).depending(on: Settings.self))
        decorateWithSettings()
        #expect(locator.validate().map(\.kind) == [.missing])
        locator.register(.lazy { Settings() })
        try locator.check(.strict)
        try await locator.checkByCreating(.strict)
        let child = locator.child("request")
        decorateWithSettings(in: child)
        try child.check(.strict)
    }

    @Test func `A decorator of a service without a declaration has the fix to declare it there`() throws {
        func make(_ settings: Settings) -> LiveAPI { LiveAPI() }
        locator.register(.lazy { Settings() })
        locator.register(.initializer(make).as((any API).self))
        decorateWithSettings()
        let note = try #require(locator.validate().first)
        #expect(note.kind == .undeclared)
        #expect(note.fix.hasPrefix("add `.depending(on: …)` to the decorated registration, or "), "\(note.fix)")
        locator.register(.initializer(make).as((any API).self).depending(on: Settings.self))
        decorateWithSettings()
        try locator.check(.strict)
    }

    @Test func `The decorator of a registration that checks skip is skipped, too`() async throws {
        locator.register(.lazy { try neverCreated(LiveAPI.self) }.as((any API).self).skippingCheck())
        decorateWithSettings()
        try locator.check(.strict)
        #expect(try await locator.checkByCreating().created == 0)
    }
}
