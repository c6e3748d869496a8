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

    @Test func `Parameters of one type take arguments in order`() throws {
        func difference(left: Int, right: Int) -> String { "\(left - right)" }
        locator.register(.initializer(difference).lifetime(.volatile))
        #expect(try locator.resolve(String.self, arguments: 5, 2) == "3")
        #expect(try locator.resolve(String.self, arguments: 5) == "0")
        #expect(code { try locator.resolve(String.self, arguments: 5, 2, 1) } == .wrongArguments)
    }

    @Test func `A Lazy and a Provider take an argument of the type that they resolve`() throws {
        struct Counter: Sendable {
            let lazy: Locator.Lazy<Payment>
            let provider: Locator.Provider<Payment>
        }
        locator.register(.initializer(Counter.init).lifetime(.volatile))
        let counter = try locator.resolve(Counter.self, arguments: Payment(payer: "Ada"))
        #expect(try counter.lazy().payer == "Ada")
        #expect(try counter.provider().payer == "Ada")
    }

    @Test func `A closure that declares Any or a metatype takes values of other types`() throws {
        class Beast {}
        final class Cat: Beast {}
        locator.register(.volatile { (_, value: Any) in "\(value)" })
        #expect(try locator.resolve(String.self, arguments: 7 as Int?) == "Optional(7)")
        locator.register(.volatile { (_, type: Beast.Type) in "\(type)" })
        #expect(try locator.resolve(String.self, arguments: Cat.self) == "Cat")
    }

    @Test func `The error names the type of the argument, and not its value`() throws {
        locator.register(.initializer(Payment.init).lifetime(.volatile))
        let error = try #require(code { try locator.resolve(Payment.self, arguments: "Ada", 123_456) })
        #expect(error.description.contains("Int"))
        #expect(!error.description.contains("123456"))
    }
}
