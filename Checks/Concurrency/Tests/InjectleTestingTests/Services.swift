import Injectle

protocol Greeter: Sendable {
    var text: String { get }
}

struct FixedGreeter: Greeter {
    let text: String
}

protocol Sign: Sendable {}

struct LiveSign: Greeter, Sign {
    let text = "live"
}

final class Page: Sendable {
    let greeter = Inject<any Greeter>()
    var text: String { greeter().text }
}

/// A singleton that needs a greeter.
final class Welcome: Sendable {
    let greeter: any Greeter
    init(greeter: any Greeter) { self.greeter = greeter }
    var text: String { greeter.text }
}

/// A singleton that needs a greeter through another one.
final class Lobby: Sendable {
    let welcome: Welcome
    init(welcome: Welcome) { self.welcome = welcome }
}

/// A singleton that needs no other service.
final class Bell: Sendable {}

struct GreeterModule: Locator.Module {
    let text: String
    func register(in locator: Locator) {
        locator.register(.lazy { [text] in FixedGreeter(text: text) }, for: (any Greeter).self)
    }
}
