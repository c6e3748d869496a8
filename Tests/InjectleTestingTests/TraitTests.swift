import Injectle
import InjectleTesting
import Testing

protocol Greeter: Sendable { func greeting() -> String }
struct Fixed: Greeter {
    let text: String
    func greeting() -> String { text }
}
final class Page { @Inject var greeter: any Greeter }

@Suite(.locator { $0.register(.eager(Fixed(text: "suite")), for: (any Greeter).self) })
struct TraitTests {
    let page = Page()

    @Test func `A suite registers services for its tests`() {
        #expect(page.greeter.greeting() == "suite")
    }

    @Test(.override((any Greeter).self) { Fixed(text: "test") })
    func `A test replaces a service of its suite`() {
        #expect(page.greeter.greeting() == "test")
    }
}
