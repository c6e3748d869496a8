import Injectle
import InjectleTestSupport
import Testing

struct CaptureTests {
    private let locator = Locator("captured") { $0.register(.eager(FixedGreeter(text: "a")), for: (any Greeter).self) }

    @Test func `A captured override reaches a thread`() async {
        let captured = Locator.$shared.withValue(locator) { Locator.capture() }
        #expect(await onAnotherThread { captured.run { Page().text } } == "a")
    }

    @Test func `A captured override reaches an async closure`() async {
        let captured = Locator.$shared.withValue(locator) { Locator.capture() }
        let text = await Task.detached {
            await captured.run {
                await Task.yield()
                return Page().text
            }
        }.value
        #expect(text == "a")
    }

    @Test func `A closure runs on the actor of its caller`() async {
        let captured = Locator.$shared.withValue(locator) { Locator.capture() }
        await Task { @MainActor in
            await captured.run {
                await Task.yield()
                MainActor.assertIsolated()
            }
        }.value
    }

    @Test func `A captured override ends with its closure`() {
        let captured = Locator.$shared.withValue(locator) { Locator.capture() }
        let inner = Locator("inner") { $0.register(.eager(FixedGreeter(text: "b")), for: (any Greeter).self) }
        let texts = Locator.$shared.withValue(inner) {
            [Page().text, captured.run { Page().text }, Page().text]
        }
        #expect(texts == ["b", "a", "b"])
    }

    @Test(.processWide) func `Without an override, the captured value binds none`() {
        Locator.default.register(.eager(FixedGreeter(text: "default")), for: (any Greeter).self)
        #expect(Locator.capture().run { Page().text } == "default")
    }
}
