import Injectle
import InjectleTestSupport
import Testing

private struct Payment: Sendable {
    let payer: String
    init(payer: String) { self.payer = payer }
}

private final class Gateway: Sendable {
    let name = Inject<String>()
    init() {}
}

private struct Receipt: Sendable {
    let payment: Payment
    init(payment: Payment) { self.payment = payment }
}

private struct Empty: Sendable {}

/// An argument is taken, or the request is refused.
@Suite struct RefusedArgumentTests {
    private let locator = Locator("arguments")

    private func code(of request: () throws -> some Any) -> InjectleError? { thrown { _ = try request() } }

    @Test func `An argument that no parameter takes is refused beside one that is taken`() throws {
        locator.register(.initializer(Payment.init).lifetime(.volatile))
        #expect(try locator.resolve(Payment.self, arguments: "Ada").payer == "Ada")
        #expect(code { try locator.resolve(Payment.self, arguments: "Ada", 7) } == .wrongArguments)
        #expect(code { try locator.resolve(Payment.self, arguments: "Ada", "Grace") } == .wrongArguments)
    }

    @Test func `An initializer without parameters refuses an argument`() {
        locator.register(.initializer(Empty.init).lifetime(.volatile))
        #expect(code { try locator.resolve(Empty.self, arguments: 7) } == .wrongArguments)
    }

    @Test(arguments: [Locator.Lifetime.volatile, .perArgument, .graph])
    func `Arguments that nothing takes are refused in each lifetime`(_ lifetime: Locator.Lifetime) {
        locator.register(.initializer(Payment.init).lifetime(lifetime))
        #expect(code { try locator.resolve(Payment.self, arguments: "Ada", 7) } == .wrongArguments)
    }

    @Test func `Arguments that nothing takes are refused by an async initializer`() async {
        func load(payer: String) async -> Payment { Payment(payer: payer) }
        locator.register(.initializer(load(payer:)).lifetime(.volatile))
        let error = await thrown { try await locator.resolveAsync(Payment.self, arguments: "Ada", 7) }
        #expect(error == .wrongArguments)
    }

    @Test func `An optional argument is not dropped for a registered service`() throws {
        locator.register(.eager("registered"))
        locator.register(.initializer(Payment.init).lifetime(.volatile))
        let name: String? = "Ada"
        let payer = try? locator.resolve(Payment.self, arguments: name).payer
        #expect(payer != "registered")
    }

    @Test func `A property of the service takes an argument`() throws {
        locator.register(.initializer(Gateway.init).lifetime(.volatile))
        #expect(try locator.resolve(Gateway.self, arguments: "Ada").name() == "Ada")
        #expect(code { try locator.resolve(Gateway.self, arguments: "Ada", 7) } == .wrongArguments)
    }

    @Test func `An argument of a dependency is refused by the service that does not take it`() {
        locator.register(.initializer(Payment.init).lifetime(.volatile))
        locator.register(.initializer(Receipt.init).lifetime(.volatile))
        #expect(code { try locator.resolve(Receipt.self, arguments: Payment(payer: "Ada"), 7) } == .wrongArguments)
    }

    @Test func `The error names the type of the argument, and not its value`() throws {
        locator.register(.initializer(Payment.init).lifetime(.volatile))
        let error = try #require(code { try locator.resolve(Payment.self, arguments: "Ada", 123_456) })
        #expect(error.description.contains("Int"))
        #expect(!error.description.contains("123456"))
    }
}
