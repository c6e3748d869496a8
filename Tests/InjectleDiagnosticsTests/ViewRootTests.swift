import Injectle
import InjectleDiagnostics
import Testing

private final class Counter: Sendable {}
private struct Screen: Sendable { let id: Int }

/// What checks see of an `InjectedState`, which only Apple's platforms have.
private struct ModelState<Service> {
    private let service = StateProperty<Service>()
    init(_ key: AnyHashable? = nil) { _ = Inject<Service>(key) }
    init(wrappedValue: Service) {}
    init(arguments: Int) {}
}

private struct ScreenView {
    let model: ModelState<Screen>
    init(id: Int) { model = ModelState(arguments: id) }
    init() { model = ModelState() }
}

private struct CounterView {
    let model: ModelState<Counter>
    init(_ model: ModelState<Counter>) { self.model = model }
}

/// Views as roots of a check.
@Suite struct ViewRootTests {
    private let locator = Locator("app")

    @Test func `The model of a view is registered`() throws {
        locator.register(.lazy { Counter() })
        try locator.check(.strict, roots: CounterView.self) { CounterView(ModelState()) }
    }

    @Test func `A view can create its model, which only the object shows`() throws {
        let findings = locator.validate(roots: CounterView.self)
        #expect(findings.map(\.kind) == [.unchecked])
        #expect(findings.first?.message.hasSuffix("which is not registered; maybe the view creates it.") == true)
        try locator.check(.strict) { CounterView(ModelState(wrappedValue: Counter())) }
        #expect(locator.validate { CounterView(ModelState()) }.map(\.kind) == [.missing])
    }

    @Test func `The key of a model is seen`() {
        locator.register(.lazy { Counter() }, key: "main")
        #expect(locator.validate { CounterView(ModelState("main")) }.isEmpty)
        #expect(locator.validate { CounterView(ModelState("other")) }.first?.kind == .missing)
    }

    @Test func `A view can pass arguments`() {
        locator.register(.volatile { (_, id: Int) in Screen(id: id) })
        #expect(locator.validate(roots: ScreenView.self).filter { !$0.isNote }.isEmpty)
        #expect(locator.validate { ScreenView(id: 3) }.filter { !$0.isNote }.isEmpty)
        let findings = locator.validate { ScreenView() }.filter { $0.kind == .missing }
        #expect(findings.map(\.message).map { $0.hasSuffix("which is registered for other arguments.") } == [true])
    }
}
