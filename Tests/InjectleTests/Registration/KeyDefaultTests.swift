import InjectleTestSupport
import Testing

@testable import Injectle

private protocol Greeter: Sendable { var text: String { get } }
private protocol Waver: Sendable {}
private struct Host: Greeter, Waver { let text: String }

extension ServiceKey<any Greeter> {
    fileprivate static let lobby = Self(
        "lobby",
        default: .lazy { Host(text: "default") as any Greeter }.as(Self("lobby")).as((any Greeter).self, key: "hall")
    )
}

/// The default of a key that has several identities.
@Suite struct KeyDefaultTests {
    private let locator = Locator("keys")

    @Test func `A default is found although its second identity is taken`() throws {
        locator.register(.lazy { Host(text: "own") as any Greeter }, for: (any Greeter).self, key: "hall")
        #expect(try locator.resolve(.lobby).text == "default")
        #expect(try locator.resolve((any Greeter).self, key: "hall").text == "own")
    }

    @Test func `A default is found although its second identity is final`() throws {
        locator.register(.lazy { Host(text: "own") as any Greeter }.final(), for: (any Greeter).self, key: "hall")
        #expect(try locator.resolve(.lobby).text == "default")
        #expect(try locator.resolve((any Greeter).self, key: "hall").text == "own")
    }

    @Test func `A default leaves its second identity that is free`() throws {
        #expect(try locator.resolve(.lobby).text == "default")
        #expect(try locator.resolve((any Greeter).self, key: "hall").text == "default")
    }

    @Test func `A look at a default retains no locator`() {
        let key = ServiceKey<Int>("looked at", default: .lazy { 7 })
        weak var core: LocatorCore?
        do {
            let locator = Locator("looks")
            core = locator.core
            let identity = Locator.Identity(Int.self, key: key)
            #expect(locator.core.unregisteredDefault(for: identity) != nil)
        }
        #expect(core == nil)
    }
}
